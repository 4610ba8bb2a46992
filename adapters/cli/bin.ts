#!/usr/bin/env node
// The command in the build: the package's `bin`, which a clone also runs.
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { requireNode } from './node-version.mjs';

requireNode();
// From 22.1 on, Node keeps its compiled code next to the program for the next start, if it may write there.
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => void };
enableCompileCache?.(fileURLToPath(new URL('../../.compiled', import.meta.url)));
// Stack traces refer to the sources.
process.setSourceMapsEnabled(true);
const { main } = await import('./program.js');
await main();
