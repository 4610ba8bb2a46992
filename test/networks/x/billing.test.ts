import { expect, it } from 'vitest';
import type { Billed } from '../../../src/ports/network.js';
import { context, post, scripting, user } from './support/scripted.js';

const scripted = scripting();

it('counts what X bills: each object returned, but no includes and no empty page', async () => {
  const at = await scripted(({ path }) => {
    if (path === '/2/users') return { body: { data: [user('5')] } };
    if (path === '/2/users/5/followers') return { body: { data: ['6', '7', '8'].map((id) => user(id)) } };
    if (path === '/2/tweets') return { body: { data: [post('30')], includes: { users: [user('5')] } } };
    return { body: { meta: { result_count: 0 } } };
  });
  const reported: Billed[] = [];
  const billedContext = context({ onBilled: (billed) => reported.push(billed) });
  await at.network.page({ kind: 'followers', subject: '5' }, null, billedContext);
  await at.network.tweets(['30', '31'], billedContext);
  await at.network.page({ kind: 'search', subject: 'a', product: 'Latest' }, null, billedContext);
  expect(reported).toEqual([
    { kind: 'user', items: 1 },
    { kind: 'user', items: 3 },
    { kind: 'tweet', items: 1 },
  ]);
  expect(at.network.billing).toEqual({ per: 'item', usd: { tweet: 0.005, user: 0.01 } });
});
