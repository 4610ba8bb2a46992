import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/domain/errors.js';
import { idsOf, rows } from '../../kit/client.js';
import { refusesAsBad } from './refusals.js';
import { type Service, startService } from './service.js';

const PATH = '/v1/tweets/search';
const at = (q: string, rest = ''): string => `${PATH}?q=${encodeURIComponent(q)}${rest}`;

/** What only searches do; the rest is a row of `list-endpoints.ts`. */
describe('GET /v1/tweets/search', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  it.each([
    ['from:', 'from:harbour_ferry sails', ['60100']],
    ['since: and until:', 'from:Aurora_Obs since:2020-01-01 until:2020-01-01_03:00:00_UTC', ['50002', '50001']],
    ['min_faves:', 'min_faves:5000', ['60001']],
    ['-filter:replies', 'conversation_id:60001 -filter:replies', ['60001']],
    ['a phrase', '"the gangway moves"', ['60101']],
  ])('200: the operator %s', async (_what, q, ids) => {
    const reader = await service.customer();
    const reply = await reader.get(at(q));
    expect(reply.status).toBe(200);
    expect(idsOf(reply)).toEqual(ids);
  });

  it.each([
    ['Latest', 'sails OR gangway', ['60101', '60100']],
    ['Top', 'sailing from:harbour_ferry', ['60001']],
    ['Photos', 'from:harbour_ferry', ['60100']],
    ['Videos', 'from:harbour_ferry', ['60101']],
  ])('200: product=%s', async (product, q, ids) => {
    const reader = await service.customer();
    const reply = await reader.get(at(q, `&product=${product}&fresh=true`));
    expect(idsOf(reply)).toEqual(ids);
    expect(reply.body.credits_charged).toBe(2 * ids.length);
  });

  it('200: product=People holds profiles, at 1 credit each', async () => {
    const reader = await service.customer();
    service.clock.forget();
    const reply = await reader.get(at('lighthouse', '&product=People'));
    expect(rows(reply)).toMatchObject([{ id: '6', handle: 'lonely_light', followers: 0 }]);
    expect(reply.body.credits_charged).toBe(1);
  });

  it('200: nothing found costs nothing (M4)', async () => {
    const reader = await service.customer();
    const { body } = await reader.get(at('zeppelin'));
    expect(body).toMatchObject({ data: [], items: 0, credits_charged: 0 });
  });

  it('403 product_unavailable if the network does not serve Top to our session, free (rule 2)', async () => {
    const reader = await service.customer();
    service.faults.fail(new ServiceError('product_unavailable', 'Top is not for this session.'));
    const reply = await reader.get(at('harbour', '&product=Top&fresh=true')).finally(() => service.faults.heal());
    expect([reply.status, reply.body.error.code]).toEqual([403, 'product_unavailable']);
    expect(await reader.balance()).toBe(1000);
    // The refusal is remembered for later searches for Top, until the clock has moved on.
    service.clock.forget();
  });

  refusesAsBad(
    () => service,
    [
      ['no q', PATH, 'q'],
      ['an empty q (P8)', at('   '), 'q'],
      ['a q that is too long (P8)', at('a'.repeat(1025)), 'q'],
      ['a q that does not parse', at('(sails'), 'q'],
      ['an unknown product (P7)', at('sails', '&product=Newest'), 'product'],
      ['query instead of q (P3)', `${PATH}?query=sails`, 'query'],
    ],
  );

  it('400 with the position for a q that does not parse', async () => {
    const reader = await service.customer();
    const { error } = (await reader.get(at('sails ("harbour'))).body;
    expect(error.message).toMatch(/character \d+/);
  });
});
