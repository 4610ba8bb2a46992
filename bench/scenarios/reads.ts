import { QUERY } from '../contestants/graphql.js';
import { BUSY, SUBJECT } from '../data/rows.js';
import type { Asked } from '../load/load.js';
import type { Letter } from '../options.js';
import type { ServerName } from '../processes/child.js';
import type { ClientName } from './clients.js';

/** A cached read that is compared: what is asked of Perch and of everyone else, and what to hope for. */
export interface Read extends Asked {
  readonly letter: Letter;
  /** What sets it apart from another read of the same letter. */
  readonly how?: string;
  /** What is asked in turn, where it is not the same each time. */
  readonly asks?: readonly Asked[];
  readonly clients: readonly ClientName[];
  readonly against: readonly Peer[];
}

export interface Peer {
  readonly server: ServerName;
  readonly name: string;
  /** By the number of connections. */
  readonly goals?: Readonly<Record<number, string>>;
  /** Where it is not compared for every client. */
  readonly client?: ClientName;
}

const REST = {
  clients: ['plain', 'real'],
  against: [
    { server: 'bare', name: 'bare node:http, same bytes', goals: { 32: '≥ 0.40', 128: '≥ 0.60' } },
    { server: 'fastify', name: 'Fastify + JSON.stringify', client: 'plain' },
  ],
} as const satisfies Pick<Read, 'clients' | 'against'>;

const GRAPHQL = {
  letter: 'D',
  clients: ['plain'],
  against: [
    { server: 'mercurius', name: 'Mercurius + JIT, from memory', goals: { 32: '> 1', 128: '≥ 1.5' } },
    { server: 'yoga', name: 'Yoga, from memory' },
  ],
} as const satisfies Partial<Read>;

const profileOf = (handle: string): Asked => ({
  path: '/graphql',
  body: JSON.stringify({ query: QUERY, variables: { handle } }),
});

const calling = (name: string, given: object): Asked => ({
  path: '/mcp',
  headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }),
});

/** One of each letter: the same answer every time. */
export const READS: readonly Read[] = [
  { letter: 'A', path: `/v1/users/${SUBJECT.handle}`, ...REST },
  { letter: 'B', path: `/v1/users/${SUBJECT.id}/tweets?count=20`, ...REST },
  { letter: 'C', path: `/v1/users/${SUBJECT.id}/followers?count=200`, ...REST },
  { ...profileOf(SUBJECT.handle), ...GRAPHQL },
];

/** Calls of tools, which nothing is compared with: what they cost beside the same reads over REST. */
export const TOOL_CALLS: readonly Read[] = [
  { letter: 'L', how: 'a profile', ...calling('get_user', { handle: SUBJECT.handle }) },
  { letter: 'L', how: 'a timeline of 20', ...calling('get_user_tweets', { user: SUBJECT.id, count: 20 }) },
].map((read) => ({ ...read, letter: 'L', clients: ['plain', 'real'], against: [] }));

/** Reads that ask for something else each time, all of it cached. */
export const VARIED: readonly Read[] = [
  {
    ...profileOf(BUSY[0]?.handle ?? ''),
    ...GRAPHQL,
    how: `another of ${BUSY.length} handles each time`,
    asks: BUSY.map(({ handle }) => profileOf(handle)),
  },
];
