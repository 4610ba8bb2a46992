import { execFileSync } from 'node:child_process';
import { Agent, get } from 'node:http';
import { expect, it } from 'vitest';
import { openDemoHome } from './support/demo-home.js';
import { newKey, SLOW_MS, serve } from './support/service.js';

it.each(['--heap-growing-percent', '--allocation-site-pretenuring'])('this Node has the option %s', (option) => {
  expect(execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })).toContain(option);
});

const CONNECTIONS = 100;
/** Requests until V8 has compiled hot code and learnt which objects last, which takes this many connections. */
const WARM = 12_000;
/** Reads per round. Repeated until there were enough collections: the size of the nursery differs by version. */
const MEASURED = 8_000;
const COLLECTIONS = 6;
/** Promoted per request. Usually 0.6 KB, for requests in progress; 5 KB if every request outlives two collections. */
const MOST_BYTES = 2_000;

it('frees what a request allocated at the next collection', { timeout: SLOW_MS }, async () => {
  const cli = await openDemoHome();
  const { url, started } = await serve(cli, {}, ['--trace-gc', '--trace-gc-nvp']);
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  try {
    const key = await newKey(cli);
    const read = (): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const request = get(`${url}/v1/users/harbor_obs`, { agent, headers: { 'x-api-key': key } }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode));
        });
        request.on('error', reject);
      });
    const readMany = async (count: number): Promise<void> => {
      let left = count;
      const reader = async (): Promise<void> => {
        for (; left > 0; left -= 1) expect(await read()).toBe(200);
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, reader));
    };
    await readMany(WARM);
    const before = started.said.stdout.length;
    const collections = () => [...started.said.stdout.slice(before).matchAll(/gc=s .* promoted=(\d+)/g)];
    let measured = 0;
    while (collections().length < COLLECTIONS) {
      await readMany(MEASURED);
      measured += MEASURED;
    }
    const promoted = collections().reduce((sum, [, bytes]) => sum + Number(bytes), 0);
    expect(promoted / measured).toBeLessThan(MOST_BYTES);
  } finally {
    agent.destroy();
    started.process.kill('SIGTERM');
    await started.end;
    await cli.close();
  }
});
