/** What can happen in a run, as plain JSON. A failing case is kept as the list of its steps. */
import fc from 'fast-check';
import type { Nested } from '../calls/calls.js';
import { TIERS } from '../calls/prices.js';
import { type Change, KINDS, type Kind } from '../calls/world.js';

export type Over = 'rest' | 'graphql' | 'mcp';

export type ReadRequest =
  | { readonly read: 'user' | 'tweet'; readonly id: string; readonly below?: readonly Nested[] }
  | { readonly read: 'users' | 'tweets'; readonly ids: readonly string[] }
  | {
      readonly read: 'list';
      readonly kind: Kind;
      readonly count: number;
      /** Which of the cursors given for this list, counted back from the newest; null starts at the top. */
      readonly cursor: number | null;
      readonly byHandle?: boolean;
      readonly idsOnly?: boolean;
      /** Spells the query with more spaces than it needs. */
      readonly isSpaced?: boolean;
      readonly below?: readonly Nested[];
    };

export interface CallParams {
  /** Stands for a key: this number modulo the number of keys. */
  readonly key: number;
  readonly over: Over;
  readonly requests: readonly ReadRequest[];
  readonly fresh: boolean;
  /** In thousandths. */
  readonly budget: number | null;
}

/** Where a call is when its process is killed: the network was called, the debit is on its way, or the answer is. */
export type Moment = 'reading' | 'settling' | 'answering';

export type Step =
  | ({ readonly step: 'call' | 'hang' | 'estimate' } & CallParams)
  | ({ readonly step: 'fault'; readonly code: string } & CallParams)
  | { readonly step: 'crowd'; readonly request: ReadRequest; readonly overs: readonly Over[]; readonly fresh: boolean }
  | {
      readonly step: 'storm';
      readonly calls: readonly CallParams[];
      /** The process is killed once this many calls are answered. */
      readonly killedAfter?: number | undefined;
    }
  | {
      readonly step: 'follow';
      readonly key: number;
      readonly kind: 'timeline' | 'search';
      /**
       * Which place of the account's streams to continue from, counted back from the newest; without any, the stream
       * begins.
       */
      readonly back: number;
      /** How many posts appear before it continues from there. */
      readonly posts: number;
      /** Whether its process is killed and the first events are lost. */
      readonly isLost: boolean;
    }
  | {
      readonly step: 'watch';
      readonly key: number;
      readonly kind: 'timeline' | 'search';
      /** How many posts appear before the account's watch continues; if it has none, one is made. */
      readonly posts: number;
      /** When its process is killed: before the charge, before the delivery is written, or as that is received. */
      readonly killedAt: 'settling' | 'writing' | 'delivering' | null;
    }
  | { readonly step: 'kill' }
  | ({ readonly step: 'cut off'; readonly at: Moment } & CallParams)
  | { readonly step: 'wait'; readonly ms: number }
  | ({ readonly step: 'change' } & Change)
  | { readonly step: 'grant'; readonly key: number; readonly amount: number }
  | { readonly step: 'add key'; readonly key: number; readonly cap: number | null }
  | { readonly step: 'revoke' | 'rotate'; readonly key: number };

/** The accounts of every run: their balance, what they have paid, and the caps of their keys. */
export const OPENING = [
  { credits: 5000, paidUsd: TIERS[4].paidUsd, qps: TIERS[4].qps, caps: [null, 3] },
  { credits: 400, paidUsd: TIERS[0].paidUsd, qps: TIERS[0].qps, caps: [null] },
  { credits: 7.25, paidUsd: TIERS[1].paidUsd, qps: TIERS[1].qps, caps: [null, 2.05] },
] as const;

const object = fc.oneof(
  fc.record({ read: fc.constant('user' as const), id: fc.constantFrom('1', '2', '3', '10', '11', '77') }),
  fc.record({ read: fc.constant('tweet' as const), id: fc.constantFrom('900', '901', '1022', '1021', '1030', '999') }),
);

const batch = fc.oneof(
  fc.record({
    read: fc.constant('users' as const),
    ids: fc.array(fc.constantFrom('1', '2', '3', '4', '5', '10', '12', '77'), { minLength: 1, maxLength: 6 }),
  }),
  fc.record({
    read: fc.constant('tweets' as const),
    ids: fc.array(fc.constantFrom('900', '901', '902', '1022', '1020', '999'), { minLength: 1, maxLength: 6 }),
  }),
);

const cursor: fc.Arbitrary<number | null> = fc.option(fc.nat({ max: 3 }), { freq: 2 });

const list = fc
  .record({
    read: fc.constant('list' as const),
    kind: fc.constantFrom(...KINDS, 'timeline' as const, 'followers' as const),
    count: fc.constantFrom(1, 2, 3, 5, 6, 7, 10, 17, 23, 50),
    cursor,
    byHandle: fc.boolean(),
    idsOnly: fc.boolean(),
    isSpaced: fc.boolean(),
  })
  .map((one) => ({
    ...one,
    byHandle: one.byHandle && ['timeline', 'followers', 'following'].includes(one.kind),
    idsOnly: one.idsOnly && one.kind === 'followers',
    isSpaced: one.isSpaced && (one.kind === 'search' || one.kind === 'people'),
  }));

const request: fc.Arbitrary<ReadRequest> = fc.oneof(object, batch, { weight: 3, arbitrary: list });

const terms = {
  key: fc.nat({ max: 9 }),
  fresh: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  budget: fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom(0, 10, 40, 250, 500, 1000, 2500, 4050, 60_000) },
  ),
};

const single: fc.Arbitrary<CallParams> = fc.record({
  ...terms,
  over: fc.constantFrom('rest' as const, 'graphql' as const, 'mcp' as const),
  requests: request.map((one) => [one]),
});

/** Fields that run at the same time. None reads what another one caches, so their order cannot matter. */
const apart = fc.tuple(
  fc.array(
    fc.oneof(
      fc.record({ read: fc.constant('user' as const), id: fc.constantFrom('2', '3', '4', '77') }),
      fc.record({ read: fc.constant('tweet' as const), id: fc.constantFrom('901', '902', '903', '999') }),
    ),
    { minLength: 1, maxLength: 4 },
  ),
  fc.option(
    list.filter(({ kind }) => kind === 'timeline').map((one) => ({ ...one, byHandle: false })),
    { nil: undefined },
  ),
);

const document: fc.Arbitrary<CallParams> = fc.record({
  ...terms,
  over: fc.constant('graphql' as const),
  requests: apart.map(([objects, page]): ReadRequest[] => [...objects, ...(page ? [page] : [])]),
});

const few = fc.constantFrom(1, 2, 3, 5);
const replies = fc.record({ kind: fc.constantFrom('replies' as const, 'quotes' as const), count: few });
const tweets = fc.record({
  kind: fc.constant('timeline' as const),
  count: few,
  below: fc.oneof(fc.constant([]), fc.array(replies, { minLength: 1, maxLength: 1 })),
});
const leaf = fc.record({ kind: fc.constant('timeline' as const), count: few });
const follows = fc.record({
  kind: fc.constant('followers' as const),
  count: few,
  below: fc.oneof(
    fc.constant([]),
    leaf.map((one) => [one]),
  ),
});

const top = (kind: Kind, below: fc.Arbitrary<Nested>): fc.Arbitrary<ReadRequest> =>
  fc.record({
    read: fc.constant('list' as const),
    kind: fc.constant(kind),
    // The last is more parents than a list may be read for.
    count: fc.oneof({ weight: 9, arbitrary: few }, { weight: 1, arbitrary: fc.constant(21) }),
    cursor,
    below: below.map((one) => [one]),
  });

/**
 * Lists below lists and objects. Again none shares what it reads with another, so the order of simultaneous reads
 * cannot matter. No more fields than an answer can have errors.
 */
const nested: fc.Arbitrary<CallParams> = fc.record({
  ...terms,
  over: fc.constant('graphql' as const),
  requests: fc
    .oneof(
      fc.record({
        read: fc.constant('user' as const),
        id: fc.constantFrom('1', '10', '11', '77'),
        below: fc.oneof(
          tweets.map((one) => [one]),
          fc.tuple(follows, leaf),
          fc.tuple(tweets, follows).filter(([, { below }]) => below.length === 0),
        ),
      }),
      fc.record({
        read: fc.constant('tweet' as const),
        id: fc.constantFrom('900', '1022', '1030'),
        below: replies.map((one) => [one]),
      }),
      top('followers', leaf),
      top('timeline', replies),
      top('retweeters', leaf),
      top('replies', replies),
    )
    .map((one): ReadRequest[] => [one]),
});

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    change: fc.constantFrom('remove' as const, 'restore' as const),
    what: fc.constant('user' as const),
    id: fc.constantFrom('1', '10', '11'),
  }),
  fc.record({
    change: fc.constantFrom('remove' as const, 'restore' as const),
    what: fc.constant('tweet' as const),
    id: fc.constantFrom('900', '901', '1022', '1021', '1018', '1030'),
  }),
  fc.record({
    change: fc.constantFrom('hide' as const, 'show' as const),
    kind: fc.constantFrom('timeline' as const, 'followers' as const, 'replies' as const, 'search' as const),
  }),
  fc.record({
    change: fc.constant('post' as const),
    kind: fc.constantFrom('timeline' as const, 'followers' as const, 'search' as const),
  }),
);

const MINUTE = 60_000;
const WAITS = [
  1,
  500,
  1000,
  1500,
  MINUTE - 1,
  MINUTE,
  2 * MINUTE,
  15 * MINUTE - 1,
  15 * MINUTE,
  60 * MINUTE,
  360 * MINUTE,
];

const key = fc.nat({ max: 9 });
/**
 * All but the first may close the network session. A batch that reads in parts because of its budget would then fail
 * with another code for the later parts, so batches use only the first.
 */
const FAULTS = ['upstream_error', 'upstream_rate_limited', 'no_account', 'request_rejected'] as const;
const overs = fc.array(fc.constantFrom('rest' as const, 'graphql' as const, 'mcp' as const), {
  minLength: 2,
  maxLength: OPENING.length,
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 72, arbitrary: single.map((one): Step => ({ step: 'call', ...one })) },
  { weight: 12, arbitrary: document.map((one): Step => ({ step: 'call', ...one })) },
  { weight: 12, arbitrary: nested.map((one): Step => ({ step: 'call', ...one })) },
  { weight: 15, arbitrary: fc.constantFrom(...WAITS).map((ms): Step => ({ step: 'wait', ms })) },
  { weight: 15, arbitrary: change.map((one): Step => ({ step: 'change', ...one })) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(single, fc.constantFrom(...FAULTS))
      .map(
        ([one, code]): Step => ({ step: 'fault', code: 'ids' in (one.requests[0] ?? {}) ? FAULTS[0] : code, ...one }),
      ),
  },
  { weight: 3, arbitrary: single.map((one): Step => ({ step: 'hang', ...one })) },
  { weight: 3, arbitrary: fc.oneof(single, nested).map((one): Step => ({ step: 'estimate', ...one })) },
  {
    weight: 6,
    arbitrary: fc.record({ step: fc.constant('crowd' as const), request: object, overs, fresh: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      step: fc.constant('storm' as const),
      calls: fc.array(single, { minLength: 3, maxLength: 12 }),
      killedAfter: fc.oneof(
        { weight: 4, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.nat({ max: 5 }) },
      ),
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      step: fc.constant('follow' as const),
      key,
      kind: fc.constantFrom('timeline' as const, 'search' as const),
      back: fc.nat({ max: 3 }),
      posts: fc.nat({ max: 3 }),
      isLost: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      step: fc.constant('watch' as const),
      key,
      kind: fc.constantFrom('timeline' as const, 'search' as const),
      posts: fc.nat({ max: 3 }),
      killedAt: fc.oneof(
        { weight: 7, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: fc.constantFrom('settling' as const, 'writing' as const, 'delivering' as const) },
      ),
    }),
  },
  // Rare, because another process takes longer to start than a hundred calls.
  {
    weight: 1,
    arbitrary: fc.oneof(
      { weight: 1, arbitrary: fc.constant<Step>({ step: 'kill' }) },
      {
        weight: 3,
        arbitrary: fc
          .tuple(fc.oneof(single, nested), fc.constantFrom<Moment>('reading', 'settling', 'answering'))
          .map(([one, at]): Step => ({ step: 'cut off', at, ...one })),
      },
    ),
  },
  {
    weight: 3,
    arbitrary: fc.record({ step: fc.constant('grant' as const), key, amount: fc.constantFrom(10, 1000, 3050) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      step: fc.constant('add key' as const),
      key,
      cap: fc.constantFrom(null, 0, 500, 1500, 4020),
    }),
  },
  { weight: 3, arbitrary: fc.record({ step: fc.constantFrom('revoke' as const, 'rotate' as const), key }) },
);

export const runs = ({ longest }: { longest: number }): fc.Arbitrary<Step[]> =>
  fc.array(step, { minLength: 1, maxLength: longest, size: 'max' });

/** The runs made each time: this many rounds, each with a seed of its own and `round` runs. */
export const SUITE = { seed: 20_261_595, rounds: 12, round: 5, longest: 40 };
