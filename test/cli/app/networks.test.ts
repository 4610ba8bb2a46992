import { pino } from 'pino';
import { expect, it } from 'vitest';
import { withOddObjectsLogged } from '../../../app/networks.js';
import { context, post, scripting } from '../../networks/x/support/scripted.js';

const scripted = scripting();

it('logs how many objects of a call cannot be read, in one line, and what is wrong with the first', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line).msg) });
  const data = [post('30'), post('31', { text: 7 }), post('32', { created_at: null })];
  const at = await scripted(() => ({ body: { data } }));
  const network = withOddObjectsLogged(at.network, log);
  let unreadable = 0;
  const onUnreadable = (objects: number) => (unreadable += objects);
  const list = { kind: 'timeline', subject: '5' } as const;
  const { tweets } = await network.page(list, null, context({ onUnreadable }));
  expect(tweets?.map(({ id }) => id)).toEqual(['30']);
  expect(unreadable).toBe(2);
  expect(lines).toEqual([
    expect.stringMatching(/^The network sent 2 objects that cannot be read\. \/2\/users\/5\/tweets: text: .*string/),
  ]);
});
