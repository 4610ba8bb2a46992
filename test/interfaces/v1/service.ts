import type { Network } from '../../../src/ports/network.js';
import { type Customers, customersOf } from '../../kit/customers.js';
import { type Faults, withFaults } from '../../kit/networks/faults.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';
import { type ManualClock, manualClock } from '../../kit/time/manual-clock.js';
import { fillSmallCorpus } from './small-corpus.js';

export interface Service extends Customers {
  readonly perch: TestPerch;
  readonly clock: ManualClock;
  readonly faults: Faults;
  close(): Promise<void>;
}

/** A Perch over the small corpus, which a test can make fail. Its clock stands still until the test moves it. */
export async function startService(env: Record<string, string> = {}): Promise<Service> {
  const clock = manualClock();
  let faults: Faults | undefined;
  const perch = await startPerch({
    clock,
    env,
    prepare: ({ sql }) => fillSmallCorpus(sql),
    wrapCorpus(corpus: Network) {
      faults = withFaults(corpus);
      return faults.network;
    },
  });
  if (!faults) throw new Error('The corpus was not asked for.');
  const customers = customersOf(perch);
  return {
    ...customers,
    perch,
    clock,
    faults,
    async close() {
      await customers.settle();
      await perch.close();
    },
  };
}
