import { deepStrictEqual } from 'node:assert';
import { alternate, type Line, median, ratioOf, type Section, spread } from '../figures.js';
import { SCENARIOS } from '../options.js';
import type { ServerName } from '../processes/child.js';
import type { Served } from '../processes/fork.js';
import type { Service } from '../processes/perch.js';
import { cpuSeconds } from '../processes/usage.js';
import type { Furnished, Workbench } from '../workbench.js';
import { ask } from './ask.js';
import type { Read } from './reads.js';

export interface Arena {
  readonly perch: Service;
  readonly home: Furnished;
  readonly servers: ReadonlyMap<ServerName, Served>;
}

const WARM_SECONDS = 2;
const OURS = 'Perch, all of it';

interface Server {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
  readonly headers: Record<string, string>;
}

interface Round {
  readonly answers: number;
  readonly perSecond: number;
  readonly p99Ms: number;
  /** Processor time of the server's process per answer. */
  readonly cpuMicros: number;
  readonly generatorBusy: number;
}

/** One cached read: Perch and its contestants under the same load in turn, and whether every answer was paid. */
export async function compare(bench: Workbench, read: Read, { perch, home, servers }: Arena): Promise<Section> {
  const { options, say } = bench;
  const body = read.body === undefined ? {} : { body: read.body };
  const ours: Server = { name: OURS, url: perch.url, pid: perch.pid, headers: { 'x-api-key': home.key } };
  const peers = peersOf(read, servers);
  const before = await ask(perch.url + read.path, { key: home.key, ...body });
  for (const { url } of peers) {
    // A contestant that answered something else would prove nothing.
    deepStrictEqual((await ask(url + read.path, body)).data, before.data);
  }
  const warm: number[] = [];
  for (const server of [ours, ...peers]) warm.push((await roundOf(bench, read, server, WARM_SECONDS)).answers);
  const figures = await alternate(
    [ours, ...peers].map((server) => ({
      name: server.name,
      round: () => roundOf(bench, read, server, options.seconds),
    })),
    options.rounds,
    (text) => say(`${read.letter}  ${text}`),
  );
  const after = await ask(perch.url + read.path, { key: home.key, ...body });
  const delivered = (figures.get(OURS) ?? []).reduce((sum, { answers }) => sum + answers, warm[0] ?? 0);
  const fell = thousandths(before.remaining) - thousandths(after.remaining);
  return {
    letter: read.letter,
    title: `${SCENARIOS[read.letter]} (${(before.text.length / 1024).toFixed(1)} KB)`,
    lines: linesOf(read, figures),
    notes: [
      ...notesOf(figures),
      `${options.connections} connections; LOG_LEVEL=${options.logLevel}; Accept-Encoding: ${options.acceptEncoding ?? 'none'}`,
      paidNote(fell, (delivered + 1) * thousandths(before.charged), delivered),
    ],
  };
}

const peersOf = (read: Read, servers: ReadonlyMap<ServerName, Served>): Server[] =>
  read.against.flatMap(({ server, name }) => {
    const served = servers.get(server);
    return served ? [{ name, url: served.url, pid: served.pid, headers: {} }] : [];
  });

async function roundOf(bench: Workbench, read: Read, server: Server, seconds: number): Promise<Round> {
  const { connections, acceptEncoding } = bench.options;
  const headers = { ...server.headers, ...(acceptEncoding !== null && { 'accept-encoding': acceptEncoding }) };
  const load = { url: server.url + read.path, headers, connections, seconds };
  const before = await cpuSeconds(server.pid);
  const result = await bench.generator.run({ ...load, ...(read.body !== undefined && { body: read.body }) });
  const cpu = (await cpuSeconds(server.pid)) - before;
  return { ...result, cpuMicros: (cpu * 1e6) / result.answers };
}

function linesOf({ against }: Read, figures: ReadonlyMap<string, readonly Round[]>): Line[] {
  const rates = (name: string): number[] => (figures.get(name) ?? []).map(({ perSecond }) => perSecond);
  const unit = 'answers/s';
  const peers = against.map(({ name, goal }): Line => {
    const ratio = ratioOf(rates(OURS), rates(name), 'Perch to it');
    return { name, unit, value: spread(rates(name)), ...(ratio && { ratio }), ...(goal !== undefined && { goal }) };
  });
  return [{ name: OURS, unit, value: spread(rates(OURS)) }, ...peers];
}

/** What the rates alone don't tell. */
function notesOf(figures: ReadonlyMap<string, readonly Round[]>): string[] {
  const all = [...figures];
  const each = (show: (rounds: readonly Round[]) => string): string =>
    all.map(([name, rounds]) => `${name} ${show(rounds)}`).join('; ');
  const busy = Math.max(...all.flatMap(([, rounds]) => rounds.map(({ generatorBusy }) => generatorBusy)));
  return [
    `processor time per answer, µs: ${each((rounds) => median(rounds.map(({ cpuMicros }) => cpuMicros)).toFixed(0))}`,
    `p99, ms: ${each((rounds) => median(rounds.map(({ p99Ms }) => p99Ms)).toFixed(1))}`,
    `the load generator took at most ${busy.toFixed(2)} of a core`,
  ];
}

const thousandths = (credits: number): number => Math.round(credits * 1000);

const paidNote = (fell: number, due: number, delivered: number): string =>
  fell === due
    ? `${delivered.toLocaleString('en')} answers were paid: the wallet fell by exactly what they cost`
    : `THE WALLET FELL BY ${fell / 1000} CREDITS FOR ANSWERS THAT COST ${due / 1000}`;
