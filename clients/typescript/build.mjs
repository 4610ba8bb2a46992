// Builds what is packed: our sources as JavaScript with declarations, and gql.tada's declarations. These are only types,
// so users of the package need neither gql.tada (which brings a compiler plugin) nor graphql. Their licence is included.
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Kind, OperationTypeNode } from 'graphql';
import ts from 'typescript';

const HERE = dirname(fileURLToPath(import.meta.url));
const SOURCES = join(HERE, 'src');

/** Compiles each file on its own, because `npm run check` has checked their types together. */
function compiled(name) {
  const { config } = ts.readConfigFile(join(HERE, 'tsconfig.json'), ts.sys.readFile);
  // A single file does not say that it is a module; the package does.
  const modules = { module: 'ESNext', moduleResolution: 'Bundler' };
  const { options } = ts.convertCompilerOptionsFromJson({ ...config.compilerOptions, ...modules }, HERE);
  const given = { fileName: join(SOURCES, name), reportDiagnostics: true };
  const text = readFileSync(given.fileName, 'utf8');
  const declared = ts.transpileDeclaration(text, {
    ...given,
    compilerOptions: { ...options, isolatedDeclarations: true },
  });
  const written = ts.transpileModule(text, { ...given, compilerOptions: options });
  for (const { messageText } of [...declared.diagnostics, ...written.diagnostics]) {
    throw new Error(`${name}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
  }
  const stem = name.replace(/\.ts$/, '');
  return { [`${stem}.js`]: written.outputText, [`${stem}.d.ts`]: declared.outputText };
}

const replaced = (text, from, to) => {
  if (!text.includes(from)) throw new Error(`There is no ${from} to replace.`);
  return text.replaceAll(from, to);
};

/** TypeScript 5.9 declares a method with a computed name twice when it compiles a single file. */
const declaredOnce = (text, item) =>
  replaced(text, `    [Symbol.asyncIterator]: () => AsyncIterator<${item}, void, undefined>;\n`, '');

const enumOf = (name, values) =>
  `export declare enum ${name} {\n${Object.entries(values)
    .map(([key, value]) => `  ${key} = '${value}',\n`)
    .join('')}}\n`;

/** The few types of GraphQL documents that gql.tada's declarations refer to. */
const syntaxTree = () => `${enumOf('Kind', Kind)}${enumOf('OperationTypeNode', OperationTypeNode)}\
export interface DefinitionNode {
  readonly kind: Kind;
}
export interface DocumentNode {
  readonly kind: Kind.DOCUMENT;
  readonly definitions: readonly DefinitionNode[];
}
`;

/** The texts of the files in `dist`, by name. */
export function builtFiles() {
  const sources = readdirSync(SOURCES).filter((name) => name.endsWith('.ts'));
  const own = Object.assign({}, ...sources.map(compiled));
  const tada = dirname(dirname(createRequire(import.meta.url).resolve('gql.tada')));
  const theirs = (file) => readFileSync(join(tada, file), 'utf8');
  const chunk = replaced(theirs('dist/chunks/index-chunk.d.ts'), "'@0no-co/graphql.web'", "'../../syntax-tree.js'");
  return {
    ...own,
    'document.d.ts': replaced(own['document.d.ts'], "'gql.tada'", "'./gql.tada/gql-tada.js'"),
    'pages.d.ts': declaredOnce(own['pages.d.ts'], 'P'),
    'follow.d.ts': declaredOnce(own['follow.d.ts'], 'Item'),
    'syntax-tree.d.ts': syntaxTree(),
    'gql.tada/LICENSE.md': theirs('LICENSE.md'),
    'gql.tada/gql-tada.d.ts': theirs('dist/gql-tada.d.ts'),
    'gql.tada/chunks/index-chunk.d.ts': chunk,
  };
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const dist = join(HERE, 'dist');
  rmSync(dist, { recursive: true, force: true });
  for (const [name, text] of Object.entries(builtFiles())) {
    mkdirSync(dirname(join(dist, name)), { recursive: true });
    writeFileSync(join(dist, name), text);
  }
}
