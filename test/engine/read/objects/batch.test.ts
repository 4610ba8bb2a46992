/** Batches: the outcome of each input, and their cost (B2 to B8, B11). */
import { describe, expect, it } from 'vitest';
import { badRequest, type ErrorCode, ServiceError } from '../../../../src/domain/errors.js';
import type { User, UserRef } from '../../../../src/domain/model.js';
import { Meter } from '../../../../src/metering/meter.js';
import { SpendingLimit } from '../../../../src/metering/spending-limit.js';
import { Wallet } from '../../../../src/metering/wallet.js';
import { type Batch, batch, fold } from '../../../../src/read/batch.js';
import { CallContext } from '../../../../src/read/call-context.js';
import type { Lookup } from '../../../../src/read/entities.js';
import { userKey } from '../../../../src/read/keys.js';
import { type Loaded, type LoadRequest, loadWithinBudget } from '../../../../src/read/load-within-budget.js';
import { createEngine } from '../../../kit/engine.js';
import { upstreamFault } from '../../../kit/networks/faults.js';
import { createScriptedNetwork, range } from '../../../kit/networks/scripted-network.js';

const failing = (code: ErrorCode, message: string = code) => ({ fail: new ServiceError(code, message) });
const found = (ok: string, cache: 'hit' | 'miss' = 'miss') => ({ ok, cache, charged: cache === 'hit' ? 500 : 1000 });

const inputsOf = (text: string) => fold(text.split(' '), (one) => (one === '!' ? null : { key: one, ref: one }));

/** Runs a batch whose loader gives these results, in this order. */
async function run(text: string, results: Loaded<string>[], fresh = false) {
  const requested: LoadRequest<string>[] = [];
  const made = await batch(inputsOf(text), 'path', fresh, async (requests) => {
    requested.push(...requests);
    return results;
  });
  return { made, requested };
}

describe('inputs', () => {
  it('that mean the same become one, at the first place and in its spelling (B2, B3)', () => {
    const parse = (text: string) => ({ key: text.toLowerCase(), ref: text });
    expect(fold(['b', 'A', 'B', 'a', 'c'], parse)).toEqual(['b', 'A', 'c'].map((input) => ({ input, ref: input })));
  });

  it('that cannot be a name stay in their place, one of each spelling (B4)', () => {
    const parse = (text: string) => (/^\d+$/.test(text) ? { key: `id ${text}`, ref: text } : null);
    expect(fold(['x', '1', 'x', 'y', 'id 1'], parse)).toEqual([
      { input: 'x', ref: null },
      { input: '1', ref: '1' },
      { input: 'y', ref: null },
      { input: 'id 1', ref: null },
    ]);
  });
});

describe('a batch', () => {
  it('has found objects in the order of the inputs, and the reason for every other input', async () => {
    const results = [found('A'), failing('not_found', 'No b.'), found('C', 'hit')];
    const { made, requested } = await run('a ! b c', results, true);
    expect(requested).toEqual(['a', 'b', 'c'].map((ref) => ({ ref, path: 'path' })));
    expect(made).toEqual<Batch<string>>({
      nodes: ['A', 'C'],
      errors: [
        { input: '!', code: 'bad_request', message: 'Not a valid handle or id.' },
        { input: 'b', code: 'not_found', message: 'No b.' },
      ],
      ...{ cacheHits: 1, charged: 1500, fresh: true },
    });
  });

  it('gives items only their own codes: any other is `upstream_error`', async () => {
    const { made } = await run('a b', [found('A'), failing('internal')]);
    expect(made.errors).toMatchObject([{ input: 'b', code: 'upstream_error' }]);
  });

  it('is `no_credits` from the first input that cannot be paid for, whatever else is wrong with it (B6)', async () => {
    const results = [found('A'), failing('not_found'), failing('no_credits', 'first'), failing('no_credits', 'second')];
    const { made } = await run('a ! b c ? !! d', [...results, failing('no_credits', 'third')]);
    expect(made.errors.map(({ input, code }) => `${input} ${code}`)).toEqual([
      '! bad_request',
      'b not_found',
      'c no_credits',
      '? no_credits',
      '!! no_credits',
    ]);
    const invalid = await run('a ! c', [failing('no_credits', 'first'), failing('no_credits', 'second')]);
    expect(invalid.made.errors.map(({ message }) => message)).toEqual(['first', 'first', 'second']);
  });

  it.each<[string, string, Loaded<string>[], ErrorCode | null]>([
    [
      'where all fail upstream, for one reason',
      'a b',
      [failing('upstream_error'), failing('upstream_error')],
      'upstream_error',
    ],
    ['where its only input does', 'a', [failing('no_account')], 'no_account'],
    ['not where they fail for different ones', 'a b', [failing('upstream_error'), failing('no_account')], null],
    [
      'not where the last fails for another one',
      'a b c',
      [failing('no_account'), failing('no_account'), failing('upstream_error')],
      null,
    ],
    ['not where one is found', 'a b', [failing('upstream_error'), found('B')], null],
    ['not where one is no name', 'a !', [failing('upstream_error')], null],
    ['not where all are missing', 'a b', [failing('not_found'), failing('not_found')], null],
    ['not where all are too dear', 'a b', [failing('no_credits'), failing('no_credits')], null],
    ['not where there is none', '!', [], null],
  ])('fails as a whole %s (B8)', async (_name, text, results, code) => {
    const outcome = run(text, results).then(
      () => null,
      (error: ServiceError) => error.code,
    );
    expect(await outcome).toBe(code);
  });
});

/** Five profiles without the missing ones; amounts in thousandths of a credit. */
function service(missing: readonly string[] = []) {
  const net = createScriptedNetwork();
  net.users(range(5));
  for (const id of missing) net.remove(id);
  const engine = createEngine(net.network);
  const read = async (ids: string, credits?: number, fresh = false) => {
    const { reads, receipt, charge } = engine.open(credits);
    const handles = ids.split(' ').map((id) => `user${id}`);
    const before = engine.calls();
    const { nodes, errors, charged, cacheHits } = await reads.users(handles, { path: 'users', fresh });
    expect(charge().amount).toBe(charged);
    return {
      shown: nodes.map(({ id }) => id).join(' '),
      errors: errors.map(({ input, code }) => `${input.slice('user'.length)} ${code}`),
      ...{ charged, cacheHits, calls: engine.calls() - before, isRepeatable: receipt.dependencies !== null },
    };
  };
  return { net, engine, read };
}

describe('a batch within a budget', () => {
  it('reads and charges what it can pay for; the rest is `no_credits` and not read (batch rule 4)', async () => {
    const { read } = service();
    expect(await read('1 2 3 4', 2999)).toMatchObject({
      shown: '1 2',
      errors: ['3 no_credits', '4 no_credits'],
      charged: 2000,
    });
    expect(await read('3', 1000)).toMatchObject({ shown: '3', charged: 1000, cacheHits: 0 });
    expect(await read('1 2 3 4', 2500)).toMatchObject({ shown: '1 2 3 4', charged: 2500, cacheHits: 3 });
  });

  it('costs double when fresh, and is read again', async () => {
    const { read } = service();
    await read('1 2 3');
    expect(await read('1 2 3', 5999, true)).toMatchObject({
      shown: '1 2',
      errors: ['3 no_credits'],
      charged: 4000,
      cacheHits: 0,
      calls: 1,
    });
    expect(await read('1 2', 4000, true)).toMatchObject({ shown: '1 2', errors: [], charged: 4000 });
  });

  it('spends the money of a missing object on the next one, and none on one known to be missing (B7)', async () => {
    const { read } = service(['2', '3']);
    expect(await read('1 2 3 4 5', 3000)).toMatchObject({
      shown: '1 4 5',
      errors: ['2 not_found', '3 not_found'],
      charged: 3000,
    });
    expect(await read('2 3 1 4', 1000)).toMatchObject({
      shown: '1 4',
      errors: ['2 not_found', '3 not_found'],
      charged: 1000,
      calls: 0,
    });
    expect(await read('2 3', 0)).toMatchObject({ shown: '', errors: ['2 not_found', '3 not_found'], charged: 0 });
  });

  it('takes cached objects at their price, though those before them were missing', async () => {
    const { read } = service(['2', '3']);
    await read('5');
    expect(await read('1 2 3 4 5', 3000)).toMatchObject({ shown: '1 4 5', charged: 2500, cacheHits: 1 });
  });

  it('shows cached objects if the network fails (B8)', async () => {
    const { net, read } = service();
    await read('1');
    net.fail(upstreamFault('upstream_error'));
    expect(await read('1 2')).toMatchObject({ shown: '1', errors: ['2 upstream_error'], charged: 500 });
  });

  it('fails only for the input whose read fails (B8)', async () => {
    const { net, read } = service();
    net.refuse('2', new ServiceError('access_denied', 'Not for this session.'));
    expect(await read('1 2 3')).toMatchObject({ shown: '1 3', errors: ['2 access_denied'], charged: 2000 });
  });

  it('reads nothing if no input is a name', async () => {
    const { engine } = service();
    const { reads } = engine.open();
    const { nodes, errors } = await reads.users(['not a handle'], { path: 'users', fresh: false });
    expect([nodes, errors, engine.calls()]).toEqual([[], [expect.objectContaining({ code: 'bad_request' })], 0]);
    expect(errors[0]?.message).toBe(badRequest('Not a valid handle or id.').message);
  });

  it('reads tweets by id, and sends no malformed id', async () => {
    const { net, engine } = service();
    net.tweets(range(2, 11));
    const { reads, charge } = engine.open();
    const { nodes, errors, fresh } = await reads.tweets(['12', '012', '11', '12', '13'], {
      path: 'tweets',
      fresh: true,
    });
    expect(nodes.map(({ id }) => id)).toEqual(['12', '11']);
    expect(errors.map(({ input, code }) => `${input} ${code}`)).toEqual(['012 bad_request', '13 not_found']);
    expect([fresh, charge().amount, charge().lines.map(({ path }) => path)]).toEqual([true, 4000, ['tweets']]);
    expect(net.calls.map(({ of }) => of)).toEqual([['12', '11', '13']]);
  });

  it('can be answered again from its parts, unless something was missing or cut (M6)', async () => {
    const { engine, read } = service(['4']);
    expect((await read('1 2')).isRepeatable).toBe(true);
    expect((await read('1 2 3', 1900)).isRepeatable).toBe(false);
    expect((await read('1 4')).isRepeatable).toBe(false);
    engine.clock.nowMs += 5_000;
    const { reads, receipt } = engine.open();
    const { nodes } = await reads.users(['user1', 'user5'], { path: 'users', fresh: false });
    expect(receipt.dependencies?.map(({ value }) => value)).toEqual(nodes);
    expect(new Set(receipt.dependencies?.map(({ key }) => key)).size).toBe(2);
    // As old as its oldest part.
    expect(receipt.fetchedAt).toBe(engine.clock.nowMs - 5_000);
  });
});

describe('objects that are loaded one by one', () => {
  const load = (read: (meter: Meter) => Promise<Lookup<User>>) => {
    const unlimited = Number.POSITIVE_INFINITY;
    const meter = new Meter(new SpendingLimit(new Wallet(1000), unlimited, unlimited), 0, new Map());
    const entities = { keyOf: (ref: UserRef) => userKey(ref), peek: async () => [undefined], read: () => read(meter) };
    const signal = new AbortController().signal;
    const callContext = new CallContext({ accountId: 'one', signal, deadlineAtMs: 60_000 });
    const options = { unit: 'profile' as const, fresh: false, callContext, objectOf: ({ id }: User) => id };
    return loadWithinBudget(entities as never, meter, [{ ref: { id: '1' }, path: 'a' }], options);
  };

  it('rethrow an error that is not a read failure', async () => {
    await expect(load(() => Promise.reject(new TypeError('a mistake')))).rejects.toThrow(TypeError);
  });

  it('are not delivered if their price was spent while they were read', async () => {
    const user = createScriptedNetwork().user({ id: '1' });
    const loaded = await load(async (meter) => {
      meter.open().take({ path: 'b', unit: 'profile', cache: 'miss', object: 'another' });
      return { ok: user, cache: 'miss', fetchedAt: 0 };
    });
    expect(loaded).toEqual([{ fail: expect.objectContaining({ code: 'no_credits' }) }]);
  });
});
