import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

/** A file of the repository; `path` is from the root, with slashes. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

const TOP_FOLDERS = ['app', 'src', 'schema', 'adapters', 'demo', 'test', 'bench', 'tools'] as const;

/** Every file below these folders of the repository. */
export function readSources(folders: readonly string[] = TOP_FOLDERS): Source[] {
  return folders.flatMap((folder) =>
    readdirSync(join(REPOSITORY, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => ({ path: file.slice(REPOSITORY.length).replaceAll('\\', '/'), text: readFileSync(file, 'utf8') })),
  );
}

export const isCode = ({ path }: Source): boolean => /\.(?:ts|tsx|js|mjs)$/.test(path);

export const linesOf = (text: string): number => text.trimEnd().split('\n').length;

/** Folders with more than 20 files, except those that hold rows: migrations, and texts of the demo network. */
export function longFolders(sources: readonly Source[]): string[] {
  const counts = new Map<string, number>();
  for (const { path } of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  const areRows = (folder: string): boolean => /\/migrations$|^demo\/vocabulary\//.test(folder);
  return [...counts]
    .filter(([folder, count]) => count > 20 && !areRows(folder))
    .map(([folder, count]) => `${folder}: ${count}`);
}

/** Files of at most 60 lines that exactly one file imports, and that file is in the same folder. */
export function smallNeighbours(sources: readonly Source[]): string[] {
  const importers = new Map<string, Set<string>>();
  for (const { from, to, isFile } of sources.flatMap(importsOf)) {
    if (isFile) importers.set(to, (importers.get(to) ?? new Set()).add(from));
  }
  const isSmallNeighbour = ({ path, text }: Source): boolean => {
    const [only, ...others] = importers.get(path.replace(/\.\w+$/, '')) ?? [];
    return linesOf(text) <= 60 && others.length === 0 && only !== undefined && dirname(only) === dirname(path);
  };
  return sources.filter(isSmallNeighbour).map(({ path }) => path);
}

export interface Import {
  readonly from: string;
  /** A file of the repository without its extension, or the name of a package. */
  readonly to: string;
  readonly isFile: boolean;
  readonly isTypeOnly: boolean;
}

/** What a file imports or re-exports from other files, `import()` included. */
export function importsOf(source: Source): Import[] {
  const found: Import[] = [];
  const add = (specifier: string, isTypeOnly: boolean): void => {
    const isFile = specifier.startsWith('.');
    const to = isFile ? normalize(join(dirname(source.path), specifier)).replace(/\.\w+$/, '') : specifier;
    found.push({ from: source.path, to, isFile, isTypeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      add(node.moduleSpecifier.text, isOnlyTypes(node.importClause));
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
      add(node.moduleSpecifier.text, node.isTypeOnly);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [specifier] = node.arguments;
      if (specifier && ts.isStringLiteral(specifier)) add(specifier.text, false);
    }
    ts.forEachChild(node, visit);
  };
  visit(parsed(source));
  return found;
}

function isOnlyTypes(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  if (clause.isTypeOnly) return true;
  const { name, namedBindings } = clause;
  if (name !== undefined || namedBindings === undefined || !ts.isNamedImports(namedBindings)) return false;
  return namedBindings.elements.every((element) => element.isTypeOnly);
}

export function hasDefaultExport(source: Source): boolean {
  return parsed(source).statements.some(
    (statement) =>
      (ts.isExportAssignment(statement) && !statement.isExportEquals) ||
      (ts.canHaveModifiers(statement) &&
        ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)),
  );
}

/**
 * Functions and methods with their numbers of lines. A function that only returns an object is a table, and left out.
 */
export function functionsOf(source: Source): { name: string; lines: number }[] {
  const file = parsed(source);
  const found: { name: string; lines: number }[] = [];
  const lineAt = (position: number): number => file.getLineAndCharacterOfPosition(position).line;
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body && !isTable(node.body as ts.Node)) {
      const line = lineAt(node.getStart(file));
      found.push({ name: `${source.path}:${line + 1}`, lines: lineAt(node.end) - line + 1 });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

const isTable = (body: ts.Node): boolean =>
  ts.isArrayLiteralExpression(body) ||
  (ts.isParenthesizedExpression(body) && ts.isObjectLiteralExpression(body.expression));

const trees = new WeakMap<Source, ts.SourceFile>();

function parsed(source: Source): ts.SourceFile {
  const tree = trees.get(source) ?? ts.createSourceFile(source.path, source.text, ts.ScriptTarget.Latest, true);
  trees.set(source, tree);
  return tree;
}
