#!/usr/bin/env node
// The command in a clone: checks Node, installs the lockfile's packages, builds the current sources, then runs the
// build.
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
// Workers are started like this process: from the build.
process.argv[1] = fileURLToPath(built);
await import(built.href);
