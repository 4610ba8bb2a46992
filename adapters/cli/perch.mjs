#!/usr/bin/env node
// The command in a clone: a fit Node, what the lockfile names, a build of the sources as they are; then what was built.
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from './ensure-built.mjs';
import { ensureInstalled } from './install.mjs';
import { requireNode } from './node-version.mjs';

requireNode();
try {
  await ensureInstalled();
  await ensureBuilt();
} catch (error) {
  process.stderr.write(`perch: ${error.message}\n`);
  process.exit(1);
}

const built = new URL('../../dist/perch.js', import.meta.url);
// Workers are started as this process was: on what was built.
process.argv[1] = fileURLToPath(built);
await import(built.href);
