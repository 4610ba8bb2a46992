import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ServiceError } from '../../../src/core/errors.js';
import type { ListRef, Tweet, User } from '../../../src/core/model.js';
import type { Found, ReadContext } from '../../../src/ports/network.js';
import { createEngine } from '../../support/engine.js';
import type { Misbehaviour, StandIn } from './harness.js';
import { fanOf, MANY, noteOf, postOf, WORLD } from './world.js';

const CONTEXT = (): ReadContext => ({ signal: AbortSignal.timeout(20_000) });

type Outcome = readonly [code: string, reason?: string | undefined];

const failed = (found: Found<unknown> | undefined): Outcome | 'found' =>
  found && 'fail' in found ? [found.fail.code, found.fail.detail.reason] : 'found';

const codeOf = (read: Promise<unknown>): Promise<string> =>
  read.then(
    () => 'answered',
    (error: ServiceError) => error.code,
  );

const failureOf = (read: Promise<unknown>): Promise<ServiceError> =>
  read.then(
    () => {
      throw new Error('It was answered.');
    },
    (error: ServiceError) => error,
  );

/** What every adapter keeps, over a stand-in that serves the same world in each network's words (networks.md, 7). */
export function networkSuite(name: string, open: () => Promise<StandIn>): void {
  describe(`${name}: the contract of all networks`, () => {
    let at: StandIn;
    beforeAll(async () => {
      at = await open();
    });
    afterEach(() => at.misbehave(null));
    afterAll(() => at?.close());

    const user = async (handle: string) => (await at.network.users([{ handle }], CONTEXT()))[0];
    const userById = async (id: string) => (await at.network.users([{ id }], CONTEXT()))[0];
    const tweet = async (id: string) => (await at.network.tweets([id], CONTEXT()))[0];
    const list = (kind: ListRef['kind'], subject: string, more: Partial<ListRef> = {}): ListRef => ({
      kind,
      subject,
      ...more,
    });
    const first = (ref: ListRef) => at.network.page(ref, null, CONTEXT());
    const idsOf = (page: { users?: readonly User[]; tweets?: readonly Tweet[] }): string[] =>
      [...(page.users ?? page.tweets ?? [])].map(({ id }) => id);
    const tweetIds = (...keys: string[]): string[] => keys.map((key) => at.tweetId(key));

    /** The whole list, as the engine cuts it: so many at a time, from an engine that holds nothing. */
    async function walk(ref: ListRef, first: number): Promise<string[]> {
      const engine = createEngine(at.network);
      const ids: string[] = [];
      let after: string | null = null;
      for (let pages = 0; pages < 400; pages += 1) {
        const { page } = await engine.page({ ...ref, first, after });
        ids.push(...page.nodes.map(({ id }) => id));
        after = page.endCursor;
        if (after === null) return ids;
      }
      throw new Error('The list does not end.');
    }

    describe('objects', () => {
      it('a profile by handle, in any case, and by id, whole (section 2)', async () => {
        const found = await user(at.handle('harbor').toUpperCase());
        expect(found).toMatchObject({
          ok: {
            id: at.userId('harbor'),
            handle: at.handle('harbor'),
            name: expect.stringContaining('harbor'),
            bio: 'Tides and ferries.',
            followersCount: MANY,
            createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          },
        });
        expect(await userById(at.userId('harbor'))).toEqual(found);
      });

      it('a tweet, whole: text, author with counts, references, pictures, tags, mentions, addresses', async () => {
        const found = await tweet(at.tweetId('rich'));
        expect(found).toMatchObject({
          ok: {
            id: at.tweetId('rich'),
            authorId: at.userId('cleo'),
            text: expect.stringContaining('picture of the'),
            createdAt: '2026-10-02T09:28:00.000Z',
            hashtags: ['harbour'],
            mentions: [at.handle('ada')],
            urls: ['https://example.org/ferries'],
            media: [{ type: 'photo', url: expect.stringContaining('harbour') }],
            author: { id: at.userId('cleo'), handle: at.handle('cleo'), tweetsCount: expect.any(Number) },
          },
        });
      });

      it('references: reply, quote, repost', async () => {
        const [answer, quoting, boost] = await Promise.all(
          ['answer', 'quoting', 'boost'].map((key) => tweet(at.tweetId(key))),
        );
        const question = at.tweetId('question');
        expect(answer).toMatchObject({
          ok: { inReplyToId: question, inReplyToUserId: at.userId('ada'), isReply: true },
        });
        expect(quoting).toMatchObject({ ok: { quotedId: question, isQuote: true } });
        expect(boost).toMatchObject({ ok: { retweetedId: question, isRetweet: true, authorId: at.userId('ben') } });
        if (boost && 'ok' in boost) expect(boost.ok.text).toContain(postOf(WORLD, 'question').text);
      });

      it('nobody and nothing are not_found, whichever way they are asked for', async () => {
        const { nobody } = at;
        const all = [await user(nobody.handle), await userById(nobody.userId), await tweet(nobody.tweetId)];
        for (const one of all) expect(failed(one)).toMatchObject(['not_found']);
      });

      it('what is deleted, suspended or private is not_found and never shown', async () => {
        for (const name of ['gone', 'banned'] as const) {
          if (name === 'banned' && at.cannot.includes('suspended')) continue;
          expect([name, failed(await user(at.handle(name)))]).toMatchObject([name, ['not_found']]);
        }
        expect(failed(await tweet(at.tweetId('removed')))).toMatchObject(['not_found']);
        if (!at.cannot.includes('private'))
          expect(failed(await tweet(at.tweetId('hidden')))).toMatchObject(['not_found']);
      });

      it('a full batch with some missing: one outcome per input, in order', async () => {
        const { batchSize } = at.network;
        const names = Array.from({ length: batchSize.users }, (_, n) => at.handle(fanOf(n)));
        const missing = [0, Math.floor(names.length / 2), names.length - 1];
        for (const index of missing) names[index] = `${at.nobody.handle}`;
        // Inputs are distinct: one nobody, and people who are gone.
        names[missing[1] ?? 0] = at.handle('gone');
        names[missing[2] ?? 0] = at.handle('harbor');
        const users = await at.network.users(
          names.map((handle) => ({ handle })),
          CONTEXT(),
        );
        expect(users.map((found) => ('ok' in found ? found.ok.handle : null))).toEqual(
          names.map((handle, index) => (missing.slice(0, 2).includes(index) ? null : handle)),
        );
        const ids = Array.from({ length: batchSize.tweets }, (_, n) => at.tweetId(noteOf(n)));
        ids[1] = at.tweetId('removed');
        const tweets = await at.network.tweets(ids, CONTEXT());
        expect(tweets.map((found) => ('ok' in found ? found.ok.id : null))).toEqual(
          ids.map((id, n) => (n === 1 ? null : id)),
        );
      });
    });

    describe('lists', () => {
      it.each([7, 50, 100])('a timeline of 250, walked by %i, gives each once, newest first (C11)', async (count) => {
        const ids = await walk(list('timeline', at.userId('harbor')), count);
        expect(ids).toEqual(Array.from({ length: MANY }, (_, n) => at.tweetId(noteOf(MANY - 1 - n))));
      });

      it('250 followers, walked by 7, are each there once, complete (M13)', async () => {
        const ids = await walk(list('followers', at.userId('harbor')), 7);
        expect(new Set(ids)).toEqual(new Set(Array.from({ length: MANY }, (_, n) => at.userId(fanOf(n)))));
        expect(ids).toHaveLength(MANY);
      });

      it('whom somebody follows', async () => {
        expect(await walk(list('following', at.userId('ben')), 20)).toEqual([at.userId('ada')]);
      });

      it('nothing: a page without items that leads nowhere (M4)', async () => {
        const page = await first(list('timeline', at.userId('quiet')));
        expect([idsOf(page), page.next]).toEqual([[], null]);
        expect(await walk(list('followers', at.userId('quiet')), 20)).toEqual([]);
      });

      it('of nobody is not_found; quotes and retweeters of nothing are empty (T6)', async () => {
        for (const kind of ['timeline', 'followers', 'following'] as const) {
          expect([kind, await codeOf(first(list(kind, at.nobody.userId)))]).toEqual([kind, 'not_found']);
        }
        for (const kind of ['thread', 'replies'] as const) {
          expect([kind, await codeOf(first(list(kind, at.nobody.tweetId)))]).toEqual([kind, 'not_found']);
        }
        for (const kind of ['quotes', 'retweeters'] as const) {
          if (kind === 'quotes' && at.cannot.includes('quotes')) continue;
          expect([kind, idsOf(await first(list(kind, at.nobody.tweetId)))]).toEqual([kind, []]);
        }
      });

      it('a thread: the asked-for one first, then those above, then what follows', async () => {
        const thread = await walk(list('thread', at.tweetId('question')), 20);
        expect(thread[0]).toBe(at.tweetId('question'));
        expect(new Set(thread)).toEqual(new Set(tweetIds('question', 'answer', 'other', 'nested')));
        const inside = await walk(list('thread', at.tweetId('answer')), 20);
        expect(inside.slice(0, 2)).toEqual(tweetIds('answer', 'question'));
        expect(inside).toContain(at.tweetId('nested'));
      });

      it('replies are the direct ones only', async () => {
        const replies = await walk(list('replies', at.tweetId('question')), 20);
        expect(new Set(replies)).toEqual(new Set(tweetIds('answer', 'other')));
      });

      it('quotes and retweeters', async () => {
        expect(await walk(list('retweeters', at.tweetId('question')), 20)).toEqual([at.userId('ben')]);
        if (at.cannot.includes('quotes')) return;
        expect(await walk(list('quotes', at.tweetId('question')), 20)).toEqual(tweetIds('quoting'));
      });

      it('a repost in a timeline is one item, with the whole text (M23)', async () => {
        const ids = await walk(list('timeline', at.userId('ben')), 20);
        expect(ids[0] === at.tweetId('quotingRemoved') || ids[0] === at.tweetId('boost')).toBe(true);
        expect(ids).toContain(at.tweetId('boost'));
      });

      it('a search finds, and an operator that cannot be said is refused by name, never dropped', async () => {
        if (!at.cannot.includes('search')) {
          const found = await walk(list('search', 'ferry', { product: 'Latest' }), 20);
          expect(found).toContain(at.tweetId('question'));
        }
        let said = '';
        try {
          at.network.checkQuery?.('ferry near:harbour', 'Latest');
        } catch (error) {
          said = (error as Error).message;
        }
        expect(said).toContain('near:');
      });
    });

    describe('pages that are not what was asked for', () => {
      const harbor = () => list('timeline', at.userId('harbor'));
      const newest = (count: number) => Array.from({ length: count }, (_, n) => at.tweetId(noteOf(MANY - 1 - n)));

      it('short ones: each item once, to the end', async () => {
        at.misbehave({ does: 'shortPages' });
        expect(await walk(harbor(), 50)).toEqual(newest(MANY));
      });

      it('overlapping ones: no item twice (C11)', async () => {
        at.misbehave({ does: 'overlap' });
        expect(await walk(harbor(), 50)).toEqual(newest(MANY));
      });

      it('a cursor that repeats ends the list (U22)', async () => {
        at.misbehave({ does: 'repeatCursor' });
        const ids = await walk(harbor(), 10);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids).toEqual(newest(ids.length));
      });
    });

    describe('an upstream that fails', () => {
      const reads: [string, () => Promise<unknown>][] = [
        ['a profile', () => at.network.users([{ handle: at.handle('harbor') }], CONTEXT())],
        ['a tweet', () => at.network.tweets([at.tweetId('question')], CONTEXT())],
        ['a timeline', () => first(list('timeline', at.userId('harbor')))],
        ['followers', () => first(list('followers', at.userId('harbor')))],
      ];
      /** What a read as a whole, or each of its inputs, failed with. */
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
      ])('%s ends in its code on every kind of read', async (_what, how, code) => {
        at.misbehave(how);
        for (const [what, read] of reads) {
          const found = await codes(read);
          expect([what, ...new Set(found)]).toEqual([what, code]);
        }
      });

      it('a 429 says for how long, in the dialect of the network (S2)', async () => {
        at.misbehave({ does: 'status', status: 429, retryAfterSeconds: 120 });
        const failure = await failureOf(first(list('timeline', at.userId('harbor'))));
        expect(failure.retryAfter).toBeGreaterThan(110);
        expect(failure.retryAfter).toBeLessThanOrEqual(121);
      });

      it('what is missing is named in the log, and nothing of the upstream is told to callers', async () => {
        at.misbehave({ does: 'mistype', field: 'id', as: 'missing' });
        const failure = await failureOf(first(list('timeline', at.userId('harbor'))));
        expect(failure.message).not.toMatch(/\bid\b|\buri\b|zod|http/i);
        expect(String((failure.detail.cause as Error | undefined)?.message)).toMatch(/\b(id|uri|did)\b/);
      });

      it('counters that no number holds are not passed on as if they were right', async () => {
        at.misbehave({ does: 'overflow' });
        const [found] = await at.network
          .users([{ handle: at.handle('harbor') }], CONTEXT())
          .catch((error) => [{ fail: error }]);
        if (found && 'ok' in found) expect(Number.isSafeInteger(found.ok.followersCount)).toBe(true);
        else expect(failed(found)).toMatchObject(['upstream_error']);
      });

      it('one that says nothing holds a read no longer than its signal', async () => {
        at.misbehave({ does: 'hang' });
        const startedAt = performance.now();
        const read = at.network.page(list('timeline', at.userId('harbor')), null, { signal: AbortSignal.timeout(400) });
        expect(await codeOf(read)).not.toBe('answered');
        expect(performance.now() - startedAt).toBeLessThan(5000);
        // What it would have said later is nobody's.
        await sleep(10);
      });

      it('and is well again when it is', async () => {
        at.misbehave({ does: 'status', status: 503 });
        await codeOf(first(list('timeline', at.userId('harbor'))));
        at.misbehave(null);
        expect(await codeOf(first(list('timeline', at.userId('harbor'))))).toBe('answered');
      });
    });

    it('says who it is (an identifying User-Agent)', async () => {
      await user(at.handle('harbor'));
      expect(at.lastHeaders()['user-agent']).toMatch(/^Perch\/0\.3\.0 \(.+\)$/);
    });

    it('sends no caller’s bytes as a cursor, and never more inputs than a call takes', async () => {
      for (const request of at.requests) expect(request.length).toBeLessThan(9000);
    });
  });
}
