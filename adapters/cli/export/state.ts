import { open, readFile, rename, rm } from 'node:fs/promises';
import { z } from 'zod';
import { Failure, fileFailure, WRONG_USE } from '../failure.js';

const commandShape = z.object({
  url: z.string(),
  list: z.string(),
  subject: z.string(),
  product: z.string().nullable(),
  format: z.string(),
  /** Rows read with `fresh` and cached rows must not be mixed. */
  fresh: z.boolean(),
});

const stateShape = z.object({
  version: z.literal(1),
  command: commandShape,
  /** The cursor of the next page; null: the first page. */
  cursor: z.string().nullable(),
  items: z.number().int(),
  /** Repeated items that were left out. */
  repeats: z.number().int(),
  /** Thousandths of a credit charged for pages. */
  spent: z.number().int(),
  /** The most thousandths that calls without an answer may have been charged; they count as spent. */
  unsure: z.number().int(),
  /** The most that the call in flight at the time of saving may have been charged; 0 between calls. */
  pending: z.number().int(),
  /** The length of the file up to the last valid row. */
  bytes: z.number().int(),
  /** Whether the last page has been read. */
  isComplete: z.boolean(),
  /** Items newer than this have not been read; null if unknown, for example for a list that is not ordered by time. */
  since: z.string().nullable().default(null),
  /**
   * What the key had been charged for this operation when that was last looked up, with what was spent and unsure then,
   * and the first day of these charges. What it is charged since bounds what calls without an answer cost.
   */
  counted: z
    .object({
      keyPrefix: z.string(),
      from: z.string(),
      charged: z.number().int(),
      spent: z.number().int(),
      unsure: z.number().int(),
    })
    .nullable()
    .default(null),
  /** Whether the export continues with new items. Its state is then kept after the whole list has been read. */
  isFollowed: z.boolean().default(false),
});

/** What identifies an export across runs. Budget, limit and page size may change between runs. */
export type ExportCommand = z.infer<typeof commandShape>;
/** The progress of an export. It does not contain the key. */
export type ExportState = z.infer<typeof stateShape>;

export const newState = (command: ExportCommand): ExportState => ({
  version: 1,
  command,
  cursor: null,
  items: 0,
  repeats: 0,
  spent: 0,
  unsure: 0,
  pending: 0,
  bytes: 0,
  isComplete: false,
  since: null,
  counted: null,
  isFollowed: false,
});

/**
 * The state that an earlier run of the same command saved; null if there is none. Throws Failure if the state is
 * another command's.
 */
export async function readState(path: string, command: ExportCommand): Promise<ExportState | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw fileFailure(path, 'read', error);
  });
  if (text === null) return null;
  const state = parseState(text);
  if (state === null)
    throw new Failure(`${path} is not an export state file: move it away, or use another --state or --out`, WRONG_USE);
  const names = Object.keys(commandShape.shape) as (keyof ExportCommand)[];
  const other = names.filter((name) => state.command[name] !== command[name]);
  if (other.length > 0) {
    const says = other.map((name) => `${name} ${state.command[name] ?? 'unset'}, not ${command[name] ?? 'unset'}`);
    throw new Failure(
      `${path} is the state of a different export (${says.join('; ')}); use another --state or --out`,
      WRONG_USE,
    );
  }
  // After a run that was killed, the charge of its last call is unknown.
  return { ...state, unsure: state.unsure + state.pending, pending: 0 };
}

function parseState(text: string): ExportState | null {
  try {
    return stateShape.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Replaces the state atomically. Throws Failure, and leaves the previous state. */
export async function writeState(path: string, state: ExportState): Promise<void> {
  const aside = `${path}.new`;
  try {
    await writeDown(aside, `${JSON.stringify(state)}\n`);
    await rename(aside, path);
  } catch (error) {
    await rm(aside, { force: true });
    throw fileFailure(path, 'written', error as NodeJS.ErrnoException);
  }
}

async function writeDown(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.datasync();
  } finally {
    await file.close();
  }
}

export const removeState = (path: string): Promise<void> => rm(path, { force: true });
