import cluster from 'node:cluster';
import { compose } from '../../../app/compose.js';
import { Lifecycle } from '../../../app/lifecycle.js';
import { openStores } from '../../../app/stores.js';
import { endingOf } from '../failure.js';
import { createLog } from '../log.js';
import { drainMsOf, exitCodeOf, listenForSignals } from './asked.js';
import type { Order, Report } from './orders.js';

type Work = Extract<Order, { say: 'serve' }>;

/** One of several processes that serve the port: as the primary says, until it says stop, is gone, or a signal comes. */
export async function work(): Promise<void> {
  const asked = listenForSignals();
  void asked.twice.then((signal) => process.exit(exitCodeOf(signal)));
  const orders = listenForOrders();
  tell({ say: 'ready' });
  const job = await orders.serve;
  const signalled = asked.once.then((signal) => drainMsOf(signal, job.config));
  try {
    await serveUntil(job, Promise.race([orders.stop, signalled]));
    process.exit(0);
  } catch (error) {
    const { message, exitCode } = endingOf(error);
    // The primary says it, once for all, and ends this process.
    tell({ say: 'failed', message: message ?? '', exitCode });
    await orders.stop;
    process.exit(exitCode);
  }
}

async function serveUntil({ config, demoKey, worker }: Work, stop: Promise<number>): Promise<void> {
  const lifecycle = new Lifecycle();
  await lifecycle.start(async () => {
    const stores = await openStores(lifecycle, config);
    const log = createLog(config.log).child({ worker });
    const serving = await compose(lifecycle, config, stores, { log, demoKey });
    tell({ say: 'serving', url: serving.url });
    await serving.drain(await stop);
  });
  await lifecycle.close();
}

/** A primary that is gone can hand over no connection any more: what is open is finished. */
function listenForOrders(): { serve: Promise<Work>; stop: Promise<number> } {
  const heard = <S extends Order['say']>(say: S): Promise<Extract<Order, { say: S }>> =>
    new Promise((resolve) => {
      process.on('message', (order: Order) => {
        if (order.say === say) resolve(order as Extract<Order, { say: S }>);
      });
    });
  const gone = new Promise<number>((resolve) => {
    cluster.worker?.once('disconnect', () => {
      // Node would end the process here and now, and cut off what is in flight.
      if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
      resolve(0);
    });
  });
  return { serve: heard('serve'), stop: Promise.race([heard('stop').then(({ drainMs }) => drainMs), gone]) };
}

const tell = (report: Report): void => {
  if (process.connected) process.send?.(report);
};
