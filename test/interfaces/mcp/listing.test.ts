import { describe, expect, it } from 'vitest';
import { buildCatalogue, priceTable } from '../../../adapters/mcp/catalogue.js';
import { INSTRUCTIONS } from '../../../adapters/mcp/server.js';
import { TOOLS } from '../../../adapters/mcp/tools.js';
import type { JsonSchema } from '../../../adapters/rest/openapi/types.js';
import { ROUTES } from '../../../adapters/rest/routes.js';
import { schema } from '../../../schema/index.js';
import { readOperations } from '../../../schema/operations.js';
import { toCredits } from '../../../src/domain/credits.js';
import { itemPrice } from '../../../src/domain/prices.js';
import { codeIn } from '../../docs/readme/markdown.js';

/** What OpenAI's strict mode refuses: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas */
function notStrict(schema: ToolPart, place = ''): string[] {
  const refused = ['allOf', 'oneOf', 'not', 'if', 'patternProperties', 'dependentRequired'];
  const wrong = refused.filter((keyword) => keyword in schema).map((keyword) => `${place}: ${keyword}`);
  if (schema.type === undefined) wrong.push(`${place}: no type`);
  if (schema.type === 'array' && !schema.items) wrong.push(`${place}: no items`);
  if (schema.type === 'object' && schema.additionalProperties !== false) wrong.push(`${place}: open`);
  if (schema.type === 'object' && !schema.properties) wrong.push(`${place}: no properties`);
  return [...wrong, ...partsOf(schema, place).flatMap(([name, part]) => notStrict(part, name))];
}

/** What Gemini's function declarations refuse: https://ai.google.dev/api/caching#Schema */
function notGemini({ additionalProperties: _, ...schema }: ToolPart, place = ''): string[] {
  const known = ['type', 'format', 'description', 'enum', 'default', 'items', 'minItems', 'maxItems', 'properties'];
  known.push('required', 'minLength', 'maxLength', 'pattern', 'minimum', 'maximum');
  const wrong = Object.keys(schema).filter((keyword) => !known.includes(keyword));
  if (schema.type === 'object' && Object.keys(schema.properties ?? {}).length === 0) wrong.push('no properties');
  if (schema.enum && schema.type !== 'string') wrong.push('enum of no strings');
  if (schema.type === 'string' && schema.format !== undefined && schema.format !== 'date-time') wrong.push('format');
  const problems = wrong.map((what) => `${place}: ${what}`);
  return [...problems, ...partsOf(schema, place).flatMap(([name, part]) => notGemini(part, name))];
}

type ToolPart = JsonSchema & { readonly additionalProperties?: boolean };

const partsOf = ({ properties = {}, items }: ToolPart, place: string): [name: string, part: ToolPart][] => [
  ...Object.entries(properties).map(([name, part]): [string, ToolPart] => [`${place}.${name}`, part]),
  ...(items ? [[`${place}[]`, items] as [string, ToolPart]] : []),
];

const operations = readOperations();
const catalogue = buildCatalogue({ schema, operations });
const { listed, reads } = catalogue;

describe('the tools', () => {
  it('are every read of REST, once, and nothing that buys (A19) or is about watches (V24)', () => {
    const names = ROUTES.map(({ operation }) => operation);
    const read = new Set(names.filter((name) => name !== 'checkout' && !/^watch/.test(name)));
    expect(new Set(TOOLS.map(({ operation }) => operation))).toEqual(read);
    expect(TOOLS.length).toBe(read.size);
    expect(TOOLS.filter(({ operation }) => !/^query\b/m.test(operations[operation] ?? ''))).toEqual([]);
  });

  it('only read, and say so', () => {
    for (const { annotations, title } of listed) {
      expect(annotations).toMatchObject({ title, readOnlyHint: true, destructiveHint: false, idempotentHint: true });
    }
  });

  it.each(listed.map((tool) => [tool.name, tool] as const))(
    '%s states its price, and takes no other argument',
    (name, tool) => {
      const price = reads.get(name)?.price;
      const full = price && toCredits(itemPrice(price.unit, 'miss'));
      if (price) expect(tool.description).toContain(`Costs ${full} ${full === 1 ? 'credit' : 'credits'} per item`);
      else expect(tool.description).toMatch(/Free/);
      expect(tool.inputSchema.additionalProperties).toBe(false);
      const properties = Object.keys(tool.inputSchema.properties ?? {});
      expect(properties).toContain('max_credits');
      expect(properties.includes('fresh')).toBe(price !== undefined);
      expect(properties.filter((property) => !/^[a-z_]+$/.test(property))).toEqual([]);
    },
  );

  it('state every sum in credits, because a host may show only descriptions', () => {
    for (const { description, name } of listed) {
      expect(description.match(/(?:Costs|[Aa]t most) [\d.]+(?![\d.]| credits?\b)/g), name).toBeNull();
    }
  });

  it.each([
    ['get_user', 'a read that costs more is refused'],
    ['get_tweets', 'once it is spent, the remaining ids are not read, and are listed in `errors`'],
    ['get_users', 'once it is spent, the remaining handles are not read, and are listed in `errors`'],
    ['get_thread', 'the list is trimmed to it'],
    ['get_usage', 'this one is free'],
    ['price', 'this one is free'],
  ])('%s says what max_credits does to it: %s', (name, what) => {
    const properties = listed.find((tool) => tool.name === name)?.inputSchema.properties;
    expect(properties?.max_credits?.description).toContain(what);
  });

  it('say where ids are not accepted', () => {
    for (const { name, inputSchema, description } of listed) {
      const { user, handles } = inputSchema.properties ?? {};
      const takesNoId = name === 'get_user' || handles !== undefined;
      expect(/ids are not accepted/i.test(description), name).toBe(takesNoId);
      if (user) expect(/numeric id/i.test(user.description ?? ''), name).toBe(!takesNoId);
    }
  });

  it('call a single user `user`, all of them (A42)', () => {
    const names = listed.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}));
    expect(names.filter((name) => name === 'user').length).toBeGreaterThan(1);
    expect(names).not.toContain('handle');
  });

  it('recommend a cursor in lists, and a batch in single reads', () => {
    for (const { name, inputSchema, description } of listed) {
      if (inputSchema.properties?.cursor) expect(description, name).toContain('next_cursor');
      expect(description.includes('`since_cursor`'), name).toBe(inputSchema.properties?.since !== undefined);
    }
    expect(listed.find(({ name }) => name === 'get_user')?.description).toContain('get_users');
    expect(listed.find(({ name }) => name === 'get_tweet')?.description).toContain('get_tweets');
  });

  it('use no words of GraphQL or HTTP, and name only existing tools and arguments', () => {
    const names = new Set([
      ...listed.map(({ name }) => name),
      ...listed.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {})),
      ...[
        'next_cursor',
        'since_cursor',
        'balance_remaining',
        'credits_charged',
        'errors',
        'hit',
        'truncated',
        'retry_after',
        'error.code',
      ],
      ...['rate_limited', 'request_id', 'page.next_cursor'],
    ]);
    for (const text of [INSTRUCTIONS, ...listed.map(({ description }) => description)]) {
      expect(text).not.toMatch(/endCursor|`first`|`after`|\/v1\//);
      expect(codeIn(text).filter((code) => !names.has(code))).toEqual([]);
    }
  });

  it('fit the context of a model: short descriptions, at most 8,000 tokens in all', () => {
    const definitions = listed.map(({ name, description, inputSchema }) =>
      JSON.stringify({ name, description, inputSchema }),
    );
    expect(definitions.join('').length / 4 + INSTRUCTIONS.length / 4).toBeLessThan(8000);
    expect(INSTRUCTIONS.length).toBeLessThan(2000);
  });

  it('fit hosts that keep the whole list: 40 KB with their output schemas (A41)', () => {
    expect(Buffer.byteLength(JSON.stringify({ tools: listed }))).toBeLessThan(40_000);
  });

  it.each(listed.map((tool) => [tool.name, tool] as const))(
    "%s becomes a function in OpenAI's strict mode and in Gemini's declarations (A41)",
    (_name, { inputSchema }) => {
      expect(notStrict(inputSchema)).toEqual([]);
      expect(notGemini(inputSchema)).toEqual([]);
    },
  );

  it('name the arguments of all tools in price', () => {
    const named = listed.find(({ name }) => name === 'price')?.inputSchema.properties?.arguments?.properties;
    const all = [...reads.keys()].map(
      (name) => listed.find((tool) => tool.name === name)?.inputSchema.properties ?? {},
    );
    expect(new Set(Object.keys(named ?? {}))).toEqual(new Set(all.flatMap(Object.keys)));
  });

  it('are all in the price list', () => {
    const table = priceTable(catalogue);
    expect(listed.filter(({ name }) => !table.includes(`| \`${name}\` |`))).toEqual([]);
  });
});
