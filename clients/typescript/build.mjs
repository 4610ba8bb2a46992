// What is packed: our sources by tsc, and gql.tada's declarations beside them. They are types alone, so a user of the
// package needs neither gql.tada (which brings a compiler plugin) nor graphql; their licence goes with them.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Kind, OperationTypeNode } from 'graphql';

const HERE = import.meta.dirname ?? dirname(new URL(import.meta.url).pathname);
const DIST = join(HERE, 'dist');
const resolve = createRequire(import.meta.url).resolve;
const TADA = dirname(dirname(resolve('gql.tada')));

function replaceIn(file, from, to) {
  const text = readFileSync(file, 'utf8');
  if (!text.includes(from)) throw new Error(`${file} does not hold ${from}`);
  writeFileSync(file, text.replaceAll(from, to));
}

const enumOf = (name, values) =>
  `export declare enum ${name} {\n${Object.entries(values)
    .map(([key, value]) => `  ${key} = '${value}',\n`)
    .join('')}}\n`;

/** The few types of a GraphQL document that gql.tada's declarations name. */
const syntaxTree = () => `${enumOf('Kind', Kind)}${enumOf('OperationTypeNode', OperationTypeNode)}\
export interface DefinitionNode {
  readonly kind: Kind;
}
export interface DocumentNode {
  readonly kind: Kind.DOCUMENT;
  readonly definitions: readonly DefinitionNode[];
}
`;

rmSync(DIST, { recursive: true, force: true });
execFileSync(process.execPath, [resolve('typescript/bin/tsc'), '--project', join(HERE, 'tsconfig.json')], {
  stdio: 'inherit',
});
const bundled = join(DIST, 'gql.tada');
mkdirSync(join(bundled, 'chunks'), { recursive: true });
cpSync(join(TADA, 'LICENSE.md'), join(bundled, 'LICENSE.md'));
for (const file of ['gql-tada.d.ts', 'chunks/index-chunk.d.ts']) cpSync(join(TADA, 'dist', file), join(bundled, file));
writeFileSync(join(DIST, 'syntax-tree.d.ts'), syntaxTree());
replaceIn(join(bundled, 'chunks/index-chunk.d.ts'), "'@0no-co/graphql.web'", "'../../syntax-tree.js'");
replaceIn(join(DIST, 'document.d.ts'), "'gql.tada'", "'./gql.tada/gql-tada.js'");
