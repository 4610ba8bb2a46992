import { QUERY } from '../contestants/graphql.js';
import { SUBJECT } from '../data/rows.js';
import type { Letter } from '../options.js';
import type { ServerName } from '../processes/child.js';

/** A cached read that is compared: what is asked of Perch and of everyone else, and what to hope for. */
export interface Read {
  readonly letter: Letter;
  readonly path: string;
  readonly body?: string;
  readonly against: readonly { readonly server: ServerName; readonly name: string; readonly goal?: string }[];
}

const REST_PEERS: Read['against'] = [
  { server: 'bare', name: 'bare node:http, same bytes', goal: '≥ 0.60' },
  { server: 'fastify', name: 'Fastify + JSON.stringify' },
];

export const READS: readonly Read[] = [
  {
    letter: 'A',
    path: `/v1/users/${SUBJECT.handle}`,
    against: REST_PEERS.map((peer) => (peer.server === 'fastify' ? { ...peer, goal: '> 1' } : peer)),
  },
  { letter: 'B', path: `/v1/users/${SUBJECT.id}/tweets?count=20`, against: REST_PEERS },
  { letter: 'C', path: `/v1/users/${SUBJECT.id}/followers?count=200`, against: REST_PEERS },
  {
    letter: 'D',
    path: '/graphql',
    body: JSON.stringify({ query: QUERY, variables: { handle: SUBJECT.handle } }),
    against: [
      { server: 'yoga', name: 'Yoga, from memory', goal: '≥ 4' },
      { server: 'mercurius', name: 'Mercurius + JIT, from memory', goal: '> 1' },
    ],
  },
];
