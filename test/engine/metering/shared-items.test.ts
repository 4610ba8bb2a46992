/** Whatever is delivered is paid for, once, whatever else of the operation fails (M32). */
import fc from 'fast-check';
import { execute, type GraphQLError, parse } from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '../../../schema/index.js';
import { toCredits } from '../../../src/domain/credits.js';
import type { Charge } from '../../../src/metering/receipt.js';
import type { Network } from '../../../src/ports/network.js';
import { createEngine } from '../../kit/engine.js';
import { upstreamFault } from '../../kit/networks/faults.js';
import { createScriptedNetwork, range } from '../../kit/networks/scripted-network.js';

const ids = fc.integer({ min: 11, max: 18 }).map(String);
const first = fc.integer({ min: 1, max: 8 });
const fresh = fc.constantFrom('', ', fresh: true');

/** A tweet field that delivers more objects. Names are added later, so that each field has its own. */
const nested = fc.letrec<{ tweet: string }>((tie) => ({
  tweet: fc.oneof(
    { maxDepth: 2 },
    fc.constant('{ id }'),
    fc.tuple(fc.constantFrom('quoted', 'retweeted'), tie('tweet')).map(([name, of]) => `{ id ?: ${name} ${of} }`),
    fc.tuple(first, tie('tweet')).map(([n, of]) => `{ id ?: replies(first: ${n}) ${pageOf(of)} }`),
  ),
})).tweet;

const pageOf = (tweet: string): string => `{ nodes ${tweet} meta { items creditsCharged } }`;

const fields = fc.oneof(
  fc.tuple(first, fresh, nested).map(([n, how, of]) => `timeline(user: "1", first: ${n}${how}) ${pageOf(of)}`),
  fc.tuple(first, nested).map(([n, of]) => `search(q: "a", first: ${n}) ${pageOf(`{ ... on Tweet ${of} }`)}`),
  fc.tuple(ids, fresh, nested).map(([id, how, of]) => `tweet(id: "${id}"${how}) ${of}`),
  fc.tuple(fc.array(ids, { minLength: 1, maxLength: 4 }), nested).map(([of, tweet]) => {
    return `tweets(ids: ${JSON.stringify(of)}) { nodes ${tweet} meta { items creditsCharged } }`;
  }),
  first.map((n) => `followers(user: "1", first: ${n}) { nodes { id handle } meta { items creditsCharged } }`),
  fc.constantFrom('2', '3', '4').map((id) => `user(id: "${id}") { id handle }`),
);

const operations = fc.array(fields, { minLength: 2, maxLength: 5 }).map((all) => {
  const [start = '', ...parts] = `{ ${all.map((field) => `?: ${field}`).join(' ')} }`.split('?');
  return parts.reduce((text, part, nth) => `${text}f${nth}${part}`, start);
});

/** The network's calls in order: how many turns each takes, and whether it fails. */
const calls = fc.array(fc.record({ turns: fc.nat(6), fails: fc.boolean() }), { minLength: 4, maxLength: 30 });

function networkOf(script: readonly { readonly turns: number; readonly fails: boolean }[]): Network {
  const net = createScriptedNetwork({ batchSize: { users: 1, tweets: 1 } });
  net.users(range(5));
  for (const id of range(8, 11)) {
    net.tweet({ id: String(id), quotedId: String(11 + ((id + 1) % 8)), retweetedId: String(11 + ((id + 4) % 8)) });
    net.list('replies', String(id), ['12', '14', '16'], { pageSize: 2 });
  }
  const all = range(8, 11).map(String).reverse();
  net.list('timeline', '1', all, { pageSize: 2 });
  net.list('search', 'a', all.slice(2), { pageSize: 3 });
  net.list('followers', '1', ['2', '3', '4'], { pageSize: 2 });
  let nth = 0;
  const slowly = <A extends unknown[], R>(read: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      const { turns = 0, fails = false } = script[nth++] ?? {};
      for (const _ of range(turns)) await new Promise(setImmediate);
      if (fails) throw upstreamFault('request_rejected');
      return read(...args);
    };
  };
  const { users, tweets, page } = net.network;
  return { ...net.network, users: slowly(users), tweets: slowly(tweets), page: slowly(page) };
}

interface Delivered {
  /** Each object once; a fresh one counts separately. */
  readonly objects: Set<string>;
  /** The paths of fields that delivered something, with the cost that pages and batches state. */
  readonly charged: Map<string, number | null>;
}

/** Walks an answer; the paid fields are those with generated names. */
function collect(value: unknown, path: string, isFresh: (name: string) => boolean, into: Delivered): Delivered {
  const walk = (part: unknown, at: string, mark: string): void => {
    if (Array.isArray(part)) for (const each of part) walk(each, at, mark);
    else if (part !== null && typeof part === 'object') {
      const { id, handle, meta, ...rest } = part as Record<string, unknown> & { meta?: { creditsCharged: number } };
      if (id !== undefined) into.objects.add(`${mark}${handle === undefined ? 'tweet' : 'user'} ${id}`);
      if (meta) into.charged.set(at, (into.charged.get(at) ?? 0) + meta.creditsCharged);
      else if (id !== undefined && !into.charged.has(at)) into.charged.set(at, null);
      for (const [name, of] of Object.entries(rest)) {
        const own = name.startsWith('f') ? (isFresh(name) ? 'fresh ' : '') : mark;
        walk(of, at === '' ? name : `${at}.${name}`, own);
      }
    }
  };
  walk(value, path, '');
  return into;
}

/** Paths of the receipt are those of fields; the nodes of a page belong to the page. */
const fieldOf = (path: string): string => path.replace(/\.nodes$/, '');

function check(text: string, data: unknown, charge: Charge, errors: readonly GraphQLError[]): void {
  const isFresh = (name: string): boolean => new RegExp(`\\b${name}: \\w+\\([^)]*fresh: true`).test(text);
  const { objects, charged } = collect(data, '', isFresh, { objects: new Set(), charged: new Map() });
  const { lines } = charge;
  expect([charge.items, errors.every(({ message }) => /not well/.test(message))]).toEqual([objects.size, true]);
  expect(lines.reduce((sum, { items, unitPrice }) => sum + items * unitPrice, 0)).toBe(charge.amount);
  const delivering = new Set([...charged.keys()].map(fieldOf));
  for (const { path } of lines) expect(delivering).toContain(path);
  for (const [path, credits] of charged) {
    const own = lines.filter((line) => line.path === path);
    const due = toCredits(own.reduce((sum, { items, unitPrice }) => sum + items * unitPrice, 0));
    if (credits !== null && !path.endsWith('.nodes')) expect([path, credits]).toEqual([path, expect.closeTo(due, 6)]);
  }
}

it('charges each delivered object once and nothing else, whatever parts of an operation fail', async () => {
  let failed = 0;
  await fc.assert(
    fc.asyncProperty(operations, calls, async (text, script) => {
      const engine = createEngine(networkOf(script));
      const { reads, charge } = engine.open();
      const { data, errors = [] } = await execute({ schema, document: parse(text), contextValue: { reads } });
      if (errors.length > 0 && charge().items > 0) failed += 1;
      check(text, data, charge(), errors);
    }),
    { numRuns: 150 },
  );
  expect(failed).toBeGreaterThan(20);
});

it('charges a tweet to the field that delivers it when the page that paid for it fails', async () => {
  // In this order: the first page of the timeline, the tweet, and the second page, which fails after both have
  // arrived.
  const script = [{ turns: 0 }, { turns: 4 }, { turns: 40, fails: true }];
  const engine = createEngine(networkOf(script.map((call) => ({ fails: false, ...call }))));
  const { reads, charge } = engine.open();
  const text = '{ page: timeline(user: "1", first: 4) { nodes { id } } one: tweet(id: "18") { id } }';
  const { data } = await execute({ schema, document: parse(text), contextValue: { reads } });
  expect(data).toEqual({ page: null, one: { id: '18' } });
  expect(charge()).toMatchObject({ amount: 1000, items: 1, lines: [{ path: 'one', items: 1, cache: 'miss' }] });
});
