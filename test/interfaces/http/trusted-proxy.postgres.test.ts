import { afterEach, describe, expect, it } from 'vitest';
import { createScriptedNetwork } from '../../kit/networks/scripted-network.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';
import { manualClock } from '../../kit/time/manual-clock.js';

describe('behind a balancer', () => {
  let perch: TestPerch | undefined;
  afterEach(() => perch?.close());

  /** How many of 30 simultaneous keyless requests are admitted, each of which is said to come from another client. */
  async function letIn(env: Record<string, string>): Promise<number> {
    perch = await startPerch({ network: createScriptedNetwork({}).network, env, clock: manualClock() });
    const { url } = perch;
    const requests = Array.from({ length: 30 }, (_, n) =>
      fetch(`${url}/problems`, { headers: { 'x-forwarded-for': `203.0.113.${n}` } }),
    );
    return (await Promise.all(requests)).filter(({ status }) => status === 200).length;
  }

  it('has a bucket for each client if the balancer is trusted (8.1.6)', async () => {
    expect(await letIn({ PERCH_TRUST_PROXY: 'loopback' })).toBe(30);
  });

  it('ignores forwarded addresses if the balancer is not trusted', async () => {
    expect(await letIn({})).toBe(10);
    await perch?.close();
    expect(await letIn({ PERCH_TRUST_PROXY: '192.0.2.0/24' })).toBe(10);
  });
});
