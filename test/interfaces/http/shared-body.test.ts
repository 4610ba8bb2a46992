/** Compressing is work of the event loop. It is charged to the account whose answer needs it, once for what is kept. */
import { expect, it } from 'vitest';
import { sendOutcome } from '../../../adapters/http/outcome.js';
import type { HttpAnswer } from '../../../adapters/http/plans.js';
import { ProcessorTime } from '../../../src/access/processor-time.js';
import { WorkSlots } from '../../../src/access/work-slots.js';
import type { Outcome } from '../../../src/serve/call.js';
import { Rendered } from '../../../src/serve/rendered.js';
import { keptAnswer } from '../../engine/serve/kept-answer.js';
import { startBareServer } from './server.js';

const NOTED: Omit<Outcome, 'requestId' | 'result'> = {
  ...{
    policy: 'account',
    rate: null,
    ageSeconds: 0,
    warnings: [],
    mode: 'live' as const,
    accountId: 'account',
    keyId: 'key',
    operation: 'query',
  },
  upstream: { calls: 0, waitMs: 0, readMs: 0 },
};

const OWN = Buffer.from(',"own":1}');

it('charges a shared encoding once, and longer bytes each time', async () => {
  const monotonic = { now: () => 0 };
  const charged: number[] = [];
  const processor = new ProcessorTime({ monotonic });
  processor.spend = (_holder, ms) => void charged.push(ms);
  const shared = new Rendered(Buffer.from(`{"data":"${'x'.repeat(5_000)}"`));
  const whole = `${shared.bytes}${OWN}`;
  const server = await startBareServer({
    shares: { processor, slots: new WorkSlots({ total: 100, monotonic, deadlineMs: 1000 }) },
    mount(app) {
      const config = { sharedBy: 'caller' } as const;
      const answer = (path: string, body: HttpAnswer['body']) =>
        app.get(path, { config }, (request, reply) => {
          const outcome = { ...NOTED, result: keptAnswer(shared), requestId: request.id };
          const write = () => ({ status: 200, headers: { 'Content-Type': 'application/json' }, body });
          return sendOutcome({ headers: {}, write }, outcome, request, reply);
        });
      answer('/v1/shared', { shared, own: OWN });
      answer('/v1/alone', whole);
    },
  });
  try {
    const costOf = async (path: string, encoding: string): Promise<number> => {
      charged.length = 0;
      const response = await fetch(`${server.url}${path}`, { headers: { 'accept-encoding': encoding } });
      expect(await response.text()).toBe(whole);
      return charged.reduce((sum, ms) => sum + ms, 0);
    };
    expect([await costOf('/v1/shared', 'gzip'), await costOf('/v1/shared', 'br')]).toEqual(
      [0.05009, 0.05009].map(about),
    );
    expect([await costOf('/v1/shared', 'gzip'), await costOf('/v1/shared', 'identity')]).toEqual([0, 0]);
    for (let nth = 0; nth < 2; nth += 1) expect(await costOf('/v1/alone', 'gzip')).toEqual(about(0.0502));
  } finally {
    await server.close();
  }
});

const about = (ms: number) => expect.closeTo(ms, 3);
