import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { SilenceWatch } from '../../adapters/postgres/silence.js';

it('forgets a closed socket, even if its listeners were removed, as TLS does', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.resume();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = new SilenceWatch({ silenceMs: 2_000, answerMs: 100 }).open();
  await once(socket.connect((server.address() as AddressInfo).port, '127.0.0.1'), 'connect');
  socket.removeAllListeners();
  // Long enough to be looked at, and not to be silent for too long.
  await sleep(600);
  socket.destroy();
  await sleep(3_000);
  expect(connections).toBe(1);
  server.close();
});
