import { Headers } from 'undici';
import { describe, expect, it } from 'vitest';
import { defaultFailure } from '../../../adapters/networks/upstream/failures.js';
import {
  isOfInput,
  problemFailure,
  type RequestedInput,
  refusalFailure,
} from '../../../adapters/networks/x/problems.js';
import { problemSchema } from '../../../adapters/networks/x/schemas.js';
import { describeWithShared, listShared, readShared } from '../contract/shared.js';

const OBJECTS: RequestedInput = { kind: 'objects' };
const LIST: RequestedInput = { kind: 'list' };
const LATEST: RequestedInput = { kind: 'search', product: 'Latest' };
const OURS: RequestedInput = { kind: 'search', product: 'Latest', isOurs: true };
const BEGUN: RequestedInput = { kind: 'search', product: 'Latest', isBegun: true };
const TOP: RequestedInput = { kind: 'search', product: 'Top' };
const PEOPLE: RequestedInput = { kind: 'search', product: 'People' };

const problem = (type: string, rest: object = {}) => ({
  title: 'No',
  type: `https://api.x.com/2/problems/${type}`,
  ...rest,
});
const invalid = (...parameters: string[]) =>
  problem('invalid-request', {
    errors: [{ message: 'it is wrong here', parameters: Object.fromEntries(parameters.map((name) => [name, ['7']])) }],
  });

/** The outcome: code, reason, seconds to wait. */
function outcome(status: number, json: unknown, input: RequestedInput, remaining?: number): unknown[] {
  const limit = remaining === undefined ? undefined : { remaining, resetsInSeconds: 120 };
  const refusal = { status, headers: new Headers(), json, text: JSON.stringify(json) ?? '', limit };
  const { code, detail } = refusalFailure(refusal, input) ?? defaultFailure(refusal);
  return [code, detail.reason ?? detail.param, detail.retryAfter].filter((part) => part !== undefined);
}

describe('refusals of X', () => {
  const plain = (status: number) => ({ title: 'No', type: 'about:blank', status });
  const notEnrolled = problem('client-forbidden', { reason: 'client-not-enrolled' });

  it.each<[string, number, unknown, RequestedInput, unknown[], number?]>([
    ['a bad query', 400, invalid('query'), LATEST, ['bad_request', 'q']],
    ['a window it does not have', 400, invalid('start_time', 'end_time'), TOP, ['bad_request', 'q']],
    ['a query for people', 400, invalid('query'), PEOPLE, ['bad_request', 'q']],
    ['a cursor too old', 400, invalid('pagination_token'), LIST, ['bad_request', 'cursor_expired']],
    ['a cursor of a search too old', 400, invalid('next_token'), LATEST, ['bad_request', 'cursor_expired']],
    ['a parameter of ours', 400, invalid('max_results'), LATEST, ['request_rejected']],
    ['ids of ours', 400, invalid('ids'), OBJECTS, ['request_rejected']],
    ['no body', 400, undefined, LATEST, ['request_rejected']],
    ['a bad token', 401, plain(401), OBJECTS, ['no_account', 900]],
    ['no credits left', 402, problem('credits'), OBJECTS, ['no_account', 300]],
    ['no credits left, without a body', 402, undefined, LIST, ['no_account', 300]],
    ['not enrolled at all', 403, notEnrolled, OBJECTS, ['no_account', 900]],
    ['not enrolled for lists', 403, notEnrolled, LIST, ['access_denied', 'session']],
    ['not enrolled for search (P15)', 403, notEnrolled, LATEST, ['access_denied', 'session']],
    ['not enrolled for Top (P11)', 403, notEnrolled, TOP, ['product_unavailable']],
    ['People with an application’s token', 403, problem('unsupported-authentication'), PEOPLE, ['product_unavailable']],
    ['a spend cap', 403, { detail: 'Monthly spend cap reached for this billing cycle.' }, TOP, ['no_account', 3600]],
    ['forbidden, no more said', 403, undefined, LIST, ['access_denied', 'session']],
    ['no such object', 404, problem('resource-not-found'), OBJECTS, ['not_found']],
    ['one object that is private', 403, problem('not-authorized-for-resource'), OBJECTS, ['not_found', 'private']],
    ['one list that is private', 403, problem('not-authorized-for-resource'), LIST, ['not_found', 'private']],
    ['one object that is withheld', 403, problem('disallowed-resource'), OBJECTS, ['not_found', 'withheld']],
    ['one object that is not there', 403, problem('resource-not-found'), LIST, ['not_found']],
    ['one object that is private', 404, problem('not-authorized-for-resource'), LIST, ['not_found', 'private']],
    ['a fault in a query of ours', 400, invalid('query', 'start_time'), OURS, ['request_rejected']],
    [
      'a range that became too old while a search was read',
      400,
      invalid('start_time'),
      BEGUN,
      ['bad_request', 'cursor_expired'],
    ],
    [
      'the same in a search of ours',
      400,
      invalid('since_id'),
      { ...OURS, isBegun: true },
      ['bad_request', 'cursor_expired'],
    ],
    ['a bad query after the first page', 400, invalid('query'), BEGUN, ['bad_request', 'q']],
    ['a cursor too old in a search of ours', 400, invalid('next_token'), OURS, ['bad_request', 'cursor_expired']],
    ['no such path', 404, undefined, OBJECTS, ['query_id_stale']],
    [
      'the window is used up',
      429,
      { errors: [{ code: 88, message: 'Rate limit exceeded' }] },
      LIST,
      ['upstream_rate_limited', 120],
      0,
    ],
    ['too many in a second', 429, plain(429), LATEST, ['upstream_rate_limited', 5], 280],
    ['too many, no more said', 429, plain(429), LATEST, ['upstream_rate_limited']],
    ['the month is used up', 429, problem('usage-capped'), OBJECTS, ['no_account', 3600], 100],
    ['out of order', 503, plain(503), OBJECTS, ['upstream_error']],
  ])('%s: %i', (_, status, body, input, expected, remaining) => {
    expect(outcome(status, body, input, remaining)).toEqual(expected);
  });
});

describe('problems in an answer with 200', () => {
  it.each<[string, string, string, unknown]>([
    ['resource-not-found', 'Could not find user with usernames: [a].', 'not_found', undefined],
    ['resource-not-found', 'User has been suspended: [a].', 'not_found', 'suspended'],
    ['not-authorized-for-resource', 'Sorry, you are not authorized to see the Tweet', 'not_found', 'private'],
    ['disallowed-resource', 'No.', 'not_found', 'withheld'],
    ['resource-unavailable', 'No.', 'not_found', 'unavailable'],
    ['field-hydration-failure', 'A fault.', 'upstream_error', undefined],
  ])('%s, "%s": %s', (type, detail, code, reason) => {
    for (const host of ['https://api.x.com', 'https://api.twitter.com']) {
      const found = problemFailure(problemSchema.parse({ type: `${host}/2/problems/${type}`, detail }), 'user');
      expect([found.code, found.detail.reason]).toEqual([code, reason]);
    }
  });

  it.each([
    ['user', 'This account is protected.'],
    ['tweet', 'The tweet is private: its author is protected.'],
    ['object', 'This is private: the account is protected.'],
  ] as const)('mean a private %s: "%s"', (what, message) => {
    const problem = { type: 'https://api.x.com/2/problems/not-authorized-for-resource', detail: 'No.' };
    expect(problemFailure(problemSchema.parse(problem), what).message).toBe(message);
  });

  it.each([
    [{ parameter: 'ids' }, true],
    [{ parameter: 'usernames', section: 'data' }, true],
    [{ parameter: 'id' }, true],
    [{ parameter: 'referenced_tweets.id' }, false],
    [{ parameter: 'pinned_tweet_id' }, false],
    [{ parameter: 'entities.mentions.username', section: 'includes' }, false],
    [{ parameter: 'ids', section: 'includes' }, false],
    [{}, false],
  ])('attribute %j to what was requested: %s', (each, expected) => {
    expect(isOfInput(problemSchema.parse(each))).toBe(expected);
  });
});

interface Recorded {
  readonly case: string;
  readonly status: number;
  readonly body: { errors?: unknown[] };
}

describeWithShared('contracts/x-api-v2', 'error bodies that X has sent', () => {
  const recorded = readShared('contracts/x-api-v2/errors.json') as Recorded[];
  const EXPECTED: Readonly<Record<string, unknown>> = {
    'single lookup, no such user': [['not_found']],
    'single lookup, suspended user': [['not_found', 'suspended']],
    'batch lookup, one private and one missing': [['not_found', 'private'], ['not_found']],
    'a referenced tweet is not visible (do not treat as failure of the read)': [],
    'bad token': ['no_account', 900],
    'no credits left in the developer account': ['no_account', 300],
    'app not enrolled for the endpoint': ['access_denied', 'session'],
    'monthly spend cap reached': ['no_account', 3600],
    'invalid request': ['request_rejected'],
    'rate limit, documented body': ['upstream_rate_limited', 120],
    'rate limit, problem body (accept both)': ['upstream_rate_limited', 120],
    'usage cap': ['no_account', 3600],
  };

  it.each(recorded.map((each) => [each.case, each] as const))('%s', (name, { status, body }) => {
    const ofInputs = () =>
      (body.errors ?? [])
        .map((each) => problemSchema.parse(each))
        .filter(isOfInput)
        .map((each) => problemFailure(each, 'user'))
        .map(({ code, detail: { reason } }) => (reason === undefined ? [code] : [code, reason]));
    expect(status === 200 ? ofInputs() : outcome(status, body, LIST, 0)).toEqual(EXPECTED[name]);
  });
});

describeWithShared('payloads/v2', 'refusals that X has sent', () => {
  it.each([
    ['client-not-enrolled.2021.403.json', LIST, ['access_denied', 'session']],
    ['client-not-enrolled.403.json', OBJECTS, ['no_account', 900]],
    ['search-all.invalid-start-time.400.json', LATEST, ['bad_request', 'q']],
    ['search-all.unauthorized.401.json', LATEST, ['no_account', 900]],
    ['too-many-requests.429.json', LIST, ['upstream_rate_limited', 120]],
    ['usage-cap-exceeded.429.json', OBJECTS, ['no_account', 3600]],
    ['users.invalid-ids.400.json', OBJECTS, ['request_rejected']],
  ] as const)('%s', (file, input, expected) => {
    const status = Number(/\.(\d{3})\.json$/.exec(file)?.[1]);
    expect(outcome(status, readShared(`payloads/v2/${file}`), input, 0)).toEqual(expected);
  });

  it('and has no others', () => {
    const others = listShared('payloads/v2').filter((file) => !file.includes('.200.'));
    // The seven above, and an HTML page for a path that does not exist.
    expect(others).toHaveLength(8);
    expect(outcome(404, undefined, OBJECTS)).toEqual(['query_id_stale']);
  });
});
