import { describe, expect, it } from 'vitest';
import { catalogueOf, priceTable } from '../../../adapters/mcp/catalogue.js';
import { INSTRUCTIONS } from '../../../adapters/mcp/server.js';
import { TOOLS } from '../../../adapters/mcp/tools.js';
import { ROUTES } from '../../../adapters/rest/routes.js';
import { schema } from '../../../schema/index.js';
import { readOperations } from '../../../schema/operations.js';
import { toCredits } from '../../../src/domain/credits.js';
import { priceOf } from '../../../src/domain/prices.js';
import { codeIn } from '../../docs/readme/markdown.js';

const operations = readOperations();
const catalogue = catalogueOf({ schema, operations });
const { listed, reads } = catalogue;

describe('the tools', () => {
  it('are every read of REST, once, and nothing that buys (A19)', () => {
    const read = new Set(ROUTES.map(({ operation }) => operation).filter((name) => name !== 'checkout'));
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
    '%s says what it costs, and takes nothing else',
    (name, tool) => {
      const price = reads.get(name)?.price;
      const full = price && toCredits(priceOf(price.unit, 'miss'));
      if (price) expect(tool.description).toContain(`Costs ${full} ${full === 1 ? 'credit' : 'credits'} per item`);
      else expect(tool.description).toMatch(/Free/);
      expect(tool.inputSchema.additionalProperties).toBe(false);
      const properties = Object.keys(tool.inputSchema.properties ?? {});
      expect(properties).toContain('max_credits');
      expect(properties.includes('fresh')).toBe(price !== undefined);
      expect(properties.filter((property) => !/^[a-z_]+$/.test(property))).toEqual([]);
    },
  );

  it('every sum is in credits, for a host may show nothing but descriptions', () => {
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

  it('say where a handle is required that an id would be read as one, and paid for', () => {
    for (const { name, inputSchema, description } of listed) {
      const { handle, handles } = inputSchema.properties ?? {};
      if (handle ?? handles)
        expect(description, name).toMatch(
          /ids are not accepted: (?:an id|they) would be treated as (?:a handle|handles)\./i,
        );
    }
  });

  it('lists say that a cursor, and single reads that a batch, is the better way', () => {
    for (const { name, inputSchema, description } of listed) {
      if (inputSchema.properties?.cursor) expect(description, name).toContain('next_cursor');
    }
    expect(listed.find(({ name }) => name === 'get_user')?.description).toContain('get_users');
    expect(listed.find(({ name }) => name === 'get_tweet')?.description).toContain('get_tweets');
  });

  it('speak no words of GraphQL or HTTP, and name tools and arguments that there are', () => {
    const names = new Set([
      ...listed.map(({ name }) => name),
      ...listed.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties ?? {})),
      ...[
        'next_cursor',
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
    const told = listed.map(({ name, description, inputSchema }) => JSON.stringify({ name, description, inputSchema }));
    expect(told.join('').length / 4 + INSTRUCTIONS.length / 4).toBeLessThan(8000);
    expect(INSTRUCTIONS.length).toBeLessThan(2000);
  });

  it('stand in the price list, all of them', () => {
    const table = priceTable(catalogue);
    expect(listed.filter(({ name }) => !table.includes(`| \`${name}\` |`))).toEqual([]);
  });
});
