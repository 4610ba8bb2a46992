// Writes type declarations of the package's exports: of the plugin, and of all types that its declarations refer to.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

export function declare(root, outdir, entry) {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [entry] }, ts.sys, root);
  // `npm run check` checks the types; here they are only written.
  const declaring = { noEmit: false, noCheck: true, declaration: true, emitDeclarationOnly: true };
  const program = ts.createProgram([join(root, entry)], { ...options, ...declaring, rootDir: root, outDir: outdir });
  declareFile(program, join(root, entry), new Set());
}

/** Writes the declarations of a file and of the files they import, so that nothing else is visible from outside. */
function declareFile(program, path, done) {
  if (done.has(path)) return;
  done.add(path);
  const writeFile = (target, text) => {
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, text);
    for (const { fileName } of ts.preProcessFile(text).importedFiles) {
      if (fileName.startsWith('.')) declareFile(program, join(dirname(path), fileName.replace(/\.js$/, '.ts')), done);
    }
  };
  const { emitSkipped } = program.emit(program.getSourceFile(path), writeFile, undefined, true);
  if (emitSkipped) throw new Error(`${path} has no declarations.`);
}
