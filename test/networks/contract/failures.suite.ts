import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ServiceError } from '../../../src/domain/errors.js';
import type { Found } from '../../../src/ports/network.js';
import type { Misbehaviour, StandIn } from './harness.js';
import { CONTEXT, codeOf, failed, failureOf, list } from './outcomes.js';

/** A failing upstream results in the documented code, free, within the deadline. */
export function failuresSuite(at: () => StandIn): void {
  const first = (ref: Parameters<StandIn['network']['page']>[0]) => at().network.page(ref, null, CONTEXT());

  describe('a failing upstream', () => {
    const reads: [string, () => Promise<unknown>][] = [
      ['a profile', () => at().network.users([{ handle: at().handle('harbor') }], CONTEXT())],
      ['a tweet', () => at().network.tweets([at().tweetId('question')], CONTEXT())],
      ['a timeline', () => first(list('timeline', at().userId('harbor')))],
      ['followers', () => first(list('followers', at().userId('harbor')))],
    ];
    /** The codes with which a read, or each of its inputs, failed. */
    const codes = async (read: () => Promise<unknown>): Promise<string[]> => {
      try {
        const answer = await read();
        if (!Array.isArray(answer)) return ['answered'];
        return answer.map((found: Found<unknown>) => ('fail' in found ? found.fail.code : 'answered'));
      } catch (error) {
        return [(error as ServiceError).code];
      }
    };

    it.each<[string, Misbehaviour, string]>([
      ['500', { does: 'status', status: 500 }, 'upstream_error'],
      ['502', { does: 'status', status: 502 }, 'upstream_error'],
      ['503', { does: 'status', status: 503 }, 'upstream_error'],
      ['401', { does: 'status', status: 401 }, 'no_account'],
      ['429', { does: 'status', status: 429, retryAfterSeconds: 120 }, 'upstream_rate_limited'],
      ['a page of HTML with 200', { does: 'html', status: 200 }, 'upstream_error'],
      ['a page of HTML with 502', { does: 'html', status: 502 }, 'upstream_error'],
      ['a body cut short', { does: 'truncate' }, 'upstream_error'],
      ['no JSON', { does: 'garbage', body: '{"data": [' }, 'upstream_error'],
      ['JSON that is no object', { does: 'garbage', body: '"hello"' }, 'upstream_error'],
      ['null', { does: 'garbage', body: 'null' }, 'upstream_error'],
      ['objects without an id', { does: 'mistype', field: 'id', as: 'missing' }, 'upstream_error'],
      ['a date that is a number', { does: 'mistype', field: 'createdAt', as: 'number' }, 'upstream_error'],
      ['a connection that is reset', { does: 'reset' }, 'upstream_error'],
    ])('%s: gives its code on every kind of read', async (_what, how, code) => {
      at().misbehave(how);
      for (const [what, read] of reads) {
        const found = await codes(read);
        expect([what, ...new Set(found)]).toEqual([what, code]);
      }
    });

    it('says how long a 429 lasts, in the dialect of the network (S2)', async () => {
      at().misbehave({ does: 'status', status: 429, retryAfterSeconds: 120 });
      const failure = await failureOf(first(list('timeline', at().userId('harbor'))));
      expect(failure.retryAfter).toBeGreaterThan(110);
      expect(failure.retryAfter).toBeLessThanOrEqual(121);
    });

    it('logs the missing field, and reveals nothing of the upstream to callers', async () => {
      at().misbehave({ does: 'mistype', field: 'id', as: 'missing' });
      const failure = await failureOf(first(list('timeline', at().userId('harbor'))));
      expect(failure.message).not.toMatch(/\bid\b|\buri\b|zod|http/i);
      expect(String((failure.detail.cause as Error | undefined)?.message)).toMatch(/\b(id|uri|did)\b/);
    });

    it('does not have oversized counters passed on as if they were right', async () => {
      at().misbehave({ does: 'overflow' });
      const [found] = await at()
        .network.users([{ handle: at().handle('harbor') }], CONTEXT())
        .catch((error) => [{ fail: error }]);
      if (found && 'ok' in found) expect(found.ok.followersCount).toBeUndefined();
      else expect(failed(found)).toBe('upstream_error');
    });

    it('holds a read no longer than its signal if it says nothing', async () => {
      at().misbehave({ does: 'hang' });
      const startedAt = performance.now();
      const read = at().network.page(list('timeline', at().userId('harbor')), null, {
        signal: AbortSignal.timeout(400),
      });
      expect(await codeOf(read)).not.toBe('answered');
      expect(performance.now() - startedAt).toBeLessThan(5000);
      // What it would have said later reaches no caller.
      await sleep(10);
    });

    it('is read again once it is well', async () => {
      at().misbehave({ does: 'status', status: 503 });
      await codeOf(first(list('timeline', at().userId('harbor'))));
      at().misbehave(null);
      expect(await codeOf(first(list('timeline', at().userId('harbor'))))).toBe('answered');
    });
  });
}
