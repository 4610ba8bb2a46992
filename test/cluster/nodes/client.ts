import { Agent, request } from 'node:http';
import { expect, vi } from 'vitest';

const agent = new Agent({ keepAlive: true, maxSockets: 400 });

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any endpoint
  readonly body: any;
}

/** One request. Rejects when the connection breaks before the answer is whole. */
export function get(url: string, key?: string, timeoutMs = 60_000): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = key === undefined ? {} : { 'x-api-key': key };
    const sent = request(url, { agent, headers, timeout: timeoutMs }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        if (!response.complete) return reject(new Error('cut off'));
        const text = Buffer.concat(chunks).toString();
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: text === '' ? null : JSON.parse(text),
        });
      });
    });
    sent.on('error', reject);
    sent.on('timeout', () => sent.destroy(new Error('no answer in time')));
    sent.end();
  });
}

/**
 * Waits until each of these services refuses the key; how many milliseconds that took. None is asked again once it has:
 * refused keys count against the ten requests a second that an address has without one.
 */
export async function untilRefused(urls: readonly string[], key: string): Promise<number> {
  const startedAt = performance.now();
  const refuses = (url: string) =>
    vi.waitFor(async () => expect((await get(`${url}/v1/me`, key)).status).toBe(401), {
      timeout: 30_000,
      interval: 50,
    });
  await Promise.all(urls.map(refuses));
  return performance.now() - startedAt;
}

/** Runs so many at a time, in order; how each ended. */
export async function inParallel<T>(
  width: number,
  works: readonly (() => Promise<T>)[],
): Promise<PromiseSettledResult<T>[]> {
  const results: PromiseSettledResult<T>[] = [];
  let next = 0;
  async function worker(): Promise<void> {
    for (let mine = next++; mine < works.length; mine = next++) {
      const work = works[mine];
      if (work) [results[mine]] = (await Promise.allSettled([work()])) as [PromiseSettledResult<T>];
    }
  }
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}
