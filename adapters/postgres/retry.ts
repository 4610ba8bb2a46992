import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';

/** Connection failures of the driver and the socket, and what a server says that is coming, going, full or in a deadlock. */
const PASSING = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  '40001',
  '40P01',
  '53300',
  '57P01',
  '57P02',
  '57P03',
]);

/** Whether the same statement may go through a moment later. It may also have gone through already. */
export function isPassing(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' && (PASSING.has(code) || code.startsWith('08'));
}

export const isUniqueViolation = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && error.code === '23505';

/** Runs it again, at most five times and not after `withinMs`, while it fails for a passing reason. It must be idempotent. */
export async function retryPassing<T>(run: () => Promise<T>, withinMs = 5_000): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (let delayMs = 50; ; delayMs *= 2) {
    try {
      return await run();
    } catch (error) {
      if (!isPassing(error) || delayMs > 800 || performance.now() + delayMs > deadline) throw error;
      await sleep(delayMs);
    }
  }
}
