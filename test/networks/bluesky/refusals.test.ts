import { describe, expect, it } from 'vitest';
import { userId } from '../../../adapters/networks/bluesky/ids.js';
import { asServiceError, type ServiceError } from '../../../src/domain/errors.js';
import { ADA, bench, CONTEXT } from './bench.js';

const { open, page } = bench();

describe('errors from Bluesky', () => {
  const failed = (read: Promise<unknown>): Promise<ServiceError> =>
    read.then(
      () => {
        throw new Error('It was answered.');
      },
      (error) => asServiceError(error),
    );

  it.each<[number, string, string, string]>([
    [400, 'InvalidRequest', 'Profile not found', 'not_found'],
    [400, 'InvalidRequest', 'Actor not found: did:plc:a', 'not_found'],
    [400, 'AccountDeactivated', 'Account is deactivated', 'not_found'],
    [400, 'AccountTakedown', 'Account has been suspended', 'not_found'],
    [400, 'NotFound', 'Post not found: at://x', 'not_found'],
    [400, 'RecordNotFound', 'Could not locate record: at://x', 'not_found'],
    [400, 'BlockedActor', 'Requester has blocked actor', 'access_denied'],
    [400, 'BlockedByActor', 'Requester is blocked by actor', 'access_denied'],
    [400, 'InvalidRequest', 'Invalid app.bsky.feed.getPosts params: array too big', 'request_rejected'],
    [400, 'SomethingNew', 'Who knows', 'request_rejected'],
    [400, 'InvalidToken', 'Bad token scope', 'no_account'],
    [401, 'AuthMissing', 'Authentication Required', 'no_account'],
    [401, 'AuthenticationRequired', 'Authentication Required', 'no_account'],
    [403, 'Forbidden', 'No', 'upstream_error'],
    [404, 'XRPCNotSupported', 'XRPCNotSupported', 'query_id_stale'],
    [501, 'MethodNotImplemented', 'Method Not Implemented', 'query_id_stale'],
    [429, 'RateLimitExceeded', 'Rate Limit Exceeded', 'upstream_rate_limited'],
    [500, 'InternalServerError', 'Internal Server Error', 'upstream_error'],
    [502, 'UpstreamFailure', 'Upstream Failure', 'upstream_error'],
    [503, 'NotEnoughResources', 'Not Enough Resources', 'upstream_error'],
    [504, 'UpstreamTimeout', 'Upstream Timeout', 'upstream_error'],
  ])('%i %s “%s” is %s', async (status, error, message, code) => {
    await open({ 'app.bsky.graph.getFollowers': () => ({ status, body: { error, message } }) });
    const failure = await failed(page('followers', userId(ADA)));
    expect(failure.code).toBe(code);
    expect(failure.message).not.toContain(message);
    expect(String((failure.detail.cause as Error).message)).toContain(error);
  });

  it('a redirect is not followed', async () => {
    const headers = { location: 'https://elsewhere.example/' };
    await open({ 'app.bsky.graph.getFollowers': () => ({ status: 302, body: '', headers }) });
    expect((await failed(page('followers', userId(ADA)))).code).toBe('upstream_error');
  });

  it('report the remaining calls with their reset in Unix seconds', async () => {
    const reset = Math.floor(Date.now() / 1000) + 100;
    const headers = { 'RateLimit-Limit': '3000', 'RateLimit-Remaining': '7', 'RateLimit-Reset': String(reset) };
    await open({ 'app.bsky.feed.getAuthorFeed': () => ({ body: { feed: [] }, headers }) });
    const limits: { remaining: number; resetsInSeconds: number }[] = [];
    await page('timeline', userId(ADA), null, { ...CONTEXT(), observe: (limit) => limits.push(limit) });
    expect(limits).toEqual([{ remaining: 7, resetsInSeconds: expect.any(Number) }]);
    expect(Math.abs((limits[0]?.resetsInSeconds ?? 0) - 100)).toBeLessThan(10);
  });
});
