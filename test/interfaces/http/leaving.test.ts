/** Routes that first wait for something also notice, later, that a caller has left (M18). */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { disconnectSignal } from '../../../adapters/http/request.js';
import { startBareServer } from './server.js';

it('aborts the signal of a late route only if its caller has left', async () => {
  const seen: boolean[] = [];
  let answered = (): void => {};
  const server = await startBareServer({
    mount: (app) => {
      app.post('/v1/late', async (request, reply) => {
        if (request.headers['x-leaves'] === 'yes') await once(reply.raw, 'close');
        seen.push(disconnectSignal(reply).aborted);
        answered();
        return {};
      });
    },
  });
  try {
    expect((await fetch(`${server.url}/v1/late`, { method: 'POST' })).status).toBe(200);
    const answer = new Promise<void>((resolve) => {
      answered = resolve;
    });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write('POST /v1/late HTTP/1.1\r\nHost: perch\r\nX-Leaves: yes\r\nContent-Length: 0\r\n\r\n', () =>
      setTimeout(() => socket.destroy(), 50),
    );
    await answer;
    expect(seen).toEqual([false, true]);
  } finally {
    await server.close();
  }
});
