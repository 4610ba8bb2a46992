import { openStores, type Stores } from '../../app/stores.js';
import type { Config } from '../../src/config/config.js';
import { configOfProcess } from './environment.js';
import { closeOnInterrupt } from './interrupts.js';
import { note } from './print.js';

/** Opens the stores of a configuration for a command, whether the service runs or not, and leaves them as they were found. */
export async function withStoresOf<T>(config: Config, use: (stores: Stores) => Promise<T>): Promise<T> {
  const opening = openStores(config, note);
  const release = closeOnInterrupt(opening);
  try {
    const stores = await opening;
    return await use(stores).finally(() => stores.close());
  } finally {
    release();
  }
}

/** The same for the configuration of this process. */
export async function withStores<T>(use: (stores: Stores, config: Config) => Promise<T>): Promise<T> {
  const config = configOfProcess();
  return withStoresOf(config, (stores) => use(stores, config));
}
