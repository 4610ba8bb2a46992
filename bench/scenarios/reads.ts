import { QUERY } from '../contestants/graphql.js';
import { BUSY, SUBJECT } from '../data/rows.js';
import type { Target } from '../load/load.js';
import type { Letter } from '../options.js';
import type { ServerName } from '../processes/child.js';
import type { ClientName } from './clients.js';

/** A cached read to compare: the request to Perch and to the contestants, and the goals. */
export interface Read extends Target {
  readonly letter: Letter;
  /** What distinguishes it from other reads of the same letter. */
  readonly how?: string;
  /** The requests sent in turn, if not always the same one. */
  readonly targets?: readonly Target[];
  readonly clients: readonly ClientName[];
  /** Numbers of connections, if they differ from those of all reads. */
  readonly loads?: readonly number[];
  readonly against: readonly Peer[];
}

export interface Peer {
  readonly server: ServerName | 'perch';
  readonly name: string;
  /** The goals by the number of connections. */
  readonly goals?: Readonly<Record<number, string>>;
  /** The request to this contestant, if it differs. */
  readonly target?: Target;
}

const rest = (goals: NonNullable<Peer['goals']>): Pick<Read, 'clients' | 'against'> => ({
  clients: ['plain', 'real'],
  against: [
    { server: 'metered', name: 'the least server with the same promise', goals },
    { server: 'bare', name: 'bare node:http, which promises nothing' },
  ],
});

const SMALL_ANSWERS = rest({ 32: '≥ 0.65', 128: '≥ 0.60, p99 ≤ 2' });
const LARGE_ANSWERS = rest({ 32: '≥ 0.80', 128: '≥ 0.80, p99 ≤ 2' });

const GRAPHQL = {
  letter: 'D',
  clients: ['plain'],
  against: [
    { server: 'mercurius', name: 'Mercurius + JIT, from memory', goals: { 32: '≥ 1.3', 128: '≥ 1.5' } },
    { server: 'yoga', name: 'Yoga, from memory' },
  ],
} as const satisfies Partial<Read>;

const profileOf = (handle: string): Target => ({
  path: '/graphql',
  body: JSON.stringify({ query: QUERY, variables: { handle } }),
});

const calling = (name: string, given: object): Target => ({
  path: '/mcp',
  headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }),
});

const PROFILE: Target = { path: `/v1/users/${SUBJECT.handle}` };
const TIMELINE: Target = { path: `/v1/users/${SUBJECT.id}/tweets?count=20` };

/** One read of each letter, with the same answer every time. */
export const READS: readonly Read[] = [
  { letter: 'A', ...PROFILE, ...SMALL_ANSWERS },
  { letter: 'B', ...TIMELINE, ...SMALL_ANSWERS },
  { letter: 'C', path: `/v1/users/${SUBJECT.id}/followers?count=200`, ...LARGE_ANSWERS },
  { ...profileOf(SUBJECT.handle), ...GRAPHQL },
];

/** The whole service, compared with one that charges as most do. */
export const CHARGED: readonly Read[] = [
  {
    letter: 'E',
    how: 'over HTTP: a cached profile',
    ...PROFILE,
    clients: ['plain'],
    loads: [128],
    against: [{ server: 'fastify', name: 'Fastify, one statement per charge', goals: { 128: '≥ 2.5' } }],
  },
];

/** Tool calls, compared with the same reads over REST. */
export const TOOL_CALLS: readonly Read[] = [
  { how: 'a profile', target: PROFILE, ...calling('get_user', { handle: SUBJECT.handle }) },
  { how: 'a timeline of 20', target: TIMELINE, ...calling('get_user_tweets', { user: SUBJECT.id, count: 20 }) },
].map(({ target, ...read }) => ({
  ...read,
  letter: 'L',
  clients: ['plain', 'real'],
  against: [{ server: 'perch', name: 'Perch, the same over REST', target }],
}));

/** Reads of something different each time, all of it cached. */
export const VARIED: readonly Read[] = [
  {
    ...profileOf(BUSY[0]?.handle ?? ''),
    ...GRAPHQL,
    how: `another of ${BUSY.length} handles each time`,
    targets: BUSY.map(({ handle }) => profileOf(handle)),
  },
];
