import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const WAIT_MS = 30_000;

/**
 * Ends the server of a data folder without a checkpoint, as in a crash. The postmaster of Postgres 15 may miss that its
 * last process has ended, and then sleeps for a minute, during which its port accepts connections and answers none.
 * Each signal wakes it.
 */
export async function stopAtOnce(data: string): Promise<void> {
  const pidFile = join(data, 'postmaster.pid');
  const pid = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10);
  const endsAt = performance.now() + WAIT_MS;
  while (existsSync(pidFile) && performance.now() < endsAt) {
    try {
      process.kill(pid, 'SIGQUIT');
    } catch {
      // The server has just ended.
    }
    await sleep(20);
  }
}
