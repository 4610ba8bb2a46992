// What stands for app/embed.ts in the package: JavaScript and declarations of what it reaches, in dist/. Node takes no
// TypeScript from within node_modules. `npm pack` runs this before, and with --remove after: a checkout runs the source.
// The command keeps to the sources: it has tsx.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
const ENTRY = join(ROOT, 'app/embed.ts');
/** What `perch/mercurius` leads to, for Node and for compilers. In a checkout tsx and tsc find the source by the same name. */
const LEADING = ['app/embed.js', 'app/embed.d.ts'];
/** What is read beside the code as it starts. */
const ASSETS = [
  'schema/operations',
  'adapters/networks/search/query.peggy',
  'adapters/postgres/migrations',
  'adapters/site/files',
];

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function build() {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [ENTRY] }, ts.sys, ROOT);
  // Types were checked by `npm run check`: here they are only written down.
  const declaring = { ...options, noEmit: false, noCheck: true, declaration: true, rootDir: ROOT, outDir: DIST };
  const program = ts.createProgram([ENTRY], declaring);
  for (const { fileName, isDeclarationFile, text } of program.getSourceFiles()) {
    const path = relative(ROOT, fileName);
    if (isDeclarationFile || path.startsWith('..')) continue;
    const compilerOptions = { ...options, module: ts.ModuleKind.ESNext };
    const { outputText } = ts.transpileModule(text, { compilerOptions, fileName });
    write(join(DIST, path.replace(/\.tsx?$/, '.js')), outputText);
  }
  declare(program, ENTRY, new Set());
  for (const path of ASSETS) cpSync(join(ROOT, path), join(DIST, path), { recursive: true });
  for (const path of LEADING) write(join(ROOT, path), "export * from '../dist/app/embed.js';\n");
}

/** The declarations of a file, and of those that they name: no others are to be seen from outside. */
function declare(program, path, done) {
  if (done.has(path)) return;
  done.add(path);
  const writeFile = (target, text) => {
    write(target, text);
    for (const { fileName } of ts.preProcessFile(text).importedFiles) {
      if (fileName.startsWith('.')) declare(program, join(dirname(path), fileName.replace(/\.js$/, '.ts')), done);
    }
  };
  const { emitSkipped } = program.emit(program.getSourceFile(path), writeFile, undefined, true);
  if (emitSkipped) throw new Error(`${path} has no declarations.`);
}

for (const path of ['dist', ...LEADING]) rmSync(join(ROOT, path), { recursive: true, force: true });
if (!process.argv.includes('--remove')) build();
