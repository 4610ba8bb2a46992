/**
 * Reads files into corpus rows. Always true: a reader never throws because of a file's content, every piece of a file
 * becomes rows or a fault with its file and line, and memory does not grow with the file. Readers know nothing of the
 * database; the loader knows nothing of files.
 */
import type { CorpusRow } from '../rows.js';

/** What is wrong in a file, its position, and what would be right. Lines count from 1. */
export interface Fault {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

export interface Located {
  readonly row: CorpusRow;
  readonly line: number;
}

export type Reading = Located | Fault;

export const isFault = (reading: Reading | CorpusRow): reading is Fault => 'message' in reading;

/** One JSON text of a file, with the line where it begins, or why it is invalid. */
export type Piece =
  | { readonly line: number; readonly text: string }
  | { readonly line: number; readonly problem: string };

export type Json = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Lists and objects of foreign JSON with the expected type; any other value is empty. */
export const asRecord = (value: unknown): Json => (isRecord(value) ? value : {});
export const asRecords = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isRecord) : []);
