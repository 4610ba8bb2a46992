/**
 * Reads files into corpus rows. Always true: a reader never throws because of a file's content; every piece of a file
 * becomes rows or a fault with its file and line, or is counted as omitted; memory does not grow with the file. Readers
 * know nothing of the database; the loader knows nothing of files.
 */
import type { CorpusRow } from '../../rows.js';

/** What is wrong in a file, its position, and what would be right. Lines count from 1. */
export interface Fault {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

export interface Located {
  readonly row: CorpusRow;
  readonly line: number;
  /** More rows of the same object follow, such as a page's tweets after their authors; all are stored together. */
  readonly continues?: boolean;
}

/** How much of one kind was left out of a file on purpose; reported once, at its end. */
export interface Omission {
  readonly file: string;
  /** In the plural. */
  readonly omitted: string;
  readonly count: number;
}

/** The row that an object of a file became, or a text that says what is wrong with it. */
export type Given = CorpusRow | string;

export type Reading = Located | Fault | Omission;

export const isFault = (reading: Reading | CorpusRow): reading is Fault => 'message' in reading;

export const isOmission = (reading: Reading | CorpusRow): reading is Omission => 'omitted' in reading;

/** One JSON text of a file, with the line where it begins, or why it is invalid. */
export type FilePiece =
  | { readonly line: number; readonly text: string }
  | { readonly line: number; readonly problem: string };

export type Json = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Lists and objects of foreign JSON with the expected type; any other value is empty. */
export const asRecord = (value: unknown): Json => (isRecord(value) ? value : {});
export const asRecords = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isRecord) : []);

const withLocation = (given: Given, file: string, line: number, continues: boolean): Located | Fault =>
  typeof given === 'string' ? { file, line, message: given } : { row: given, line, continues };

/** The rows and faults of one object of a file, with their places. */
export const located = (all: readonly Given[], file: string, line: number): (Located | Fault)[] =>
  all.map((given, index) => withLocation(given, file, line, index < all.length - 1));
