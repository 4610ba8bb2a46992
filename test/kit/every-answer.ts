import { expect } from 'vitest';
import { openapiDocument } from '../../adapters/rest/openapi/document.js';
import { ROUTES } from '../../adapters/rest/routes.js';
import { schema } from '../../schema/index.js';
import { readOperations } from '../../schema/operations.js';
import { ERROR_CODES, type ErrorCode } from '../../src/domain/errors.js';
import type { Reply } from './client.js';
import { validateResponse } from './validate-response.js';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const POLICY = /^(account|public); q=\d+; w=1$/;
const RATE = /^limit=\d+, remaining=\d+, reset=\d+$/;
/** Statuses that a code can have besides its usual one (S9, P13). */
const OTHER_STATUSES = [405, 413, 414, 415, 431];

const BASE_URL = 'https://perch.test';
const DOCUMENT = openapiDocument({ schema, operations: readOperations(), baseUrl: BASE_URL, authUrl: BASE_URL });
const PATHS = ROUTES.map(({ method, path }) => ({
  method,
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
}));

/** Checks the rules that every answer of `/v1` obeys (sections 1, 2, 7 and 8.1.5; S10, H6, H8, H9, M3). */
export function checkEveryAnswer(reply: Reply): void {
  if (!reply.path.startsWith('/v1') || reply.text === '') return;
  const { status, headers, body } = reply;
  expect(headers.get('x-request-id')).toMatch(UUID_V7);
  expect(headers.get('ratelimit-policy')).toMatch(POLICY);
  expect(headers.get('cache-control')).toBe('private, no-store');
  const rate = headers.get('ratelimit');
  if (rate !== null) expect(rate).toMatch(RATE);
  if (status === 200) checkSuccess(reply);
  else checkFailure(reply);
  expect(body.request_id).toBe(headers.get('x-request-id'));
  // Unknown members are absent, never null (C16, T10).
  expect(reply.text).not.toContain(':null');
  checkDocumented(reply);
}

/** An endpoint answers nothing that the OpenAPI document does not describe (section 9.5). */
function checkDocumented(reply: Reply): void {
  const [path = ''] = reply.path.split('?');
  // A path that cannot be decoded is not one of Perch, whatever it looks like.
  if (path.includes('%zz')) return;
  if (!PATHS.some(({ method, pattern }) => method === reply.method && pattern.test(path))) return;
  const contentType = reply.headers.get('content-type');
  expect(validateResponse(DOCUMENT, { ...reply, path, contentType })).toEqual([]);
}

function checkSuccess({ headers, body, text }: Reply): void {
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(headers.get('ratelimit')).not.toBeNull();
  expect(['miss', 'hit', 'mixed', 'bypass']).toContain(body.cache);
  expect(headers.get('x-credits-charged')).toBe(String(body.credits_charged));
  expect(headers.get('x-credits-remaining')).toBe(String(body.balance_remaining));
  expect(body.balance_remaining).toBeGreaterThanOrEqual(0);
  for (const amount of text.matchAll(/"(?:credits_charged|balance_remaining|balance)":([^,}]+)/g)) {
    expect(amount[1]).toMatch(/^\d+(\.\d{1,3})?$/);
  }
  if (Array.isArray(body.data) && body.items !== undefined) expect(body.data).toHaveLength(body.items);
  if (body.items === 0) expect(body.credits_charged).toBe(0);
}

function checkFailure({ status, headers, body }: Reply): void {
  const code = body.error.code as ErrorCode;
  expect(Object.keys(ERROR_CODES)).toContain(code);
  expect([ERROR_CODES[code].status, ...OTHER_STATUSES]).toContain(status);
  expect(body.error.message).toMatch(/[.?!…]$/);
  expect(body.error.doc_url).toMatch(new RegExp(`^http://.+/problems/${code}$`));
  const isUnknown = body.error.reason === 'charge_unknown';
  expect(body.credits_charged).toBe(isUnknown ? undefined : 0);
  expect(headers.get('x-credits-charged')).toBe(isUnknown ? null : '0');
  const wait = headers.get('retry-after');
  expect(wait === null ? undefined : Number(wait)).toBe(body.error.retry_after);
  if (wait !== null) expect(wait).toMatch(/^[1-9]\d*$/);
  if (status === 429) expect(wait).not.toBeNull();
}
