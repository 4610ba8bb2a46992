#!/usr/bin/env node
// The command, as it is built: the package's `bin`, and what a clone runs.
import { requireNode } from './node-version.mjs';

requireNode();
// Traces name the sources.
process.setSourceMapsEnabled(true);
const { main } = await import('./main.js');
await main();
