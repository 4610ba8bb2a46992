import { join } from 'node:path';
import type { Config } from '../../src/config/config.js';

/** Where the demo key is kept for GraphiQL's button: readable only by its owner. */
export const demoKeyFile = (config: Config): string => join(config.home, 'demo-key');

/** The same for the demo account's test key. */
export const demoTestKeyFile = (config: Config): string => join(config.home, 'demo-test-key');
