import {
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  isUnionType,
  type OperationDefinitionNode,
} from 'graphql';
import { priceOfField } from '../../../src/documents/rules.js';
import { pascalCase, refTo, restWords } from './schema-text.js';
import type { Member, Selections } from './selections.js';
import type { JsonSchema } from './types.js';

const CACHE_VALUES =
  'Where the response came from: `miss` is read from the network, `hit` is cached (half price), `bypass` is read because of `fresh` (double price)';

/** Members of every envelope (section 1); `envelope.ts` writes them. */
const COMMON: Readonly<Record<string, JsonSchema>> = {
  credits_charged: { type: 'number', description: 'Credits charged for this call.' },
  balance_remaining: { type: 'number', description: 'Credits in the wallet after this call.' },
  cache: {
    type: 'string',
    enum: ['miss', 'hit', 'bypass'],
    description: `${CACHE_VALUES}. An estimate or a free response, for which nothing is looked up, is a \`miss\`.`,
  },
  request_id: {
    type: 'string',
    format: 'uuid',
    description: 'Include it in support requests. Also in `X-Request-Id`.',
  },
};

const WARNINGS: JsonSchema = {
  type: 'array',
  items: { type: 'string' },
  description: 'Notes about the call, for example on unknown parameters, which were ignored.',
};

const ITEMS: JsonSchema = { type: 'integer', format: 'int32', description: 'Objects returned; 0 for an estimate.' };

const FETCHED_AT: JsonSchema = {
  type: 'string',
  format: 'date-time',
  description: 'When the oldest part of the response was read from the network.',
};

const ESTIMATE: JsonSchema = {
  type: 'object',
  description: 'The maximum price of a call, before anything is read.',
  required: ['max_items', 'unit', 'max_credits'],
  properties: {
    max_items: { type: 'integer', format: 'int32', description: 'Maximum number of objects that can be returned.' },
    unit: { type: 'number', description: 'Credits per object read from the network.' },
    max_credits: { type: 'number', description: 'Maximum credits that can be charged.' },
    refused: {
      type: 'object',
      description: 'Present if the call itself would be refused before anything is read: why, and what to change.',
      required: ['code', 'message'],
      properties: { code: { type: 'string' }, message: { type: 'string' } },
    },
  },
};

/** The envelopes of all operations as component schemas. */
export class Envelopes {
  readonly #selections: Selections;

  constructor(selections: Selections) {
    this.#selections = selections;
    const required = Object.keys(COMMON);
    selections.add('FreeMeta', {
      description: 'Included in every free response.',
      type: 'object',
      required,
      properties: { ...COMMON, warnings: WARNINGS },
    });
  }

  /** References to the envelopes that an operation can answer with, including the one for `estimate=true`. */
  of(operation: OperationDefinitionNode): JsonSchema {
    const refs = this.#answersOf(operation);
    const priced = priceOfField(this.#selections.rootOf(operation).field) !== undefined;
    const all = priced ? [...refs, this.#estimate()] : refs;
    const [only] = all;
    return all.length === 1 && only ? only : { anyOf: all };
  }

  #answersOf(operation: OperationDefinitionNode): JsonSchema[] {
    const root = this.#selections.rootOf(operation);
    const name = pascalCase(operation.name?.value ?? root.field.name);
    const priced = priceOfField(root.field) !== undefined;
    const meta = priced ? 'Meta' : 'FreeMeta';
    if (root.name === 'data') return [this.#envelope(`${name}Response`, meta, dataSchema(this.#selections, root))];
    const page = getNamedType(root.field.type) as GraphQLObjectType;
    if (!priced) {
      const paged = this.#freePage(page, root);
      if (paged) return [this.#selections.add(`${name}Response`, { allOf: [refTo('schemas', meta), paged] })];
      const own = this.#selections.refTo(page, root.node.selectionSet);
      return [this.#selections.add(`${name}Response`, { allOf: [refTo('schemas', meta), own] })];
    }
    return this.#pageOf(page, root);
  }

  /** A free list with pages; undefined if the operation is not such a list. */
  #freePage(page: GraphQLObjectType, root: Member): JsonSchema | undefined {
    const members = this.#selections.members(page, root.node.selectionSet);
    const data = members.find(({ name }) => name === 'data');
    if (!data) return undefined;
    const flat = members.filter((member) => member !== data).flatMap((member) => this.#laidFlat(member));
    const { properties = {} } = this.#selections.objectOf(flat);
    const own = { data: dataSchema(this.#selections, data), ...properties };
    return { type: 'object', required: ['data'], properties: own };
  }

  #pageOf(page: GraphQLObjectType, root: Member): JsonSchema[] {
    const members = this.#selections.members(page, root.node.selectionSet);
    const data = members.find(({ name }) => name === 'data');
    if (!data) throw new TypeError(`${page.name} selects no data.`);
    const named = getNamedType(data.field.type);
    // With `product=People` a search answers with a page of users (section 4.3.2).
    if (isUnionType(named)) return named.getTypes().map((type) => refTo('schemas', `${type.name}Page`));
    const flat = members.filter((member) => member !== data).flatMap((member) => this.#laidFlat(member));
    const isBatch = flat.some(({ name }) => name === 'errors');
    this.#addMeta(isBatch, flat);
    const own = dataSchema(this.#selections, data);
    return [this.#envelope(page.name, isBatch ? 'BatchMeta' : 'Meta', own, restWords(page.description))];
  }

  /** Flattens groups into the envelope; lists stay separate members. */
  #laidFlat(member: Member): Member[] {
    const type = getNullableType(member.field.type);
    return isObjectType(type) ? this.#selections.members(type, member.node.selectionSet) : [member];
  }

  /** `cache_hits` is required only in batches, as section 2 says: pages have it, too, but single objects do not. */
  #addMeta(isBatch: boolean, flat: readonly Member[]): void {
    const { required = [], properties = {} } = this.#selections.objectOf(flat);
    const cache = isBatch
      ? { ...properties.cache, description: `${CACHE_VALUES}, \`mixed\` is some of each.` }
      : COMMON.cache;
    const always = ['items', ...Object.keys(COMMON)];
    this.#selections.add(isBatch ? 'BatchMeta' : 'Meta', {
      description: isBatch
        ? 'Included in every batch response, next to `data`.'
        : 'Included in every paid response, next to `data`.',
      type: 'object',
      required: isBatch ? [...new Set([...always, ...required])] : always,
      properties: {
        items: ITEMS,
        ...COMMON,
        ...properties,
        ...(cache && { cache }),
        fetched_at: FETCHED_AT,
        warnings: WARNINGS,
      },
    });
  }

  #envelope(name: string, meta: string, data: JsonSchema, description = ''): JsonSchema {
    const own: JsonSchema = { type: 'object', required: ['data'], properties: { data } };
    const allOf = [refTo('schemas', meta), own];
    return this.#selections.add(name, description === '' ? { allOf } : { description, allOf });
  }

  #estimate(): JsonSchema {
    const estimate = this.#selections.add('Estimate', ESTIMATE);
    const own: JsonSchema = { type: 'object', required: ['estimate'], properties: { estimate } };
    return this.#selections.add('EstimateResponse', {
      description: 'The response to `estimate=true`: nothing is read or charged.',
      allOf: [refTo('schemas', 'Meta'), own],
    });
  }
}

function dataSchema(selections: Selections, member: Member): JsonSchema {
  const { description, ...value } = selections.schemaOf(member);
  const isList = isListType(getNullableType(member.field.type));
  return isList && description !== undefined ? { ...value, description } : value;
}
