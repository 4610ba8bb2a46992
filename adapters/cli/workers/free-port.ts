import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports of outgoing connections (Linux: from 32,768), because one of those could take a port found free. */
const [LOWEST, HIGHEST] = [10_000, 32_767];
const TRIES = 100;

/**
 * A port to listen on a little later: the one given, or for 0 any free one. Rejects with the error that listening on it
 * would cause.
 */
export async function freePort(host: string, port = 0): Promise<number> {
  if (port !== 0) return probed(host, port);
  for (let tried = 1; ; tried += 1) {
    try {
      return await probed(host, randomInt(LOWEST, HIGHEST + 1));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || tried === TRIES) throw error;
    }
  }
}

async function probed(host: string, port: number): Promise<number> {
  const probe = createServer().listen({ host, port });
  await once(probe, 'listening');
  probe.close();
  await once(probe, 'close');
  return port;
}
