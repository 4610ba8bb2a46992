import { describe, expect, test } from 'vitest';
import { price } from '../../adapters/cli/commands/price.js';
import { toEnding } from '../../adapters/cli/failure.js';
import { captureOutput } from './support/captured.js';

const said = captureOutput();

type Row = readonly [method: string, path: string, items: number, most: number, held: number, body?: string];

/** Method and path; the most items, credits, and credits if cached. Section 8, price table; section 1, cache rules. */
const PRICES: readonly Row[] = [
  ['GET', '/v1/me', 0, 0, 0],
  ['GET', '/v1/billing/packs', 0, 0, 0],
  ['GET', '/v1/users/harbor_obs', 1, 1, 0.5],
  ['GET', '/v1/users/harbor_obs/?fresh=true', 1, 2, 2],
  ['GET', '/v1/users/harbor_obs/tweets', 20, 20, 10],
  ['GET', '/v1/users/42/tweets?count=100', 100, 100, 50],
  ['GET', '/v1/users/42/followers', 50, 5, 2.5],
  ['GET', '/v1/users/42/followers?count=200&fresh=1', 200, 40, 40],
  ['GET', '/v1/users/42/followers/ids', 200, 4, 2],
  ['GET', '/v1/users/42/following?count=1', 1, 0.1, 0.05],
  ['GET', '/v1/users/batch?handles=a,b,c', 3, 3, 1.5],
  ['POST', '/v1/users/batch', 2, 2, 1, '{"handles":["a","b"]}'],
  ['GET', '/v1/tweets/search?q=comet', 20, 20, 10],
  ['GET', '/v1/tweets/search?q=comet&product=people&count=50', 50, 50, 25],
  ['GET', '/v1/tweets/7/retweeters', 50, 25, 12.5],
  ['GET', '/v1/tweets/7/thread', 20, 20, 10],
  ['GET', 'https://api.example/v1/tweets/7', 1, 1, 0.5],
  ['GET', '/v1/users/42/tweets?max_credits=7.5', 20, 7.5, 7.5],
];

describe('price', () => {
  test.each(PRICES.map((row) => [`${row[0]} ${row[1]}`, row] as const))('%s', async (_, row) => {
    const [method, path, max_items, max_credits, max_credits_cached, body] = row;
    await price(method, path, { json: true, ...(body !== undefined && { body }) });
    expect(JSON.parse(said.out)).toMatchObject({ method, max_items, max_credits, max_credits_cached });
  });

  test('shows a refused search with a caret under the mistake', async () => {
    const refused = await price('GET', '/v1/tweets/search?q=tide+form:nasa', {}).catch(toEnding);
    expect(refused).toMatchObject({ exitCode: 2 });
    expect((refused as { message: string }).message).toMatch(/did you mean "from:".*\ntide form:nasa\n {5}\^$/);
  });

  test('puts the caret in the right column after characters that take two columns or none', async () => {
    const q = encodeURIComponent('墜落 😀 x\u0301 form:nasa');
    const refused = await price('GET', `/v1/tweets/search?q=${q}`, {}).catch(toEnding);
    expect((refused as { message: string }).message).toMatch(/form:nasa\n {10}\^$/);
  });

  test('says in the text output that cached items cost half', async () => {
    await price('GET', '/v1/users/42/followers?count=200', {});
    expect(said.out).toMatch(/^At most 20 credits for up to 200 items; 10 if all of it is cached/);
    await price('GET', '/v1/me', {});
    expect(said.out).toMatch(/Free\.\n$/);
  });

  test('names and ignores an unknown parameter (P3)', async () => {
    await price('GET', '/v1/users/42?colour=red', { json: true });
    expect(said.err).toContain('Unknown parameter colour was ignored');
  });
});

describe('exits with 2 for a call without a price and says what to correct', () => {
  test.each([
    ['GET', 'v1/me', /must begin with/],
    ['GET', '/v2/me', /Available paths:\n {2}\/v1\/me/],
    ['GET', '/v1/live?user=a', /Price the list it follows/],
    ['GET', '/v1/billing/checkout', /supports POST, not GET/],
    ['GET', '/v1/users/42/followers?limit=5', /use count/],
    ['GET', '/v1/users/42/followers?count=201', /from 1 to 200/],
    ['GET', '/v1/users/42/followers?count=1e2', /from 1 to 200/],
    ['GET', '/v1/users/42?fresh=yes', /true, false, 1 or 0/],
    ['GET', '/v1/users/a%20b', /Invalid handle/],
    ['GET', '/v1/users/%zz', /percent-encoded/],
    ['GET', '/v1/tweets/007', /Invalid id/],
    ['GET', '/v1/tweets/search?q=from:', /character 6/],
    ['GET', '/v1/tweets/search?q=', /empty/],
    ['POST', '/v1/users/batch', /body is missing/],
  ])('%s %s', async (method, path, says) => {
    const ending = toEnding(
      await price(method, path, {}).then(
        () => null,
        (error: unknown) => error,
      ),
    );
    expect(ending).toMatchObject({ exitCode: 2, message: expect.stringMatching(says) });
    expect(said.out).toBe('');
  });
});
