import { setTimeout as sleep } from 'node:timers/promises';

/** Waits generously until the condition holds; then throws, naming what it waited for. */
export async function until(what: string, holds: () => unknown, limitMs = 20_000): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > endMs) throw new Error(`Waited in vain until ${what}`);
    await sleep(10);
  }
}
