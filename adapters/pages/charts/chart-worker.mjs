// Starts the drawing thread from its source; the build puts compiled JavaScript in place of this file.
import { fileURLToPath } from 'node:url';
import { register } from 'tsx/esm/api';

register({ tsconfig: fileURLToPath(new URL('../../../tsconfig.json', import.meta.url)) });
await import('./chart-worker.ts');
