import { stat } from 'node:fs/promises';
import { Failure, WRONG_USE } from '../failure.js';
import type { Format } from './rows.js';
import { SeenIds } from './seen-ids.js';
import { fileSink, type Sink, stdoutSink } from './sink.js';
import { type ExportCommand, type ExportState, newState, readState } from './state.js';

/** The files of an export, as absolute paths. */
export interface ExportPaths {
  /** The requested file; null: standard output. */
  readonly out: string | null;
  /** Where rows are collected: the same as `out`, or for Parquet another file next to it. */
  readonly rows: string | null;
  readonly state: string | null;
  /** Lock files that exist while the other files are being written. */
  readonly locks: readonly string[];
}

/** Where an export writes, and how far an earlier run got. */
export interface ExportDestination {
  readonly sink: Sink;
  readonly state: ExportState;
  readonly seen: SeenIds;
  readonly isResumed: boolean;
}

/** Throws Failure (wrong use) for Parquet without a file, or if `out` and `state` are the same file. */
export function resolvePaths(format: Format, out: string | null, state: string | null): ExportPaths {
  if (format === 'parquet' && out === null) throw new Failure('parquet requires a file: use --out', WRONG_USE);
  if (out !== null && out === state) throw new Failure('--out and --state must be different files', WRONG_USE);
  const rows = format === 'parquet' ? `${out}${ROWS}` : out;
  const kept = state ?? (out === null ? null : `${out}${STATE}`);
  // A file and its own state share one lock, so two runs conflict even if they have only one of the two in common.
  const written = [out, kept?.endsWith(STATE) ? kept.slice(0, -STATE.length) : kept].filter((path) => path !== null);
  return { out, rows, state: kept, locks: [...new Set(written)].map((path) => `${path}.perch-lock`) };
}

const ROWS = '.perch-rows.ndjson';
const STATE = '.perch-state.json';

/** Opens the files. Refuses an existing file without a saved state, so no data is lost. Throws Failure. */
export async function openDestination(paths: ExportPaths, command: ExportCommand): Promise<ExportDestination> {
  const found = paths.state === null ? null : await readState(paths.state, command);
  if (found === null && paths.out !== paths.rows && paths.out !== null && (await isThere(paths.out))) {
    throw new Failure(
      `${paths.out} already exists, and there is no saved state to resume from: move it away, or use another --out`,
      WRONG_USE,
    );
  }
  const bytes = found?.bytes ?? null;
  const sink = paths.rows === null ? stdoutSink(bytes) : await fileSink(paths.rows, bytes);
  const seen = new SeenIds();
  const text: Format = command.format === 'csv' ? 'csv' : 'ndjson';
  if (paths.rows !== null && found !== null) await seen.learn(paths.rows, text, found.bytes);
  const state = found ?? { ...newState(command), bytes: sink.bytes };
  return { sink, state, seen, isResumed: found !== null };
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
