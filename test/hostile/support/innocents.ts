import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** One request of an innocent. A null status: not answered when they stopped; 0: no answer at all. */
export interface Sample {
  readonly atMs: number;
  readonly ms: number;
  readonly status: number | null;
}

/** A fixed piece of work: when it ran, and how long it took. */
export interface Piece {
  readonly atMs: number;
  readonly ms: number;
}

/** The service to use: the customer with this key reads a cached profile. */
export interface Watch {
  readonly url: string;
  readonly key: string;
  readonly handle: string;
}

export interface Measurements {
  /** A server that does nothing. */
  readonly control: readonly Sample[];
  readonly healthz: readonly Sample[];
  readonly rest: readonly Sample[];
  readonly graphql: readonly Sample[];
  /** Shows how slow the machine was. */
  readonly work: readonly Piece[];
  readonly quickestMs: number;
}

/** What one kind of innocent experienced. */
export interface Seen {
  readonly count: number;
  /** Milliseconds, less the delay of a server that does nothing at the same moment. */
  readonly worstMs: number;
  readonly p99Ms: number;
  /** By the clock. */
  readonly worstByClockMs: number;
  /** Answers other than 200. */
  readonly refused: number;
  /** Connections that broke. */
  readonly broken: number;
}

export interface Innocents {
  start(watch: Watch): void;
  stop(): Promise<Measurements>;
  close(): Promise<void>;
}

const PROCESS = fileURLToPath(new URL('innocents-process.ts', import.meta.url));

export async function openInnocents(): Promise<Innocents> {
  const child: ChildProcess = fork(PROCESS, [], { execArgv: ['--import', 'tsx'] });
  await once(child, 'message');
  return {
    start: (watch) => void child.send(watch),
    async stop() {
      const reply = once(child, 'message');
      child.send('stop');
      return ((await reply) as [Measurements])[0];
    },
    async close() {
      child.disconnect();
      if (child.exitCode === null) await once(child, 'exit');
    },
  };
}

/** Their experience of the service, corrected by that of the machine. */
export function seenBy(samples: readonly Sample[], machine: Measurements): Seen {
  const waited = samples.map((sample) => waitOf(sample, machine)).sort((a, b) => a - b);
  return {
    count: samples.length,
    worstMs: waited.at(-1) ?? 0,
    p99Ms: waited[Math.floor(waited.length * 0.99)] ?? 0,
    worstByClockMs: Math.max(0, ...samples.map(({ ms }) => ms)),
    refused: samples.filter(({ status }) => status !== null && status !== 0 && status !== 200).length,
    broken: samples.filter(({ status }) => status === 0).length,
  };
}

/** A wait as it would have been on a machine of their own. */
function waitOf(sample: Sample, machine: Measurements): number {
  const late = machine.control.filter((quiet) => overlap(quiet, sample, 0)).map(({ ms }) => ms);
  return Math.max(0, sample.ms - Math.max(0, ...late)) / slownessIn(machine, sample);
}

/**
 * How many times longer than its fastest run a fixed piece of work took around a time; 1 on an otherwise idle machine.
 */
export function slownessIn({ work, quickestMs }: Measurements, around?: Piece): number {
  const pieces = work.filter((piece) => around === undefined || overlap(piece, around, AROUND_MS));
  if (pieces.length === 0) return 1;
  return Math.max(1, pieces.reduce((sum, { ms }) => sum + ms, 0) / pieces.length / quickestMs);
}

const AROUND_MS = 300;

const overlap = (one: Piece, other: Piece, aroundMs: number): boolean =>
  one.atMs < other.atMs + other.ms + aroundMs && one.atMs + one.ms > other.atMs - aroundMs;
