import { type DocumentNode, type GraphQLSchema, type OperationDefinitionNode, parse } from 'graphql';
import type { Price } from '../../src/domain/fields.js';
import { Envelopes } from '../rest/openapi/envelopes.js';
import { ERROR_SCHEMAS } from '../rest/openapi/errors.js';
import { valueSchema } from '../rest/openapi/inputs.js';
import { restWords } from '../rest/openapi/schema-text.js';
import { Selections } from '../rest/openapi/selections.js';
import type { JsonSchema } from '../rest/openapi/types.js';
import type { Endpoint, Parameter } from '../rest/parameters.js';

/** A self-contained schema of an object: whatever it refers to is in its `$defs`. */
export interface ToolSchema extends JsonSchema {
  readonly type: 'object';
  readonly additionalProperties?: boolean;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

const maxCredits = (description: string): JsonSchema => ({ type: 'number', minimum: 0, description });

const FREE_MAX_CREDITS = maxCredits('Accepted by every tool; this one is free.');

/** What happens to the items that a budget does not cover, by what decides their number. */
const OVER_BUDGET: Readonly<Record<Price['items'], string>> = {
  one: 'a read that costs more is refused',
  first: 'the list is trimmed to it',
  handles: 'once it is spent, the remaining handles are not read, and are listed in `errors`',
  ids: 'once it is spent, the remaining ids are not read, and are listed in `errors`',
};

const maxCreditsOf = (price: Price | undefined): JsonSchema =>
  price
    ? maxCredits(
        `Budget: the maximum credits to spend on this call, with at most three decimals; ${OVER_BUDGET[price.items]}.`,
      )
    : FREE_MAX_CREDITS;

/** More items of a page may be more than a client passes on: best known before they are paid for. */
const EASY_ITEMS = 50;

const sizeAdvice = ({ rule, initial }: Parameter): string =>
  rule?.kind === 'size' && rule.max > EASY_ITEMS && Number(initial) <= EASY_ITEMS
    ? ` Clients may cut off more than ${EASY_ITEMS}: follow \`next_cursor\` instead.`
    : '';

/** What a tool takes: the parameters of its operation, and a budget. */
export function inputSchemaOf({ parameters }: Endpoint, price: Price | undefined): ToolSchema {
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  const own = parameters.map((parameter) => [
    parameter.name,
    { ...valueSchema(parameter), description: `${restWords(parameter.description)}${sizeAdvice(parameter)}` },
  ]);
  return {
    type: 'object',
    properties: { ...Object.fromEntries(own), max_credits: maxCreditsOf(price) },
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** The input of the tool that prices the others. */
export const priceInputSchema = (tools: readonly string[]): ToolSchema => ({
  type: 'object',
  properties: {
    tool: { type: 'string', enum: tools, description: 'The tool to estimate.' },
    arguments: {
      type: 'object',
      description: 'The arguments for the tool. `max_credits` has no effect here: it limits the call anyway.',
    },
    max_credits: FREE_MAX_CREDITS,
  },
  required: ['tool'],
  additionalProperties: false,
});

/** Names of the schemas that a call can be answered with. */
const ESTIMATE = 'EstimateResponse';
const FAILURE = 'Error';

/** What tools answer: the envelopes of their operations, or a failure; clients check both against the same schema. */
export class OutputSchemas {
  readonly #components: Readonly<Record<string, JsonSchema>>;
  readonly #answers = new Map<string, readonly string[]>();

  /** `texts`: the operations' texts, by name. */
  constructor(schema: GraphQLSchema, texts: Readonly<Record<string, string>>) {
    const documents = Object.entries(texts).map(([name, text]) => [name, parse(text)] as const);
    const selections = new Selections(
      schema,
      documents.map(([, document]) => document),
    );
    const envelopes = new Envelopes(selections);
    for (const [name, document] of documents) this.#answers.set(name, namesIn(envelopes.of(operationIn(document))));
    this.#components = { ...selections.components, ...ERROR_SCHEMAS };
  }

  of(operation: string): ToolSchema {
    return this.#anyOf((this.#answers.get(operation) ?? []).filter((name) => name !== ESTIMATE));
  }

  ofPrice(): ToolSchema {
    return this.#anyOf([ESTIMATE]);
  }

  #anyOf(names: readonly string[]): ToolSchema {
    const all = [...names, FAILURE];
    const $defs: Record<string, JsonSchema> = {};
    for (const name of all) this.#collect(name, $defs);
    return { type: 'object', anyOf: all.map((name) => ({ $ref: `#/$defs/${name}` })), $defs };
  }

  /** Collects the component and everything that it refers to. */
  #collect(name: string, into: Record<string, JsonSchema>): void {
    const component = this.#components[name];
    if (!component || name in into) return;
    const text = JSON.stringify(component).replaceAll('#/components/schemas/', '#/$defs/');
    into[name] = JSON.parse(text) as JsonSchema;
    for (const [, other = ''] of text.matchAll(/"#\/\$defs\/(\w+)"/g)) this.#collect(other, into);
  }
}

function operationIn({ definitions }: DocumentNode): OperationDefinitionNode {
  const operation = definitions.find((node) => node.kind === 'OperationDefinition');
  if (!operation) throw new TypeError('A persisted text has no operation.');
  return operation as OperationDefinitionNode;
}

const namesIn = ({ $ref, anyOf = [] }: JsonSchema): string[] =>
  $ref === undefined ? anyOf.flatMap(namesIn) : [$ref.slice($ref.lastIndexOf('/') + 1)];
