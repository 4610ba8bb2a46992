import { expect } from 'vitest';
import { FAILING_HANDLES } from '../../../demo/handles/failing-handles.js';
import { ERROR_CODES } from '../../../src/domain/errors.js';
import { until } from '../../cli/support/service.js';
import type { Tab } from '../../kit/browser/tab.js';
import { createClient } from '../../kit/client.js';

const TEST_KEY = /perch_test_[0-9A-Za-z]{32}/;

/**
 * A signed-in customer makes a test key and tries each failing handle with it in the reference, between live reads.
 * Only the live reads cost live credits.
 */
export async function triesFailingHandles(tab: Tab, url: string, liveKey: string): Promise<void> {
  await tab.goto('/dashboard/keys');
  await tab.fill('Name', 'tests');
  await tab.click('radio', 'Test: 10,000 play credits a day, invented data');
  await tab.click('button', 'Create key');
  await tab.sees('Copy the key now');
  const [testKey = ''] = TEST_KEY.exec(await tab.words()) ?? [];
  const [live, test] = [createClient(url, liveKey), createClient(url, testKey)];
  const balances = async () =>
    Promise.all([live, test].map(async (client) => Number(JSON.parse((await client.get('/v1/me')).text).balance)));
  expect((await live.get('/v1/users/quay_library')).status).toBe(200);
  const before = await balances();

  await tab.goto('/docs/api/user');
  await tab.fill('API key (the demo key: its credits cost nothing)', testKey);
  for (const { handle, code, reason } of FAILING_HANDLES) {
    await tab.fill('handle (required)', handle);
    await tab.click('button', 'Send');
    const expected = [`"code": "${code}"`, ...(reason === undefined ? [] : [`"reason": "${reason}"`])];
    const isShown = async () => {
      const answer = await tab.words('#try-answer');
      return expected.every((each) => answer.includes(each));
    };
    await until(isShown, `${handle} is answered with ${expected}`);
    expect(await tab.words('#try-bill')).toContain(`${ERROR_CODES[code].status}: nothing charged`);
    expect((await live.get('/v1/users/quay_library')).body.credits_charged).toBe(0.5);
  }
  const [liveBefore = 0, testBefore = 0] = before;
  expect(await balances()).toEqual([liveBefore - FAILING_HANDLES.length / 2, testBefore]);
}
