// The differences between the sources, which tests run directly, and the program that is built from them.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, relative } from 'node:path';
import peggy from 'peggy';
import { REPAIRED_FILE, repaired } from './postgres-driver.mjs';

const LOADERS = { '.ts': 'ts', '.tsx': 'tsx' };

const slashed = (path) => path.replaceAll('\\', '/');

/**
 * Built modules end up in one folder, but the files they read are copied to dist under their old paths. So
 * `import.meta.url` is replaced by the address that the module would have under its own path in dist. `folder`: the
 * folder of the built files within dist; its root by default.
 */
export const addressesOfModules = (root, folder = '') => ({
  name: 'addresses of modules',
  setup(build) {
    build.onLoad({ filter: /\.tsx?$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const loader = LOADERS[path.slice(path.lastIndexOf('.'))];
      if (path.includes('node_modules') || !text.includes('import.meta.url')) return { contents: text, loader };
      const address = `new URL('./${slashed(relative(join(root, folder), path))}', import.meta.url).href`;
      return { contents: text.replaceAll('import.meta.url', address), loader };
    });
  },
});

/** Generates the parser of searches from its grammar at build time instead of at every start. */
export const grammars = () => ({
  name: 'grammars',
  setup(build) {
    build.onLoad({ filter: /[\\/]search[\\/]grammar\.ts$/ }, ({ path }) => {
      const file = join(dirname(path), 'query.peggy');
      // With `cache`, the same option as in the module itself.
      const parser = peggy.generate(readFileSync(file, 'utf8'), { cache: true, format: 'es', output: 'source' });
      return { contents: `${parser}\nexport const parser = { parse: peg$parse, SyntaxError: peg$SyntaxError };` };
    });
  },
});

/**
 * Copies files of packages that are sent to browsers, so that the program does not need the packages. Minifies them,
 * because GraphiQL's package does not.
 */
export const packageFiles = (root, outdir) => ({
  name: 'package files',
  setup(build) {
    build.onLoad({ filter: /[\\/]package-file\.ts$/ }, () => ({
      contents: `
        import { readFileSync } from 'node:fs';
        export const packageFile = (name, file) => readFileSync(new URL(\`./packages/\${name}/\${file}\`, import.meta.url));
      `,
    }));
    build.onEnd(async ({ metafile }) => {
      for (const input of Object.keys(metafile?.inputs ?? {}).filter((path) => path.endsWith('assets.ts'))) {
        const text = readFileSync(join(root, input), 'utf8');
        for (const [, name, file] of text.matchAll(/packageFile\('([^']+)', '([^']+)'\)/g)) {
          const target = join(outdir, 'packages', name, file);
          mkdirSync(dirname(target), { recursive: true });
          const from = folderOf(root, name);
          const { code } = await build.esbuild.transform(readFileSync(join(from, file), 'utf8'), {
            loader: extname(file).slice(1),
            minify: true,
          });
          writeFileSync(target, code);
          const licences = readdirSync(from).filter((each) => /^licen[cs]e/i.test(each));
          for (const licence of licences) cpSync(join(from, licence), join(outdir, 'packages', name, licence));
        }
      }
    });
  },
});

/** Makes the program read the clients' archives from files, because creating them needs a compiler. */
export const archivesOfClients = () => ({
  name: 'archives of the clients',
  setup(build) {
    build.onLoad({ filter: /[\\/]client-archives\.ts$/ }, () => ({
      contents: `
        import { readFile } from 'node:fs/promises';
        const read = (name) => readFile(new URL(\`./clients/\${name}\`, import.meta.url));
        export const clientArchives = async () => ({ typescript: await read('typescript.tgz'), python: await read('python.whl') });
      `,
    }));
  },
});

/** Includes the repaired Postgres driver in the program. Other packages are installed as dependencies. */
export const postgresDriver = (root) => ({
  name: 'postgres driver',
  setup(build) {
    build.onResolve({ filter: /^postgres$/ }, () => ({ path: join(folderOf(root, 'postgres'), 'src', 'index.js') }));
    build.onLoad({ filter: REPAIRED_FILE }, ({ path }) => ({ contents: repaired(readFileSync(path, 'utf8'), path) }));
  },
});

const folderOf = (root, name) => {
  const folders = createRequire(join(root, 'app/build/')).resolve.paths(name) ?? [];
  for (const folder of folders) {
    try {
      readFileSync(join(folder, name, 'package.json'));
      return join(folder, name);
    } catch {
      // Not in this folder; the next one may have it.
    }
  }
  throw new Error(`${name} is not installed`);
};
