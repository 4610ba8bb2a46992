import { expect, it, vi } from 'vitest';
import { mintKey } from '../../../src/access/key.js';
import type { Client, Reply } from '../../kit/client.js';
import { denied, upstreamFault } from '../../kit/networks/faults.js';
import type { Service } from './service.js';

export interface Endpoint {
  readonly service: () => Service;
  /** A call that answers 200 and, if the endpoint is paid, costs something. */
  readonly call: (client: Client) => Promise<Reply>;
}

/** What every endpoint of `/v1` refuses, and how: 401, 429, 500. */
export function refusesLikeAll({ service, call }: Endpoint): void {
  it('401 missing_key without a key, with the policy of a new account (5.1.7, L6)', async () => {
    const reply = await call(service().nobody);
    expect([reply.status, reply.body.error.code]).toEqual([401, 'missing_key']);
    expect(reply.headers.get('ratelimit-policy')).toBe('account; q=1; w=1');
    expect(reply.headers.get('ratelimit')).toBeNull();
  });

  it('401 invalid_key with an unknown key (5.1.7)', async () => {
    const { nobody } = service();
    const stranger = mintKey((length) => new Uint8Array(length).fill(7));
    const reply = await call(withHeader(nobody, 'x-api-key', stranger));
    expect([reply.status, reply.body.error.code]).toEqual([401, 'invalid_key']);
    expect(reply.headers.get('ratelimit-policy')).toBe('account; q=1; w=1');
  });

  it('429 rate_limited above the limit, free, with Retry-After (8.1.3, L5)', async () => {
    const customer = await service().customer({ qps: 1 });
    await customer.get('/v1/me');
    const reply = await call(customer);
    expect([reply.status, reply.body.error.code]).toEqual([429, 'rate_limited']);
    expect(reply.headers.get('ratelimit')).toBe('limit=1, remaining=0, reset=1');
    expect(reply.headers.get('ratelimit-policy')).toBe('account; q=1; w=1');
    expect(reply.headers.get('retry-after')).toBe('1');
    expect(await customer.balance()).toBe(1000);
  });

  it('500 internal if the ledger cannot be read, free, with both rate headers (X9)', async () => {
    const { perch, customer } = service();
    const broken = await customer();
    const { balance } = perch.ledger;
    // For this customer only, because others of the service may be streaming meanwhile.
    const spy = vi.spyOn(perch.ledger, 'balance').mockImplementation(async (payer) => {
      if (payer.walletId === broken.account.walletId) throw new Error('disk 7 is gone');
      return balance(payer);
    });
    const reply = await call(broken).finally(() => spy.mockRestore());
    expect([reply.status, reply.body.error.code]).toEqual([500, 'internal']);
    expect(reply.text).not.toContain('disk');
    expect(reply.headers.get('ratelimit')).not.toBeNull();
    expect(await broken.balance()).toBe(1000);
  });
}

/** What every paid read also refuses: 402 and 503. `call` must reach the network each time (`fresh`). */
export function refusesLikeReads({ service, call }: Endpoint): void {
  refusesLikeAll({ service, call });

  it('402 no_credits with an empty wallet (section 7), nothing read', async () => {
    const { customer, faults } = service();
    const poor = await customer({ credits: 0 });
    const before = faults.calls.length;
    const reply = await call(poor);
    expect([reply.status, reply.body.error.code]).toEqual([402, 'no_credits']);
    expect(reply.headers.get('ratelimit')).not.toBeNull();
    expect(reply.headers.get('retry-after')).toBeNull();
    expect(faults.calls).toHaveLength(before);
  });

  it('503 upstream_error if the network fails, free, with Retry-After (S4)', async () => {
    const { customer, faults } = service();
    const unlucky = await customer();
    faults.fail(upstreamFault('upstream_error'));
    const reply = await call(unlucky).finally(() => faults.heal());
    expect([reply.status, reply.body.error.code]).toEqual([503, 'upstream_error']);
    expect(reply.headers.get('retry-after')).toBe('2');
    expect(reply.headers.get('ratelimit')).not.toBeNull();
    expect(await unlucky.balance()).toBe(1000);
  });
}

/** For the endpoints that list 403, when the network refuses the read to our session. */
export function refusesWhenDenied({ service, call }: Endpoint): void {
  it('403 access_denied if the network refuses our session, free (section 4)', async () => {
    const { customer, faults } = service();
    const reader = await customer();
    faults.fail(denied());
    const reply = await call(reader).finally(() => faults.heal());
    expect([reply.status, reply.body.error.code]).toEqual([403, 'access_denied']);
    expect(reply.headers.get('retry-after')).toBeNull();
    expect(await reader.balance()).toBe(1000);
  });
}

/** Each of these calls gets 400 `bad_request`, which names the parameter at fault, is free and reads nothing. */
export function refusesAsBad(
  service: () => Service,
  cases: readonly [what: string, path: string, param: string][],
): void {
  it.each(cases)('400 bad_request: %s', async (_what, path, param) => {
    const { customer, faults } = service();
    const reader = await customer();
    const before = faults.calls.length;
    const reply = await reader.get(path);
    expect([reply.status, reply.body.error.code, reply.body.error.param]).toEqual([400, 'bad_request', param]);
    expect(reply.headers.get('ratelimit')).not.toBeNull();
    expect(faults.calls).toHaveLength(before);
    expect(await reader.balance()).toBe(1000);
  });
}

const withHeader = (client: Client, name: string, value: string): Client => ({
  get: (path, headers = {}) => client.get(path, { ...headers, [name]: value }),
  post: (path, body, headers = {}) => client.post(path, body, { ...headers, [name]: value }),
  send: (method, path, options = {}) =>
    client.send(method, path, { ...options, headers: { ...options.headers, [name]: value } }),
});
