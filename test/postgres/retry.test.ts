/** Which failures are tried again, how often, and until when. */
import postgres from 'postgres';
import { describe, expect, it } from 'vitest';
import {
  isTransient,
  isUniqueViolation,
  mayHaveCommitted,
  retryRead,
  retryTransient,
} from '../../adapters/postgres/retry.js';
import { manualClock } from '../kit/time/manual-clock.js';

const failure = (code: string | undefined): Error => Object.assign(new Error('failed'), { code });

/** A clock that advances only while the code waits. */
function passing() {
  const monotonic = manualClock();
  const waits: number[] = [];
  const timers = {
    after(ms: number, then: () => void) {
      waits.push(ms);
      monotonic.advance(ms);
      queueMicrotask(then);
      return () => {};
    },
  };
  return { time: { monotonic, timers }, waits };
}

describe('a failure of a statement', () => {
  it.each<[string, 'nothing was done' | 'it may have been done' | 'not transient']>([
    ...[
      'CONNECT_TIMEOUT',
      'CONNECTION_REFUSED',
      'ECONNREFUSED',
      'ENOENT',
      '40001',
      '40P01',
      '53300',
      '57P03',
      '55P03',
      '57014',
    ].map((code) => [code, 'nothing was done'] as [string, 'nothing was done']),
    ...[
      ...['CONNECTION_CLOSED', 'CONNECTION_DESTROYED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', '57P01', '57P02'],
      ...['08000', '08006'],
    ].map((code) => [code, 'it may have been done'] as [string, 'it may have been done']),
    ...['23505', '22P02', '42601', '', 'undefined', '1108'].map(
      (code) => [code, 'not transient'] as [string, 'not transient'],
    ),
  ])('with the code %j: %s', (code, expected) => {
    const error = failure(code === 'undefined' ? undefined : code);
    expect([isTransient(error), mayHaveCommitted(error)]).toEqual([
      expected !== 'not transient',
      expected === 'it may have been done',
    ]);
  });

  it('counts as a duplicate only if the database says so', () => {
    const fromServer = (code: string) => Object.assign(new postgres.PostgresError('failed'), { code });
    const all = [fromServer('23505'), fromServer('23503'), failure('23505')].map(isUniqueViolation);
    expect(all).toEqual([true, false, false]);
  });
});

describe('trying again', () => {
  const runs = (...codes: readonly (string | undefined)[]) => {
    let count = 0;
    return async (): Promise<string> => {
      const code = codes[Math.min(count, codes.length - 1)];
      count += 1;
      if (code !== undefined) throw failure(code);
      return 'done';
    };
  };

  it('waits twice as long each time, up to 0.8 s', async () => {
    const { time, waits } = passing();
    const run = runs(...Array<string>(7).fill('ECONNREFUSED'), undefined);
    expect(await retryTransient(run, undefined, time)).toBe('done');
    expect(waits).toEqual([50, 100, 200, 400, 800, 800, 800]);
  });

  it('does not happen for a permanent failure', async () => {
    const { time, waits } = passing();
    await expect(retryTransient(runs('22P02'), undefined, time)).rejects.toMatchObject({ code: '22P02' });
    expect(waits).toEqual([]);
  });

  it.each([
    ['nothing was done', ['ECONNREFUSED'], 350],
    ['it may have been done', ['ECONNRESET'], 750],
    ['it may have been done, whatever fails later', ['ECONNREFUSED', 'ECONNRESET', 'ECONNREFUSED'], 750],
  ])('ends within the bound that applies if %s', async (_name, codes, spentMs) => {
    const { time, waits } = passing();
    // Waits 50, 100, 200 and 400 ms. A wait that would end after the bound is not made; one that ends at it is.
    const bounds = { withinMs: 350, inDoubtMs: 750 };
    await expect(retryTransient(runs(...codes), bounds, time)).rejects.toMatchObject({ code: codes.at(-1) });
    expect(waits.reduce((sum, ms) => sum + ms)).toBe(spentMs);
  });

  it('continues for 5 s, or for a minute if the work may have been done', async () => {
    for (const [code, mostMs] of [
      ['ECONNREFUSED', 5_000],
      ['ECONNRESET', 60_000],
    ] as const) {
      const { time, waits } = passing();
      await expect(retryTransient(runs(code), undefined, time)).rejects.toMatchObject({ code });
      const spentMs = waits.reduce((sum, ms) => sum + ms);
      expect([spentMs <= mostMs, spentMs + 800 > mostMs]).toEqual([true, true]);
    }
  });
});

describe('a read', () => {
  /** How long a read that always fails with this code is repeated. */
  async function repeatedMs(code: string, signal?: AbortSignal): Promise<number> {
    const { time, waits } = passing();
    await expect(retryRead(() => Promise.reject(failure(code)), signal, time)).rejects.toMatchObject({ code });
    return waits.reduce((sum, ms) => sum + ms, 0);
  }

  it.each(['CONNECTION_CLOSED', 'CONNECTION_REFUSED', 'ECONNREFUSED', '57P01', '57P03'])(
    'is repeated for ten seconds while there is no server, and for a minute with a deadline of its own: %s',
    async (code) => {
      expect(await repeatedMs(code)).toBeGreaterThan(8_000);
      expect(await repeatedMs(code)).toBeLessThanOrEqual(10_000);
      expect(await repeatedMs(code, new AbortController().signal)).toBeGreaterThan(58_000);
      expect(await repeatedMs(code, AbortSignal.abort())).toBe(0);
    },
  );

  it.each([
    ['that', 10_000, undefined],
    ['its own deadline', 60_000, new AbortController().signal],
  ])('is last repeated at the end of %s', async (_what, mostMs, signal) => {
    const { time, waits } = passing();
    const read = async () => {
      if (waits.length > 0) return 'row';
      time.monotonic.advance(mostMs - 50);
      throw failure('57P03');
    };
    expect([await retryRead(read, signal, time), waits]).toEqual(['row', [50]]);
  });

  it.each(['55P03', '57014', '42601'])('is not repeated when it took too long or is wrong: %s', async (code) => {
    expect(await repeatedMs(code)).toBe(0);
  });

  it('is repeated when a cancel request for another statement hit it, unless it was cancelled itself', async () => {
    const hit = Object.assign(new Error('canceling statement due to user request'), { code: '57014' });
    const answers = [Promise.reject(hit), Promise.resolve('row')];
    expect(await retryRead(() => answers.shift() as Promise<string>, undefined, passing().time)).toBe('row');
    await expect(retryRead(() => Promise.reject(hit), AbortSignal.abort(), passing().time)).rejects.toBe(hit);
  });

  it('has the rows of the first server that answers', async () => {
    let left = 3;
    const read = async () => {
      left -= 1;
      if (left > 0) throw failure('57P03');
      return ['row'];
    };
    expect(await retryRead(read, undefined, passing().time)).toEqual(['row']);
  });
});
