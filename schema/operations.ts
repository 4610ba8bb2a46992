import { readdirSync, readFileSync } from 'node:fs';
import { type FieldNode, Kind, parse, print, type SelectionNode, visit } from 'graphql';
import { listDocuments, liveDocuments, type Release } from './list-documents.js';

const FOLDER = new URL('./operations/', import.meta.url);
/** The fragments, now and as released. Before a released fragment changes, its old text is added here. */
const FRAGMENTS: Readonly<Record<Release, URL>> = {
  next: new URL('./operations/fragments/', import.meta.url),
  '0.3.0': new URL('./operations/fragments-0.3.0/', import.meta.url),
};

/** Operations as 0.3.0 had them. Before a released operation changes, its old text is added here. */
const OF_RELEASE = new URL('./operations/of-0.3.0/', import.meta.url);

const read = (folder: URL): (readonly [name: string, text: string])[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.graphql'))
    .sort()
    .map((file) => [file.replace(/\.graphql$/, ''), readFileSync(new URL(file, folder), 'utf8')]);

/**
 * The persisted operations by name, those of lists and those in files: each text is followed by the fragments it
 * spreads, directly or through another. REST and MCP run them.
 */
export const readOperations = (): Record<string, string> => operationsOf('next');

/** The operations that follow lists, by name: REST streams run them. */
export const readLiveOperations = (): Record<string, string> => withAllFragments('next', liveDocuments());

/** The names of all persisted operations. */
export const operationNames = (): string[] => Object.keys({ ...readOperations(), ...readLiveOperations() });

/**
 * Names and texts of operations that clients run by SHA-256, in addition to those of `readOperations`: those published
 * now, and those of an earlier release (G20).
 */
export const hashedTexts = (published: Readonly<Record<string, string>>): (readonly [name: string, text: string])[] => [
  ...Object.entries(published),
  ...Object.entries(operationsOf('0.3.0')),
];

/**
 * The operations as published to clients. Each selection set has `__typename`: without it clients' caches cannot tell
 * objects apart, and would drop objects that were paid for (G19). Printed in the form that clients print before they
 * hash.
 */
export const publishedOperations = (operations: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(operations).map(([name, text]) => [name, withTypenames(text)]));

const withTypenames = (text: string): string =>
  print(
    visit(parse(text), {
      SelectionSet: (set) =>
        set.selections.some(isTypename) ? undefined : { ...set, selections: [...set.selections, TYPENAME] },
    }),
  );

const TYPENAME: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } };

const isTypename = (node: SelectionNode): boolean =>
  node.kind === Kind.FIELD && node.name.value === TYPENAME.name.value;

const operationsOf = (release: Release): Record<string, string> =>
  withAllFragments(release, [
    ...read(FOLDER),
    ...(release === '0.3.0' ? read(OF_RELEASE) : []),
    ...listDocuments(release),
  ]);

function withAllFragments(
  release: Release,
  documents: readonly (readonly [name: string, text: string])[],
): Record<string, string> {
  const fragments = read(FRAGMENTS[release]).map(([, text]) => text);
  return Object.fromEntries(documents.map(([name, text]) => [name, withFragments(text, fragments)]));
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
