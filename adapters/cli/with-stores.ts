import { Lifecycle } from '../../app/lifecycle.js';
import type { Stores, StoresOptions } from '../../app/stores.js';
import type { Config } from '../../src/config/config.js';
import { configOfProcess } from './environment.js';
import { note } from './print.js';
import { closeOnInterrupt } from './shutdown-signals.js';

/** Opens the configured stores for a command, whether or not the service is running, and closes them afterwards. */
export async function withConfiguredStores<T>(
  config: Config,
  use: (stores: Stores) => Promise<T>,
  options: Pick<StoresOptions, 'others'> = {},
): Promise<T> {
  const { openStores } = await import('../../app/stores.js');
  const lifecycle = new Lifecycle();
  const release = closeOnInterrupt(lifecycle);
  try {
    const result = await lifecycle.start(async () =>
      use(await openStores(lifecycle, config, { others: 'unneeded', ...options, onProgress: note })),
    );
    await lifecycle.close();
    return result;
  } finally {
    release();
  }
}

/** Like `withConfiguredStores`, with the configuration of this process. */
export async function withStores<T>(
  use: (stores: Stores, config: Config) => Promise<T>,
  options: Pick<StoresOptions, 'others'> = {},
): Promise<T> {
  const config = configOfProcess();
  return withConfiguredStores(config, (stores) => use(stores, config), options);
}
