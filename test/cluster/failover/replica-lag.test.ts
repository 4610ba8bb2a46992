import { expect, it } from 'vitest';
import { describeReplica } from '../../../adapters/cli/commands/doctor-databases.js';

/** What `perch doctor` says of a replica whose newest commit is that old. */
const described = (ageMs: number, isBehind: boolean) =>
  describeReplica({
    look: async () => ({ why: null, isWrong: false, asOf: new Date(Date.now() - ageMs) }),
    isBehind: async () => isBehind,
  });

const STATE = 'from the replica at HISTORY_DATABASE_URL, whose newest commit is from ';

it('doctor finds fault with a replica that lacks what was committed in the last five minutes', async () => {
  const { ok, detail } = await described(301_000, true);
  expect([ok, detail.slice(0, STATE.length)]).toEqual([false, STATE]);
  expect(detail).toMatch(
    /Z, although the primary has newer ones: look at its disk, its longest query and its connection to the primary$/,
  );
});

it.each([
  ['is seconds behind', 60_000, true],
  ['has everything of a service that was stopped long ago', 86_400_000, false],
])('doctor accepts a replica that %s', async (_what, ageMs, isBehind) => {
  const { ok, detail } = await described(ageMs, isBehind);
  expect(ok).toBe(true);
  expect(detail).toMatch(/^from the replica at HISTORY_DATABASE_URL, whose newest commit is from [\dT:.-]+Z$/);
});
