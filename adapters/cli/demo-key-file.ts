import { join } from 'node:path';
import type { Config } from '../../src/config/config.js';

/** Where the demo key is kept for GraphiQL's button: readable by its owner alone. */
export const demoKeyFile = (config: Config): string => join(config.home, 'demo-key');
