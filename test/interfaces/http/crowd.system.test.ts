import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get, type RawClient, rawClient } from './raw.js';

const MEBI = 1024 * 1024;
const WANTED = 10_000;
/** Files that the rest of this process may need. */
const RESERVE = 1000;

interface Report {
  readonly userLimits: { readonly open_files: { readonly soft: number | 'unlimited' } };
}

/** As many connections as are wanted, or as this process may open. */
function crowdSize(): number {
  const { soft } = (process.report.getReport() as unknown as Report).userLimits.open_files;
  return soft === 'unlimited' ? WANTED : Math.min(WANTED, Number(soft) - RESERVE);
}

describe('a crowd', () => {
  const size = crowdSize();
  let child: ChildProcess;
  let url: string;
  const clients: RawClient[] = [];

  beforeAll(async () => {
    child = fork(fileURLToPath(new URL('./crowd-process.ts', import.meta.url)), { execArgv: ['--import', 'tsx'] });
    [{ url }] = (await once(child, 'message')) as [{ url: string }];
  });
  afterAll(() => {
    for (const { socket } of clients) socket.destroy();
    child.disconnect();
  });

  async function memory(): Promise<{ rssBytes: number; shed: number }> {
    child.send('memory');
    const [answer] = (await once(child, 'message')) as [{ rssBytes: number; shed: number }];
    return answer;
  }

  async function promptly(): Promise<number> {
    const started = performance.now();
    const answer = await fetch(`${url}/v1/soon`, { headers: { Connection: 'close' } });
    expect(answer.status).toBe(200);
    return performance.now() - started;
  }

  const named = size === WANTED ? '' : ` [${size}: this process may not open more files]`;
  it(`of 10,000 open connections and of clients that read nothing is served in bounded memory${named}`, async () => {
    await promptly();
    const before = await memory();
    while (clients.length < size) {
      const batch = Array.from({ length: Math.min(250, size - clients.length) }, () => rawClient(url, get('/v1/soon')));
      clients.push(...batch);
      await Promise.all(batch.map(({ socket }) => once(socket, 'data')));
    }
    expect(clients.every(({ received }) => received().startsWith('HTTP/1.1 200'))).toBe(true);
    const crowded = await memory();
    // 10 KiB each were measured.
    expect((crowded.rssBytes - before.rssBytes) / size).toBeLessThan(40 * 1024);

    const idlers = (count: number, requests: number): RawClient[] =>
      Array.from({ length: count }, () => rawClient(url, get('/v1/long').repeat(requests), { read: false }));
    clients.push(...idlers(50, 30), ...idlers(10, 2000));
    const waits: number[] = [];
    for (let count = 0; count < 20; count += 1) waits.push(await promptly());
    // The first was measured at 1 s, because it waits until the 1500 long answers are made; the others at 10 ms.
    expect(Math.max(...waits)).toBeLessThan(10_000);
    const after = await memory();
    // Of 225 MB of answers, the part that the kernel does not hold: 100 to 250 MiB were measured.
    expect(after.rssBytes - crowded.rssBytes).toBeLessThan(500 * MEBI);
    expect(after.shed).toBe(0);
  }, 120_000);
});
