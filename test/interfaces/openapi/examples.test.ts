import { describe, expect, it } from 'vitest';
import type { ApiResponse } from '../../../adapters/rest/openapi/types.js';
import { toThousandths } from '../../../src/domain/credits.js';
import { LIST_READS } from '../../../src/domain/lists.js';
import { createResponseValidator } from '../../kit/validate-response.js';
import { describedAt } from './subject.js';

const document = describedAt('https://perch.test');
const validate = createResponseValidator(document);

interface Paid {
  readonly items: number;
  readonly cache_hits?: number;
  readonly cache: string;
  readonly credits_charged: number;
  readonly balance_remaining: number;
  readonly data?: unknown;
  readonly estimate?: { max_items: number; unit: number; max_credits: number };
}

/** Endpoints that cost something: a profile and a tweet, batches of both by two methods, and every list. */
const PRICED = 2 + 4 + LIST_READS.length;

/** Headers that fit every request. */
const HEADERS = new Headers({
  RateLimit: 'limit=20, remaining=19, reset=1',
  'RateLimit-Policy': 'account; q=20; w=1',
  'X-Request-Id': '019e1d2a-7c40-7b53-9f11-2d6a8e4c0b97',
  'X-Credits-Charged': '0',
  'X-Credits-Remaining': '1000',
  'Retry-After': '1',
});

const shown = Object.entries(document.paths)
  .filter(([path]) => path.startsWith('/v1/'))
  .flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      Object.entries(operation.responses).flatMap(([status, ref]) => {
        const name = '$ref' in ref ? (ref.$ref.split('/').at(-1) ?? '') : '';
        const response: ApiResponse = '$ref' in ref ? (document.components.responses[name] as ApiResponse) : ref;
        return Object.entries(response.content ?? {}).flatMap(([type, media]) =>
          Object.entries(media.examples ?? {}).map(([name, { value }]) => ({
            ...{ method: method.toUpperCase(), path, status: Number(status), type, name, body: value },
            price: operation['x-price'],
          })),
        );
      }),
    ),
  );

describe('examples of the document', () => {
  it('exist for every endpoint and every failure', () => {
    expect(shown.length).toBeGreaterThan(200);
  });

  it('are answers that the document allows', () => {
    const faults = shown.flatMap(({ type, ...seen }) => validate({ ...seen, contentType: type, headers: HEADERS }));
    expect(faults).toEqual([]);
  });

  it('add up: items at their price, and the wallet after it (M3, M6)', () => {
    const paid = shown.filter(({ status, price, name }) => status === 200 && price && name === 'answer');
    expect(paid.length).toBe(PRICED);
    for (const { body, price, path } of paid) {
      const { items, credits_charged, balance_remaining, data, ...meta } = body as Paid;
      const held = meta.cache_hits ?? (meta.cache === 'hit' ? items : 0);
      const due = (items - held) * toThousandths(price?.credits ?? 0) + held * toThousandths(price?.hit ?? 0);
      expect([path, toThousandths(credits_charged)]).toEqual([path, due]);
      expect(toThousandths(balance_remaining)).toBe(1_000_000 - due);
      expect(Array.isArray(data) ? data.length : 1).toBe(items);
    }
  });

  it('estimate the highest cost of the request (M26)', () => {
    const estimates = shown.filter(({ name }) => name === 'estimate');
    expect(estimates.length).toBe(PRICED);
    for (const { body, price } of estimates) {
      const { estimate, credits_charged } = body as Paid;
      expect(credits_charged).toBe(0);
      expect(estimate?.unit).toBe(price?.credits);
      expect(toThousandths(estimate?.max_credits ?? 0)).toBe(
        (estimate?.max_items ?? 0) * toThousandths(price?.credits ?? 0),
      );
    }
  });
});

describe('the validator of answers', () => {
  const good = shown.find(({ path, status }) => path === '/v1/users/{handle}' && status === 200);
  const seen = { method: 'GET', path: '/v1/users/harbor_obs', status: 200, headers: HEADERS };
  const body = good?.body as { data: object };
  const json = 'application/json; charset=utf-8';

  it('accepts a correct answer', () => {
    expect(validate({ ...seen, contentType: json, body })).toEqual([]);
  });

  it.each([
    ['a missing member', { ...body, data: { ...body.data, handle: undefined } }, 'required'],
    ['a wrong type', { ...body, data: { ...body.data, followers: '3' } }, 'integer'],
    ['a member that is not documented', { ...body, data: { ...body.data, karma: 3 } }, 'unevaluated'],
  ])('finds %s', (_what, wrong, word) => {
    expect(validate({ ...seen, contentType: json, body: JSON.parse(JSON.stringify(wrong)) }).join()).toContain(word);
  });

  it('finds a status, a media type and a header that are not documented', () => {
    expect(validate({ ...seen, status: 418, contentType: json, body })).toHaveLength(1);
    expect(validate({ ...seen, contentType: 'text/plain', body: 'yes' })).toHaveLength(1);
    expect(validate({ ...seen, contentType: json, body, headers: new Headers() })).toHaveLength(5);
    expect(validate({ ...seen, path: '/v1/nothing', contentType: json, body })).toHaveLength(1);
  });

  it('finds a code that does not fit its status', () => {
    const wrong = {
      error: { code: 'bad_request', message: 'x' },
      request_id: HEADERS.get('x-request-id'),
      credits_charged: 0,
    };
    expect(validate({ ...seen, status: 404, contentType: json, body: wrong })).toHaveLength(1);
  });
});
