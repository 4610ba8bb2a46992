#!/usr/bin/env node
// The command in the build: the package's `bin`, which a clone also runs.
import { requireNode } from './node-version.mjs';

requireNode();
// Stack traces refer to the sources.
process.setSourceMapsEnabled(true);
const { main } = await import('./program.js');
await main();
