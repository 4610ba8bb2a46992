import { randomUUID } from 'node:crypto';
import type { Cached } from '../../src/ports/cache.js';

/** The header of a stored value: enough to know whether a local copy is current. */
export interface EntryHeader {
  /** Different for each `set`. */
  readonly version: string;
  readonly fetchedAt: number;
  readonly expiresAtMs: number;
}

export interface StoredEntry {
  readonly header: EntryHeader;
  readonly cached: Cached<unknown>;
}

/** Characters, each of them one byte. */
export const HEADER_BYTES = 96;

export const newVersion = (): string => randomUUID();

const writeHeader = ({ version, fetchedAt, expiresAtMs }: EntryHeader): string =>
  `${version} ${fetchedAt} ${expiresAtMs}`.padEnd(HEADER_BYTES);

/** Undefined when nothing is stored, or something that another program wrote. */
export function readHeader(text: string | null): EntryHeader | undefined {
  if (text === null || text.length < HEADER_BYTES) return undefined;
  const parts = text.slice(0, HEADER_BYTES).trimEnd().split(' ');
  const [version = '', fetchedAt, expiresAtMs] = [parts[0], Number(parts[1]), Number(parts[2])];
  if (parts.length !== 3 || Number.isNaN(fetchedAt) || Number.isNaN(expiresAtMs)) return undefined;
  return { version, fetchedAt, expiresAtMs };
}

/** Undefined for a value that is not JSON. */
export function writeStored(header: EntryHeader, value: unknown): string | undefined {
  const json = JSON.stringify(value);
  return json === undefined ? undefined : writeHeader(header) + json;
}

export function readStored(text: string | null): StoredEntry | undefined {
  const header = readHeader(text);
  if (header === undefined || text === null) return undefined;
  try {
    return { header, cached: { value: JSON.parse(text.slice(HEADER_BYTES)), fetchedAt: header.fetchedAt } };
  } catch {
    return undefined;
  }
}
