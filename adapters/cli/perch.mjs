#!/usr/bin/env node
// The command as the package's `bin`: a fit Node, the dependencies, then the program, which is TypeScript.
import { ensureInstalled, PACKAGE_FOLDER } from './install.mjs';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`perch: needs Node 20.19 or newer; this is ${process.version} (${process.execPath})\n`);
  process.exit(2);
}

try {
  await ensureInstalled();
} catch (error) {
  process.stderr.write(`perch: ${error.message}\n`);
  process.exit(1);
}

const { register } = await import('tsx/esm/api');
register({ tsconfig: `${PACKAGE_FOLDER}/tsconfig.json` });
const { main } = await import('./main.ts');
await main();
