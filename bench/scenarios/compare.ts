import { deepStrictEqual } from 'node:assert';
import type { Sql } from '../../adapters/postgres/sql.js';
import { alternate, type Section } from '../figures.js';
import type { Target } from '../load/load.js';
import { SCENARIOS } from '../options.js';
import type { Served } from '../processes/fork.js';
import type { Service } from '../processes/perch.js';
import type { Workbench } from '../workbench.js';
import { CLIENTS, type ClientName } from './clients.js';
import type { Peer, Read } from './reads.js';
import { counted, linesOf, type Round } from './rounds.js';
import { sendRequest } from './send-request.js';
import { openBooks, paying } from './wallets.js';

export interface Arena {
  readonly perch: Service;
  /** Keys of the accounts that send requests in turn. */
  readonly keys: readonly string[];
  readonly postmaster: number;
  /** Perch among them. */
  readonly servers: ReadonlyMap<Peer['server'], Pick<Served, 'url' | 'pid'>>;
  /** The database for the contestants' tables. */
  readonly sql: Sql;
}

/** How a read is requested. */
export interface Manner {
  readonly client: ClientName;
  readonly connections: number;
}

const WARM_SECONDS = 1;
const OURS = 'Perch, all of it';

export interface Server {
  readonly name: string;
  readonly pid: number;
  readonly url: string;
  /** The requests sent to it in turn. */
  readonly targets: readonly Target[];
  readonly goal: string | undefined;
}

/** Perch first, then its contestants. */
export function contestantsOf(read: Read, { perch, servers }: Arena, connections?: number): [Server, ...Server[]] {
  const server = (
    name: string,
    { url, pid }: Pick<Served, 'url' | 'pid'>,
    targets: readonly Target[],
    goal?: string,
  ) => ({
    ...{ name, pid, url, targets, goal },
  });
  const targets = read.targets ?? [read];
  return [
    server(OURS, perch, targets),
    ...read.against.map(({ server: peer, name, target, goals }) =>
      server(name, servers.get(peer) as Served, target ? [target] : targets, goals?.[connections ?? 0]),
    ),
  ];
}

/** One cached read: Perch and its contestants under the same load in turn, with a check that every answer was paid. */
export async function compare(
  bench: Workbench,
  read: Read,
  { client, connections }: Manner,
  arena: Arena,
): Promise<Section> {
  const { options, say } = bench;
  const { perch, keys, postmaster, servers } = arena;
  const { title, headers, traced } = CLIENTS[client];
  const contestants = contestantsOf(read, arena, connections);
  const { length, credits } = await checkSame(contestants, headers, keys[0] ?? '');
  const answers = new Map<number, number>();
  const roundOf = async ({ pid, url, targets }: Server, seconds: number): Promise<Round> => {
    const load = { url, targets, headers, traced, keys, connections, seconds };
    const round = await counted({ server: pid, postmaster }, () => bench.generator.run(load));
    answers.set(pid, (answers.get(pid) ?? 0) + round.answers);
    return round;
  };
  const metered = contestants.find(({ pid }) => pid === servers.get('metered')?.pid);
  const books = metered && (await openBooks(arena.sql));
  const { result, note } = await paying(perch.url, keys, async () => {
    for (const server of contestants) await roundOf(server, WARM_SECONDS);
    const figures = await alternate(
      contestants.map((server) => ({ name: server.name, round: () => roundOf(server, options.seconds) })),
      options.rounds,
      (text) => say(`${read.letter}  ${connections} connections, ${title}: ${text}`),
    );
    return { result: figures, delivered: { answers: answers.get(perch.pid) ?? 0, credits } };
  });
  const what = [SCENARIOS[read.letter], read.how, `${(length / 1024).toFixed(1)} KB`].filter(Boolean).join(', ');
  return {
    letter: read.letter,
    title: `${what}; ${connections} connections, ${title}`,
    lines: linesOf(result, (name) => contestants.find((each) => each.name === name)?.goal),
    notes: [note, ...(books ? [await books.noteOf({ answers: answers.get(metered.pid) ?? 0, credits })] : [])],
  };
}

/** Checks that the contestant gives the same answer as Perch. Returns the length of an answer, and its price. */
async function checkSame(
  [ours, ...theirs]: [Server, ...Server[]],
  headers: Readonly<Record<string, string>>,
  key: string,
): Promise<{ length: number; credits: number }> {
  const answerOf = ({ url, targets }: Server, nth: number) => {
    const { path, body, headers: own } = targets[nth] as Target;
    return sendRequest(url + path, { key, headers: { ...headers, ...own }, ...(body !== undefined && { body }) });
  };
  let last = { length: 0, credits: 0 };
  for (const nth of ours.targets.keys()) {
    const answer = await answerOf(ours, nth);
    last = { length: answer.text.length, credits: answer.charged };
    for (const their of theirs) {
      const same = await answerOf(their, nth);
      if (their.targets === ours.targets) deepStrictEqual(same.data, answer.data);
      // Through another interface, which may omit what it has sent before.
      else deepStrictEqual([idsIn(same.data), same.charged], [idsIn(answer.data), answer.charged]);
    }
  }
  return last;
}

const idsIn = (data: unknown): unknown[] => [data].flat().map((item) => (item as { readonly id: string }).id);
