import cluster from 'node:cluster';
import { compose } from '../../../app/compose.js';
import { Lifecycle } from '../../../app/lifecycle.js';
import { openStores } from '../../../app/stores.js';
import { toEnding } from '../failure.js';
import { note } from '../print.js';
import { createLog } from '../serve/log.js';
import { drainMsFor, exitCodeFor, listenForShutdown } from '../shutdown-signals.js';
import { longestStopMs, type SupervisorMessage, type WorkerMessage } from './supervisor.js';

type Work = Extract<SupervisorMessage, { say: 'serve' }>;

/** Runs one of the processes that serve the port, until the primary says stop or ends, or a signal arrives. */
export async function work(): Promise<void> {
  const shutdown = listenForShutdown();
  void shutdown.second.then((signal) => process.exit(exitCodeFor(signal)));
  const messages = listenForMessages();
  send({ say: 'ready' });
  const job = await messages.serve;
  const signalled = shutdown.first.then((signal) => drainMsFor(signal, job.config));
  const stop = Promise.race([messages.stop, signalled]);
  // If the primary has ended, it does not kill a worker that hangs, at its start or when it closes.
  void stop.then((drainMs) => setTimeout(() => process.exit(1), longestStopMs(drainMs)).unref());
  try {
    await serveUntil(job, stop);
    process.exit(0);
  } catch (error) {
    const { message, exitCode } = toEnding(error);
    // The primary reports it, once for all workers, and ends this process.
    send({ say: 'failed', message: message ?? '', exitCode });
    await messages.stop;
    process.exit(exitCode);
  }
}

async function serveUntil({ config, demoKey, worker }: Work, stop: Promise<number>): Promise<void> {
  const lifecycle = new Lifecycle({ warn: note });
  await lifecycle.start(async () => {
    const stores = await openStores(lifecycle, config);
    const log = createLog(config.log).child({ worker });
    const serving = await compose(lifecycle, config, stores, { log, demoKey });
    send({ say: 'serving', url: serving.url });
    await serving.drain(await stop);
  });
  await lifecycle.close().catch((error: Error) => note(`perch: ${error.message}`));
}

/** Listens to the primary. If it has ended, no new connections arrive, and this process finishes the open ones. */
function listenForMessages(): { serve: Promise<Work>; stop: Promise<number> } {
  const nextMessage = <S extends SupervisorMessage['say']>(say: S): Promise<Extract<SupervisorMessage, { say: S }>> =>
    new Promise((resolve) => {
      process.on('message', (message: SupervisorMessage) => {
        if (message.say === say) resolve(message as Extract<SupervisorMessage, { say: S }>);
      });
    });
  const disconnected = new Promise<number>((resolve) => {
    cluster.worker?.once('disconnect', () => {
      // Node would otherwise end the process immediately, and cut off requests in flight.
      if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
      resolve(0);
    });
  });
  return {
    serve: nextMessage('serve'),
    stop: Promise.race([nextMessage('stop').then(({ drainMs }) => drainMs), disconnected]),
  };
}

const send = (message: WorkerMessage): void => {
  if (process.connected) process.send?.(message);
};
