import type { GraphQLSchema } from 'graphql';
import { priceOfField } from '../../src/documents/rules.js';
import { type Thousandths, toCredits } from '../../src/domain/credits.js';
import type { Price } from '../../src/domain/fields.js';
import { inCredits } from '../../src/domain/figures.js';
import { itemPrice, UNITS } from '../../src/domain/prices.js';
import { restWords } from '../rest/openapi/schema-text.js';
import { deriveEndpoint, type Endpoint } from '../rest/parameters.js';
import { OutputSchemas, priceInputSchema, type ToolSchema, toolInputSchema } from './schemas.js';
import { PRICE_TOOL, TOOLS, type ToolRow } from './tools.js';

/** A tool as it is listed. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ToolSchema;
  readonly outputSchema: ToolSchema;
  readonly annotations: Readonly<Record<string, string | boolean>>;
}

/** A tool that runs an operation, ready to be called. */
export interface ReadTool {
  readonly row: ToolRow;
  readonly endpoint: Endpoint;
  readonly price: Price | undefined;
}

/** Everything that can be called, made once: the same for all callers, in the same order. */
export interface Catalogue {
  readonly listed: readonly ListedTool[];
  readonly reads: ReadonlyMap<string, ReadTool>;
}

export interface CatalogueOptions {
  readonly schema: GraphQLSchema;
  /** Texts of the persisted operations, by name. */
  readonly operations: Readonly<Record<string, string>>;
}

/** Throws TypeError when a row names an operation that does not exist. */
export function buildCatalogue({ schema, operations }: CatalogueOptions): Catalogue {
  const texts = Object.fromEntries(TOOLS.map(({ operation }) => [operation, operationText(operations, operation)]));
  const outputs = new OutputSchemas(schema, texts);
  const reads = new Map<string, ReadTool>();
  const listed: ListedTool[] = [];
  for (const row of TOOLS) {
    const endpoint = deriveEndpoint(schema, operationText(operations, row.operation));
    const field = schema.getQueryType()?.getFields()[endpoint.field.name.value];
    if (!field) throw new TypeError(`${row.operation} is not a query.`);
    const price = priceOfField(field);
    const tool = { row, endpoint, price };
    reads.set(row.name, tool);
    listed.push({
      name: row.name,
      title: row.title,
      description: describe(restWords(field.description), tool),
      inputSchema: toolInputSchema(endpoint, price),
      outputSchema: outputs.of(row.operation),
      annotations: toolAnnotations(row.title, price !== undefined),
    });
  }
  listed.push(priceTool(listed, outputs));
  return { listed, reads };
}

function operationText(operations: CatalogueOptions['operations'], name: string): string {
  const text = operations[name];
  if (text === undefined) throw new TypeError(`A tool names ${name}, which is not an operation.`);
  return text;
}

/** No tool changes anything; what the network returns is open-ended. */
const toolAnnotations = (title: string, readsNetwork: boolean) => ({
  title,
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: readsNetwork,
});

/** Says what a tool does, what it costs, and what to watch for. */
function describe(words: string, tool: ReadTool): string {
  // "Free" is already in a field's own description, unless every field of its endpoint is free.
  const money = tool.price || /\bFree\b/.test(words) ? atMost(tool) : 'Free.';
  return [inUnits(words), money, tool.row.advice].filter((part) => part !== '').join(' ');
}

const credits = (amount: Thousandths): string => inCredits(toCredits(amount));

/** Many hosts show a model only a tool's description, so it must say what each read costs. */
const inUnits = (words: string): string =>
  words.replace(/(?<=\bCosts )([\d.]+)(?= per item)/, (count) => credits(Number(count) * 1000));

/** What a call costs at most when only the required arguments are given. */
function atMost({ endpoint, price }: ReadTool): string {
  if (!price) return '';
  const unit = itemPrice(price.unit, 'miss');
  if (price.items === 'one') return '';
  const initial = endpoint.parameters.find(({ rule }) => rule?.kind === 'size')?.initial;
  if (typeof initial !== 'number') return `At most ${credits(unit)} per input.`;
  return `At most ${credits(unit * initial)} with the default \`count\` of ${initial}.`;
}

function priceTool(listed: readonly ListedTool[], outputs: OutputSchemas): ListedTool {
  const title = 'Estimate the price of a call';
  return {
    name: PRICE_TOOL,
    title,
    description:
      'Returns the maximum cost of calling another tool with these arguments. Reads nothing. Free. Cached items make the actual call cheaper; `fresh` is taken into account.',
    inputSchema: priceInputSchema(listed),
    outputSchema: outputs.ofPrice(),
    annotations: toolAnnotations(title, false),
  };
}

/** The price list, as a document. */
export function priceTable({ reads }: Catalogue): string {
  const rows = [...reads.values()].map(({ row, price }) => {
    if (!price) return `| \`${row.name}\` | free | | | |`;
    const [miss, hit, fresh] = (['miss', 'hit', 'bypass'] as const).map((cache) =>
      toCredits(itemPrice(price.unit, cache)),
    );
    return `| \`${row.name}\` | ${miss} | ${hit} | ${fresh} | ${UNITS[price.unit].items} |`;
  });
  return [
    '# Prices',
    '',
    'Credits per item returned. Empty results and failed calls are free. Use `price` to estimate a call in advance.',
    '',
    '| Tool | Uncached | Cached | Fresh | Items |',
    '|---|---|---|---|---|',
    ...rows,
    `| \`${PRICE_TOOL}\` | free | | | |`,
    '',
  ].join('\n');
}
