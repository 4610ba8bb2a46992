// Starts the thread that draws from its source; the build has it as JavaScript in the place of this file.
import { fileURLToPath } from 'node:url';
import { register } from 'tsx/esm/api';

register({ tsconfig: fileURLToPath(new URL('../../tsconfig.json', import.meta.url)) });
await import('./chart-worker.ts');
