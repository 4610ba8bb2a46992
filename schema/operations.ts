import { readdirSync, readFileSync } from 'node:fs';
import { listDocuments } from './list-documents.js';

const FOLDER = new URL('./operations/', import.meta.url);
const FRAGMENTS = new URL('./operations/fragments/', import.meta.url);

const read = (folder: URL): (readonly [name: string, text: string])[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.graphql'))
    .sort()
    .map((file) => [file.replace(/\.graphql$/, ''), readFileSync(new URL(file, folder), 'utf8')]);

/**
 * The persisted operations by name, those of lists and those in files: each text is followed by the fragments it
 * spreads, directly or through another. Clients hash this text to run an operation by its SHA-256.
 */
export function readOperations(): Record<string, string> {
  const fragments = read(FRAGMENTS).map(([, text]) => text);
  return Object.fromEntries(
    [...read(FOLDER), ...listDocuments()].map(([name, text]) => [name, withFragments(text, fragments)]),
  );
}

function withFragments(text: string, fragments: readonly string[]): string {
  const used = fragments.filter((fragment) => {
    const name = /^fragment (\w+)/.exec(fragment)?.[1];
    return name !== undefined && text.includes(`...${name}`);
  });
  const whole = [text, ...used].join('\n');
  const missing = fragments.filter((fragment) => {
    const name = /^fragment (\w+)/.exec(fragment)?.[1];
    return !used.includes(fragment) && name !== undefined && whole.includes(`...${name}`);
  });
  return missing.length > 0 ? [whole, ...missing].join('\n') : whole;
}
