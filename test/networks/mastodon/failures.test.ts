import { describe, expect, test } from 'vitest';
import { context, type Scripted, scripted } from './scripted.js';

const LATER = () => new Date(Date.now() + 90_000).toISOString().replace('Z', '456Z');

/** Longer than any answer that is read. */
const TOO_LONG = ' '.repeat(16 * 1024 * 1024 + 1);

describe('errors from the server', () => {
  const read = async (answer: Scripted) => {
    const { network } = await scripted({ tokens: ['t'], answers: { '/api/v1/accounts/7/statuses': answer } });
    return network.page({ kind: 'timeline', subject: '7' }, null, context());
  };

  test.each<[what: string, answer: Scripted, failure: object]>([
    [
      'a token that does not work',
      { status: 401, body: { error: 'The access token is invalid' } },
      { code: 'no_account', retryAfter: 900 },
    ],
    [
      'a scope that is missing',
      { status: 403, body: { error: 'This action is outside the authorized scopes' } },
      { code: 'access_denied', detail: { reason: 'session' } },
    ],
    ['no such object', { status: 404, body: { error: 'Record not found' } }, { code: 'not_found' }],
    ['an object that is gone', { status: 410, body: { error: 'Gone' } }, { code: 'not_found' }],
    [
      'a token of no user',
      { status: 422, body: { error: 'This method requires an authenticated user' } },
      { code: 'access_denied', detail: { reason: 'session' } },
    ],
    ['a fault of ours', { status: 422, body: { error: 'Validation failed' } }, { code: 'request_rejected' }],
    ['a fault of ours', { status: 400, body: { error: 'Bad' } }, { code: 'request_rejected' }],
    ['a route that is no more', { status: 404, body: '<html>Not here</html>' }, { code: 'query_id_stale' }],
    ['a front door that bars us', { status: 403, body: '<html>Attention required</html>' }, { code: 'upstream_error' }],
    ['a server that is down', { status: 503, body: '<html>Maintenance</html>' }, { code: 'upstream_error' }],
    ['a page that is too long', { body: TOO_LONG }, { code: 'upstream_error', detail: { reason: 'unreadable' } }],
    ['a refusal that is too long', { status: 429, body: TOO_LONG }, { code: 'upstream_rate_limited' }],
    [
      'a move to another address',
      { status: 301, headers: { location: 'https://elsewhere.example/' } },
      { code: 'upstream_error' },
    ],
  ])('%s', async (_what, answer, failure) => {
    await expect(read(answer)).rejects.toMatchObject(failure);
  });

  test('read the reset of a rate limit from a date with microseconds', async () => {
    const headers = { 'x-ratelimit-limit': '300', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': LATER() };
    const failure = await read({ status: 429, body: { error: 'Too many requests' }, headers }).catch((error) => error);
    expect(failure).toMatchObject({ code: 'upstream_rate_limited' });
    expect(failure.retryAfter).toBeGreaterThan(80);
    expect(failure.retryAfter).toBeLessThanOrEqual(90);
  });

  test('report the remaining calls of every response', async () => {
    const headers = { 'x-ratelimit-remaining': '12', 'x-ratelimit-reset': LATER() };
    const { network } = await scripted({ answers: { '/api/v1/statuses': { body: [], headers } } });
    const seen: { remaining: number; resetsInSeconds: number }[] = [];
    await network.tweets(['1'], { ...context(), observe: (limit) => seen.push(limit) });
    expect(seen).toEqual([{ remaining: 12, resetsInSeconds: expect.toSatisfy((s: number) => s > 80 && s <= 90) }]);
  });
});

describe('sessions', () => {
  test('are named after the position of their token, and send it with each call', async () => {
    const tokens: (string | undefined)[] = [];
    const { network } = await scripted({
      tokens: ['one', 'two'],
      answers: {
        '/api/v1/statuses': (_query, token) => {
          tokens.push(token);
          return { body: [] };
        },
      },
    });
    expect(network.sessions).toEqual(['token 1', 'token 2']);
    for (const session of [undefined, ...network.sessions]) await network.tweets(['1'], context(session));
    expect(tokens).toEqual(['one', 'one', 'two']);
  });

  test('consist of one session without a token if no tokens are set', async () => {
    const tokens: (string | undefined)[] = [];
    const answer = (_query: URLSearchParams, token: string | undefined) => {
      tokens.push(token);
      return { body: [] };
    };
    const { network } = await scripted({ answers: { '/api/v1/statuses': answer } });
    expect(network.sessions).toEqual(['anonymous']);
    await network.tweets(['1'], context('anonymous'));
    expect(tokens).toEqual([undefined]);
  });
});
