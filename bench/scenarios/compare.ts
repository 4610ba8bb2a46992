import { deepStrictEqual } from 'node:assert';
import { alternate, type Section } from '../figures.js';
import type { Load } from '../load/load.js';
import { SCENARIOS } from '../options.js';
import type { ServerName } from '../processes/child.js';
import type { Served } from '../processes/fork.js';
import type { Service } from '../processes/perch.js';
import type { Workbench } from '../workbench.js';
import { type AskOptions, ask } from './ask.js';
import { CLIENTS, type ClientName } from './clients.js';
import type { Read } from './reads.js';
import { counted, linesOf, type Round } from './rounds.js';
import { paying } from './wallets.js';

export interface Arena {
  readonly perch: Service;
  /** Of the accounts that ask in turn. */
  readonly keys: readonly string[];
  readonly postmaster: number;
  readonly servers: ReadonlyMap<ServerName, Served>;
}

/** How a read is asked. */
export interface Manner {
  readonly client: ClientName;
  readonly connections: number;
}

const WARM_SECONDS = 1;
const OURS = 'Perch, all of it';

interface Server {
  readonly name: string;
  readonly pid: number;
  readonly load: Omit<Load, 'seconds'>;
}

/** One cached read: Perch and its contestants under the same load in turn, and whether every answer was paid. */
export async function compare(
  bench: Workbench,
  read: Read,
  { client, connections }: Manner,
  { perch, keys, postmaster, servers }: Arena,
): Promise<Section> {
  const { options, say } = bench;
  const { title, headers, traced } = CLIENTS[client];
  const peers = read.against.filter((peer) => servers.has(peer.server) && (peer.client ?? client) === client);
  const serverAt = (name: string, { url, pid }: Pick<Served, 'url' | 'pid'>): Server => ({
    name,
    pid,
    load: { ...question(read, url), headers, traced, connections },
  });
  const ours = serverAt(OURS, perch);
  const theirs = peers.map(({ name, server }) => serverAt(name, servers.get(server) as Served));
  const { length, credits } = await checkSame(read, headers, keys[0] ?? '', [ours, ...theirs]);
  const roundOf = ({ pid, load }: Server, seconds: number): Promise<Round> =>
    counted({ server: pid, postmaster }, () =>
      bench.generator.run({ ...load, ...(pid === perch.pid && { keys }), seconds }),
    );
  const { result, note } = await paying(perch.url, keys, async () => {
    const warm: Round[] = [];
    for (const server of [ours, ...theirs]) warm.push(await roundOf(server, WARM_SECONDS));
    const figures = await alternate(
      [ours, ...theirs].map((server) => ({ name: server.name, round: () => roundOf(server, options.seconds) })),
      options.rounds,
      (text) => say(`${read.letter}  ${connections} connections, ${title}: ${text}`),
    );
    const answers = (figures.get(OURS) ?? []).reduce((sum, round) => sum + round.answers, warm[0]?.answers ?? 0);
    return { result: figures, delivered: { answers, credits } };
  });
  const goals = new Map(peers.map(({ name, goals }) => [name, goals?.[connections]]));
  const what = [SCENARIOS[read.letter], read.how, `${(length / 1024).toFixed(1)} KB`].filter(Boolean).join(', ');
  return {
    letter: read.letter,
    title: `${what}; ${connections} connections, ${title}`,
    lines: linesOf(result, (name) => goals.get(name)),
    notes: [note],
  };
}

const question = ({ asks, ...read }: Read, url: string): Pick<Load, 'url' | 'asks'> => ({ url, asks: asks ?? [read] });

/** A contestant that answered something else would prove nothing. Gives the length of an answer, and its price. */
async function checkSame(
  { asks, ...read }: Read,
  headers: Readonly<Record<string, string>>,
  key: string,
  [ours, ...theirs]: readonly Server[],
): Promise<{ length: number; credits: number }> {
  let last = { length: 0, credits: 0 };
  for (const asked of asks ?? [read]) {
    const options = {
      headers: { ...headers, ...asked.headers },
      ...(asked.body !== undefined && { body: asked.body }),
    };
    const answerOf = ({ load }: Server, own: AskOptions = {}) =>
      ask(new URL(asked.path, load.url).href, { ...options, ...own });
    const answer = await answerOf(ours as Server, { key });
    last = { length: answer.text.length, credits: answer.charged };
    for (const their of theirs) deepStrictEqual((await answerOf(their)).data, answer.data);
  }
  return last;
}
