import { type DocumentNode, type GraphQLSchema, type OperationDefinitionNode, parse } from 'graphql';
import type { Price } from '../../src/domain/fields.js';
import { Envelopes } from '../rest/openapi/envelopes.js';
import { ERROR_SCHEMAS } from '../rest/openapi/errors.js';
import { valueSchema } from '../rest/openapi/inputs.js';
import { refTo } from '../rest/openapi/schema-text.js';
import { Selections } from '../rest/openapi/selections.js';
import type { JsonSchema } from '../rest/openapi/types.js';
import type { Endpoint, Parameter } from '../rest/parameters.js';

/** A self-contained schema of an object. */
export interface ToolSchema extends JsonSchema {
  readonly type: 'object';
  readonly additionalProperties?: boolean;
}

/** The name of a parameter as an argument: a single user is `user` in every tool. */
export const argumentName = ({ name }: Parameter): string => (name === 'handle' ? 'user' : name);

const maxCredits = (description: string): JsonSchema => ({ type: 'number', minimum: 0, description });

const FREE_MAX_CREDITS = maxCredits('Accepted by every tool; this one is free.');

/** What happens to the items that a budget does not cover, by what decides the number of items. */
const OVER_BUDGET: Readonly<Record<Price['items'], string>> = {
  one: 'a read that costs more is refused',
  first: 'the list is trimmed to it',
  handles: 'once it is spent, the remaining handles are not read, and are listed in `errors`',
  ids: 'once it is spent, the remaining ids are not read, and are listed in `errors`',
};

const maxCreditsSchema = (price: Price | undefined): JsonSchema =>
  price
    ? maxCredits(
        `Budget: the maximum credits to spend on this call, with at most three decimals; ${OVER_BUDGET[price.items]}.`,
      )
    : FREE_MAX_CREDITS;

/** A client may not pass on more items of a page than this. The model should know before it pays for them. */
const EASY_ITEMS = 50;

const sizeAdvice = ({ rule, initial }: Parameter): string =>
  rule?.kind === 'size' && rule.max > EASY_ITEMS && Number(initial) <= EASY_ITEMS
    ? ` Clients may cut off more than ${EASY_ITEMS}: follow \`next_cursor\` instead.`
    : '';

/** What a tool takes: the parameters of its operation, and a budget. */
export function toolInputSchema({ parameters }: Endpoint, price: Price | undefined): ToolSchema {
  const required = parameters.filter((parameter) => parameter.required).map(argumentName);
  const own = parameters.map((parameter) => {
    // For strings, Gemini accepts no formats except those of times.
    const { format: _, ...value } = valueSchema(parameter);
    const said = parameter.description.replace(/ Digits alone are a handle here:.*/, ' Not an id.');
    const description = `${said}${sizeAdvice(parameter)}`;
    return [argumentName(parameter), { ...value, description }];
  });
  return {
    type: 'object',
    properties: { ...Object.fromEntries(own), max_credits: maxCreditsSchema(price) },
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/**
 * The input of the tool that prices the others. Names all arguments: hosts refuse an object without named members
 * (A41).
 */
export function priceInputSchema(tools: readonly { name: string; inputSchema: ToolSchema }[]): ToolSchema {
  const all = tools.flatMap(({ inputSchema }) => Object.entries(inputSchema.properties ?? {}));
  const given: ToolSchema = {
    type: 'object',
    description: 'The arguments for the tool. `max_credits` does not change the estimate: it limits the call itself.',
    properties: Object.fromEntries(
      all.map(([name, { type = 'string', items }]) => [name, { type, ...(items && { items }) }]),
    ),
    additionalProperties: false,
  };
  return {
    type: 'object',
    properties: {
      tool: { type: 'string', enum: tools.map(({ name }) => name), description: 'The tool to estimate.' },
      arguments: given,
      max_credits: FREE_MAX_CREDITS,
    },
    required: ['tool'],
    additionalProperties: false,
  };
}

/** The names of two schemas of answers. */
const ESTIMATE = 'EstimateResponse';
const FAILURE = 'Error';

/**
 * The schemas of what tools answer, short enough for hosts to keep: the members of an envelope and of a failure, and,
 * of the objects in them, the members that are always there. The OpenAPI document describes all members.
 */
export class OutputSchemas {
  readonly #components: Readonly<Record<string, JsonSchema>>;
  readonly #answers = new Map<string, JsonSchema>();

  /** `texts`: the operations' texts, by name. */
  constructor(schema: GraphQLSchema, texts: Readonly<Record<string, string>>) {
    const documents = Object.entries(texts).map(([name, text]) => [name, parse(text)] as const);
    const selections = new Selections(
      schema,
      documents.map(([, document]) => document),
    );
    const envelopes = new Envelopes(selections);
    for (const [name, document] of documents) this.#answers.set(name, envelopes.of(operationIn(document)));
    this.#components = { ...selections.components, ...ERROR_SCHEMAS };
  }

  of(operation: string): ToolSchema {
    const { anyOf, ...one } = this.#answers.get(operation) ?? {};
    return this.#brief((anyOf ?? [one]).filter(({ $ref }) => !$ref?.endsWith(`/${ESTIMATE}`)));
  }

  ofPrice(): ToolSchema {
    return this.#brief([refTo('schemas', ESTIMATE)]);
  }

  #brief(answers: readonly JsonSchema[]): ToolSchema {
    const { properties = {}, required = [] } = this.#whole({ anyOf: [...answers, refTo('schemas', FAILURE)] });
    const members = Object.entries(properties).map(([name, member]) => [name, this.#part(member)]);
    return { type: 'object', required, properties: Object.fromEntries(members) };
  }

  /** A schema of a member: an object has the members that are always there, each only with its type. */
  #part(schema: JsonSchema): JsonSchema {
    const { type = 'object', items, properties = {}, required = [] } = this.#whole(schema);
    if (items) return { type, items: this.#part(items) };
    if (required.length === 0) return { type };
    const members = required.map((name) => [name, { type: this.#whole(properties[name] ?? {}).type ?? 'object' }]);
    return { type, required, properties: Object.fromEntries(members) };
  }

  /**
   * Merges a schema into one object: follows a reference, and joins the parts of `allOf` or the alternatives of
   * `anyOf`.
   */
  #whole(schema: JsonSchema): JsonSchema {
    const { $ref, allOf, anyOf } = schema;
    if ($ref !== undefined) return this.#whole(this.#components[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {});
    const parts = (allOf ?? anyOf)?.map((part) => this.#whole(part));
    if (!parts) return schema;
    const always = parts.map(({ required = [] }) => required);
    const [first = []] = always;
    return {
      type: 'object',
      properties: mergedProperties(parts),
      required: allOf ? always.flat() : first.filter((name) => always.every((names) => names.includes(name))),
    };
  }
}

/**
 * The members of all parts. A list that several parts have, such as the items of a search, may have items of any of
 * them.
 */
function mergedProperties(parts: readonly JsonSchema[]): Record<string, JsonSchema> {
  const merged: Record<string, JsonSchema> = {};
  for (const [name, member] of parts.flatMap(({ properties = {} }) => Object.entries(properties))) {
    const known = merged[name];
    merged[name] = known?.items && member.items ? { ...known, items: { anyOf: [known.items, member.items] } } : member;
  }
  return merged;
}

function operationIn({ definitions }: DocumentNode): OperationDefinitionNode {
  const operation = definitions.find((node) => node.kind === 'OperationDefinition');
  if (!operation) throw new TypeError('A persisted text has no operation.');
  return operation as OperationDefinitionNode;
}
