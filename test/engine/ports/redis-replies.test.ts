/** Which errors that Redis replies with are about one command, and which are about Redis itself. */
import { expect, test } from 'vitest';
import type { RedisClient } from '../../../adapters/redis/client.js';
import { openRedis } from '../../../adapters/redis/link.js';

/** A script as Redis names it in its errors. */
const SHA = '8426c8df41c64d8177dce3ecbbe9146ef3759cd2';
const OF_6 = `ERR Error running script (call to f_${SHA}): @user_script:6: `;
const OF_7 = ` script: ${SHA}, on @user_script:6.`;

const OOM = "OOM command not allowed when used memory > 'maxmemory'.";
const READONLY = "READONLY You can't write against a read only replica.";
const MISCONF = 'MISCONF Redis is configured to save RDB snapshots, but it is currently not able to persist on disk.';
const WRONGTYPE = 'WRONGTYPE Operation against a key holding the wrong kind of value';

/** Whether the link is still up after a command that Redis answered with this error. */
async function isUpAfter(message: string): Promise<boolean> {
  const client = { on: () => {}, set: async () => 'OK', nodes: () => [], disconnect: () => {} };
  const log = { info: () => {}, warn: () => {} };
  const link = await openRedis([], { log, clock: Date, connect: () => client as unknown as RedisClient });
  const reply = Object.assign(new Error(message), { name: 'ReplyError' });
  await link.run(
    () => Promise.reject(reply),
    () => undefined,
  );
  const { up } = link.state();
  await link.close();
  return up;
}

test.each([
  ['a command', WRONGTYPE],
  ['a command', 'ERR value is not an integer or out of range'],
  ['a command', "CROSSSLOT Keys in request don't hash to the same slot"],
  ['a script of Redis 6.2', `${OF_6}${WRONGTYPE} `],
  ['a script of Redis 6.2', `${OF_6}ERR value is not an integer or out of range `],
  ['a script of Redis 6.2', `${OF_6}user_script:6: attempt to compare nil with number `],
  ['a script of Redis 7', `${WRONGTYPE}${OF_7}`],
  ['a script of Redis 7', `ERR user_script:6: attempt to compare nil with number${OF_7}`],
])('remains up if only %s is at fault: %s', async (_what, message) => {
  expect(await isUpAfter(message)).toBe(true);
});

test.each([
  ['a command', OOM],
  ['a command', READONLY],
  ['a command', MISCONF],
  ...[OOM, READONLY, MISCONF].map((text) => ['a script of Redis 6.2', `${OF_6}@user_script: 6: -${text}   `]),
  ...[OOM, READONLY, MISCONF].map((text) => ['a script of Redis 7', `${text}${OF_7}`]),
])('is away if %s is stopped because of the state of Redis: %s', async (_what, message) => {
  expect(await isUpAfter(message)).toBe(false);
});
