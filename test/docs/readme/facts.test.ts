/** Prices, codes, tiers, endpoints and settings in the README and the pages it links to match the tables of the code. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isInterfaceType, isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { deriveEndpoint } from '../../../adapters/rest/parameters.js';
import { ROUTES } from '../../../adapters/rest/routes.js';
import { DEMO_ACCOUNTS, DEMO_TWEETS } from '../../../demo/demo-network.js';
import { schema } from '../../../schema/index.js';
import { readOperations } from '../../../schema/operations.js';
import { SETTINGS, type SettingName } from '../../../src/config/settings.js';
import { toCredits } from '../../../src/domain/credits.js';
import { ERROR_CODES, type ErrorCode } from '../../../src/domain/errors.js';
import { itemPrice, UNITS, type Unit } from '../../../src/domain/prices.js';
import { DEFAULT_LIFETIMES } from '../../../src/read/lifetimes.js';
import { codeIn, onOneLine, README, ROOT, readPage, tableOf, tablesOf } from './markdown.js';

const amount = (cell: string): number => Number(/[\d.,]+/.exec(cell)?.[0].replaceAll(',', ''));
const pages = Object.fromEntries(
  Object.entries(readOperations()).map(([name, text]) => [name, deriveEndpoint(schema, text)]),
);

/** The price of one item of an endpoint, from the schema; 0 where it is free. */
function priceOfOperation(name: string): number {
  const { field, operation } = pages[name] ?? {};
  const definition = operation && schema.getRootType(operation.operation)?.getFields()[field?.name.value ?? ''];
  const directives = definition?.extensions.directives as { price?: { credits: number } } | undefined;
  return directives?.price?.credits ?? 0;
}

describe('prices', () => {
  it('are right for every unit, in its three ways (section 8)', () => {
    const rows = tableOf(README, 'Item').map(([item = '', ...prices]) => ({ item, prices: prices.map(amount) }));
    const units: Record<string, Unit[]> = {
      'Profile, tweet': ['profile', 'tweet'],
      'Follower or following profile': ['edge_profile'],
      'Follower id': ['follower_id'],
      'Retweeter profile': ['retweeter'],
    };
    expect(Object.values(units).flat().sort()).toEqual(Object.keys(UNITS).sort());
    expect(rows.map(({ item }) => item)).toEqual(Object.keys(units));
    for (const { item, prices } of rows) {
      for (const unit of units[item] ?? []) {
        const charged = (['miss', 'hit', 'bypass'] as const).map((cache) => toCredits(itemPrice(unit, cache)));
        expect({ item, prices }).toEqual({ item, prices: charged });
      }
    }
  });

  it('come with the right cache lifetimes (M11)', () => {
    const { profileMs, tweetMs, firstPageMs, deeperPageMs, followersMs } = DEFAULT_LIFETIMES;
    const minutes = [profileMs, tweetMs, firstPageMs, deeperPageMs, followersMs].map((ms) => ms / 60_000);
    expect(minutes).toEqual([15, 15, 2, 60, 360]);
    expect(onOneLine(readPage('docs/pricing.md'))).toContain(
      'profiles and tweets for 15 minutes, the first page of a list for 2, deeper pages for an hour, followers and following for 6 hours',
    );
  });
});

describe('endpoints', () => {
  const rows = tableOf(readPage('docs/rest.md'), 'Endpoint').map(([endpoint = '', , price = '', count = '']) => {
    const [method = '', path = ''] = codeIn(endpoint)[0]?.split(' ') ?? [];
    return { path, method, price: price === 'free' ? 0 : Number(price), count };
  });

  it('are all listed, and no others', () => {
    const shown = rows.map(({ method, path }) => `${method} ${path}`);
    expect(shown.sort()).toEqual([...ROUTES.map(({ method, path }) => `${method} ${path}`), 'GET /v1/live'].sort());
  });

  // Streams run an operation of each of their lists.
  it.each(rows.filter(({ path }) => path !== '/v1/live'))(
    '$method $path: price, size of a page, and its bound',
    ({ path, price, count }) => {
      const { operation = '' } = ROUTES.find((row) => row.path === path) ?? {};
      expect(price).toBe(priceOfOperation(operation));
      const size = pages[operation]?.parameters.find(({ name }) => name === 'count');
      const max = size?.rule?.kind === 'size' ? size.rule.max : undefined;
      expect(count).toBe(size ? `${size.initial}, at most ${max}` : '');
    },
  );
});

it('lists every error code with its status, and with Retry-After where it is sent', () => {
  const rows = tableOf(readPage('docs/errors.md'), 'Code').flatMap(([codes = '', status = '', retry = '']) =>
    codeIn(codes).map((code) => ({ code, status: Number(status), waits: retry.includes('after `Retry-After`') })),
  );
  const table = (Object.keys(ERROR_CODES) as ErrorCode[]).map((code) => {
    const row = ERROR_CODES[code];
    return { code, status: row.status, waits: 'retryAfter' in row };
  });
  const byCode = (a: { code: string }, b: { code: string }): number => a.code.localeCompare(b.code);
  expect(rows.sort(byCode)).toEqual(table.sort(byCode));
});

describe('environment', () => {
  const rows = tablesOf(readPage('docs/environment.md'), 'Variable').map(([name = '', , , unset = '']) => ({
    name: codeIn(name)[0],
    unset,
  }));

  it('has every variable, and its value when it is not set', () => {
    const table = (Object.keys(SETTINGS) as SettingName[]).map((name) => ({ name, unset: SETTINGS[name].unset }));
    const byName = (a: { name?: string | undefined }, b: { name?: string | undefined }): number =>
      (a.name ?? '').localeCompare(b.name ?? '');
    expect(rows.sort(byName)).toEqual(table.sort(byName));
  });
});

it('has as many accounts and tweets in the demo as the README says', () => {
  expect(README).toContain(
    `${DEMO_ACCOUNTS.toLocaleString('en')} accounts, ${DEMO_TWEETS.toLocaleString('en')} tweets`,
  );
});

it('states the price of every field of the schema', () => {
  const types = Object.values(schema.getTypeMap()).filter((type) => !type.name.startsWith('__'));
  for (const type of types) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      expect(`${type.name}.${field.name}: ${field.description}`).toMatch(/[Ff]ree|Costs|paid for|costs/);
    }
  }
});

describe('pictures', () => {
  const pictures = [...README.matchAll(/(?:src|srcset)="([^"]+\.png)"/g)].map((match) => match[1] ?? '');

  it.each([...new Set(pictures)])('%s is a picture that loads quickly', (target) => {
    const bytes = readFileSync(join(ROOT, target));
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    expect(bytes.length).toBeLessThan(300 * 1024);
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1440, 900]);
  });
});
