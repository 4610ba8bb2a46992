import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createServer } from '../../../adapters/http/server.js';
import { Lifecycle } from '../../../app/lifecycle.js';
import { FINISH_MS, listen } from '../../../app/listening.js';
import type { Config } from '../../../src/config/config.js';
import { get, rawClient } from '../../interfaces/http/raw.js';

const CONFIG = { host: '127.0.0.1', port: 0, baseUrl: null, authUrl: null } as unknown as Config;

test.each([
  ['no request', 'GET /long HTTP/1.1\r\nHost: perch\r\n', '0 requests'],
  ['one request', get('/long'), '1 request'],
])(
  'says what was in progress when a stop takes too long: %s',
  { timeout: 3 * FINISH_MS },
  async (_name, sent, said) => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    const app = await createServer({ ids: { requestId: () => 'one' }, log, versionHeaders: {} });
    app.get('/long', async () => sleep(3 * FINISH_MS, {}, { ref: false }));
    const lifecycle = new Lifecycle();
    const { url } = await listen(lifecycle, app, CONFIG, log);
    const { closed } = rawClient(url, sent);
    await sleep(200);
    await lifecycle.close();
    expect(await closed).toBe('');
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
      `Connections still open after ${FINISH_MS} ms were closed, with ${said} in progress`,
    ]);
  },
);
