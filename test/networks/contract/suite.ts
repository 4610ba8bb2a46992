import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { hasSince, LIST_KINDS, LISTS, type ListRef } from '../../../src/domain/lists.js';
import type { Tweet, User } from '../../../src/domain/model.js';
import type { Billed, NetworkPage } from '../../../src/ports/network.js';
import { createEngine } from '../../kit/engine.js';
import { failuresSuite } from './failures.suite.js';
import type { StandIn } from './harness.js';
import { CONTEXT, codeOf, failed, list } from './outcomes.js';
import { fanOf, LATER, LATER_FROM, laterOf, MANY, noteOf, postOf, QUIET_FROM, setLater, WORLD } from './world.js';

/** What every adapter must do, over a stand-in that serves the same world in each network's terms. */
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
    const first = (ref: ListRef) => at.network.page(ref, null, CONTEXT());
    const idsOf = (page: { users?: readonly User[]; tweets?: readonly Tweet[] }): string[] =>
      [...(page.users ?? page.tweets ?? [])].map(({ id }) => id);
    const tweetIds = (...keys: string[]): string[] => keys.map((key) => at.tweetId(key));

    /** The whole list, read in pages of `count` by an engine with an empty cache. */
    async function walk(ref: ListRef, count: number): Promise<string[]> {
      const engine = createEngine(at.network);
      const ids: string[] = [];
      let after: string | null = null;
      for (let pages = 0; pages < 400; pages += 1) {
        const { page } = await engine.page({ ...ref, count, after });
        ids.push(...page.nodes.map(({ id }) => id));
        after = page.endCursor;
        if (after === null) return ids;
      }
      throw new Error('The list does not end.');
    }

    describe('objects', () => {
      it('return a whole profile by handle, in any case, and by id (section 2)', async () => {
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

      it('return a whole tweet: text, author with counts, references, pictures, tags, mentions, addresses', async () => {
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

      it('have references: reply, quote, repost', async () => {
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

      it('are not_found if unknown, by handle and by id', async () => {
        const { nobody } = at;
        const all = [await user(nobody.handle), await userById(nobody.userId), await tweet(nobody.tweetId)];
        for (const one of all) expect(failed(one)).toBe('not_found');
      });

      it('are not_found if deleted, suspended or private', async () => {
        for (const name of ['gone', 'banned'] as const) {
          if (name === 'banned' && at.cannot.includes('suspended')) continue;
          expect([name, failed(await user(at.handle(name)))]).toEqual([name, 'not_found']);
        }
        expect(failed(await tweet(at.tweetId('removed')))).toBe('not_found');
        if (!at.cannot.includes('private')) expect(failed(await tweet(at.tweetId('hidden')))).toBe('not_found');
      });

      it('fill a full batch with some missing: one outcome per input, in order', async () => {
        const { batchSize } = at.network;
        const names = Array.from({ length: batchSize.users }, (_, n) => at.handle(fanOf(n)));
        // Inputs are distinct: one that does not exist, and one that is deleted. Some networks accept a single input.
        names[names.length - 1] = at.handle('harbor');
        names[Math.floor(names.length / 2)] = at.handle('gone');
        names[0] = at.nobody.handle;
        const missing = new Set([at.nobody.handle, at.handle('gone')]);
        const users = await at.network.users(
          names.map((handle) => ({ handle })),
          CONTEXT(),
        );
        expect(users.map((found) => ('ok' in found ? found.ok.handle : null))).toEqual(
          names.map((handle) => (missing.has(handle) ? null : handle)),
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
      it.each([7, 50, 100])('return a timeline of 250, walked by %i, once each, newest first (C11)', async (count) => {
        const ids = await walk(list('timeline', at.userId('harbor')), count);
        expect(ids).toEqual(Array.from({ length: MANY }, (_, n) => at.tweetId(noteOf(MANY - 1 - n))));
      });

      it('return 250 followers, walked by 7, once each and complete (M13)', async () => {
        const ids = await walk(list('followers', at.userId('harbor')), 7);
        expect(new Set(ids)).toEqual(new Set(Array.from({ length: MANY }, (_, n) => at.userId(fanOf(n)))));
        expect(ids).toHaveLength(MANY);
      });

      it('return the accounts that a user follows', async () => {
        expect(await walk(list('following', at.userId('ben')), 20)).toEqual([at.userId('ada')]);
      });

      it('return a page without items and without a next one for an empty list (M4)', async () => {
        const page = await first(list('timeline', at.userId('quiet')));
        expect([idsOf(page), page.next]).toEqual([[], null]);
        expect(await walk(list('followers', at.userId('quiet')), 20)).toEqual([]);
      });

      it('are not_found for an unknown user, and empty for quotes and retweeters of an unknown tweet (T6)', async () => {
        for (const kind of LIST_KINDS) {
          const { subject, withoutSubject } = LISTS[kind];
          if (subject === 'query' || !at.network.lists[kind] || at.cannot.some((what) => what === kind)) continue;
          const page = first(list(kind, subject === 'user' ? at.nobody.userId : at.nobody.tweetId));
          if (withoutSubject === 'not_found') expect([kind, await codeOf(page)]).toEqual([kind, 'not_found']);
          else expect([kind, idsOf(await page)]).toEqual([kind, []]);
        }
      });

      it('are refused without a request if the network does not have them', async () => {
        const before = at.requests.length;
        for (const kind of LIST_KINDS) {
          if (at.network.lists[kind]) continue;
          expect([kind, await codeOf(first(list(kind, at.nobody.userId)))]).toEqual([kind, 'access_denied']);
        }
        expect(at.requests.length).toBe(before);
      });

      it('return a thread as the requested tweet, its ancestors, then its replies', async () => {
        const thread = await walk(list('thread', at.tweetId('question')), 20);
        expect(thread[0]).toBe(at.tweetId('question'));
        expect(new Set(thread)).toEqual(new Set(tweetIds('question', 'answer', 'other', 'nested')));
        const inside = await walk(list('thread', at.tweetId('answer')), 20);
        expect(inside.slice(0, 2)).toEqual(tweetIds('answer', 'question'));
        expect(inside).toContain(at.tweetId('nested'));
      });

      it('return only direct replies', async () => {
        const replies = await walk(list('replies', at.tweetId('question')), 20);
        expect(new Set(replies)).toEqual(new Set(tweetIds('answer', 'other')));
      });

      it('quotes and retweeters', async () => {
        expect(await walk(list('retweeters', at.tweetId('question')), 20)).toEqual([at.userId('ben')]);
        if (at.cannot.includes('quotes')) return;
        expect(await walk(list('quotes', at.tweetId('question')), 20)).toEqual(tweetIds('quoting'));
      });

      it('return a repost in a timeline as one item, with the whole text (M23)', async () => {
        const ids = await walk(list('timeline', at.userId('ben')), 20);
        expect(ids[0] === at.tweetId('quotingRemoved') || ids[0] === at.tweetId('boost')).toBe(true);
        expect(ids).toContain(at.tweetId('boost'));
      });

      it('return the results of a search; an operator that cannot be translated is refused by name, never dropped', async () => {
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

    describe('new items', () => {
      afterEach(() => setLater(false));

      /** Lists ordered by time, each with a subject to which the later posts belong. */
      const watched = LIST_KINDS.filter((kind) => hasSince({ kind })).map((kind) => {
        const of = { user: () => at.userId('cleo'), tweet: () => at.tweetId('question'), query: () => 'ferry' };
        return [kind, of[LISTS[kind].subject]] as const;
      });

      it.each(watched)('are returned once, oldest first, and none if none came: %s', async (kind, subject) => {
        if (!at.network.lists[kind] || at.cannot.some((what) => what === kind)) return;
        const engine = createEngine(at.network);
        engine.clock.nowMs = QUIET_FROM;
        const readSince = async (since: string | null) => {
          const read = { kind, subject: subject(), count: 2, since };
          const { page, charge } = await engine.page(kind === 'search' ? { ...read, product: 'Latest' } : read);
          expect([page.gap, charge.amount > 0]).toEqual([since === null ? null : false, page.nodes.length > 0]);
          return { ids: page.nodes.map(({ id }) => id), since: page.sinceCursor(), hasNewer: page.hasNewer };
        };
        const first = await readSince(null);
        expect(first.since).toMatch(/^[A-Za-z0-9_-]{1,511}$/);
        engine.drop();
        const quiet = await readSince(first.since);
        expect(quiet).toMatchObject({ ids: [], hasNewer: false });
        setLater(true);
        engine.clock.nowMs = LATER_FROM;
        engine.drop();
        const second = await readSince(quiet.since);
        const third = await readSince(second.since);
        const fourth = await readSince(third.since);
        const later = Array.from({ length: LATER }, (_, n) => at.tweetId(laterOf(n)));
        expect([second.ids, third.ids, fourth.ids]).toEqual([later.slice(0, 2), later.slice(2, 4), later.slice(4)]);
        expect([second.hasNewer, third.hasNewer, fourth.hasNewer]).toEqual([true, true, false]);
        engine.drop();
        expect(await readSince(fourth.since)).toMatchObject({ ids: [], hasNewer: false });
      });
    });

    describe('pages that differ from the request', () => {
      const harbor = () => list('timeline', at.userId('harbor'));
      const newest = (count: number) => Array.from({ length: count }, (_, n) => at.tweetId(noteOf(MANY - 1 - n)));

      it('give each item once, to the end, if they are short', async () => {
        at.misbehave({ does: 'shortPages' });
        expect(await walk(harbor(), 50)).toEqual(newest(MANY));
      });

      it('give no item twice if they overlap (C11)', async () => {
        at.misbehave({ does: 'overlap' });
        expect(await walk(harbor(), 50)).toEqual(newest(MANY));
      });

      it('end the list if a cursor repeats (U22)', async () => {
        at.misbehave({ does: 'repeatCursor' });
        const ids = await walk(harbor(), 10);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids).toEqual(newest(ids.length));
      });
    });

    describe('billed items', () => {
      /** The whole list, as the adapter returns it in pages of this many items. */
      async function walkBy(ref: ListRef, want: number | undefined): Promise<string[]> {
        const ids: string[] = [];
        let token: string | null = null;
        do {
          const page: NetworkPage = await at.network.page(ref, token, CONTEXT(), want);
          ids.push(...idsOf(page));
          token = page.next;
        } while (token !== null);
        return ids;
      }

      it('are reported for each call, and only with a price list', async () => {
        const reported: Billed[] = [];
        await at.network.users([{ handle: at.handle('harbor') }], {
          ...CONTEXT(),
          onBilled: (each) => reported.push(each),
        });
        expect(reported).toEqual(at.network.billing ? [{ kind: 'user', items: 1 }] : []);
      });

      it('depend on how many items are wanted, while the items and their order do not', async () => {
        if (at.network.billing?.per !== 'item') return;
        for (const kind of LIST_KINDS) {
          if (!at.network.lists[kind]) continue;
          const { subject } = LISTS[kind];
          const of = { user: at.userId('harbor'), tweet: at.tweetId('question'), query: 'tide' }[subject];
          const whole = await walkBy(list(kind, of), undefined);
          for (const want of [1, 30, 1000])
            expect([kind, want, await walkBy(list(kind, of), want)]).toEqual([kind, want, whole]);
        }
      });
    });

    failuresSuite(() => at);

    it('sends an identifying User-Agent', async () => {
      await user(at.handle('harbor'));
      expect(at.lastHeaders()['user-agent']).toMatch(/^Perch\/0\.3\.0 \(.+\)$/);
    });

    it('sends no caller’s bytes as a cursor, and never more inputs than a call takes', async () => {
      for (const request of at.requests) expect(request.length).toBeLessThan(9000);
    });
  });
}
