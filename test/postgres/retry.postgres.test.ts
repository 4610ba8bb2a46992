import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAccounts } from '../../adapters/postgres/accounts/accounts.js';
import { createLedger } from '../../adapters/postgres/ledger/ledger.js';
import { retryTransient } from '../../adapters/postgres/retry.js';
import { connect } from '../../adapters/postgres/sql.js';
import { debitOf, grantTo, openPayer } from '../engine/ports/suites/ledger.suite.js';
import { type FreshDatabase, freshDatabase } from '../kit/postgres/database.js';

describe.concurrent('a statement that fails for a passing reason', () => {
  const bounds = { withinMs: 300, inDoubtMs: 60_000 };
  /** Fails with one code after the other, and repeats the last one until that time has passed. */
  const failing = (untilMs: number, ...codes: string[]) => {
    const began = performance.now();
    return async (): Promise<string> => {
      if (performance.now() - began > untilMs) return 'known';
      throw Object.assign(new Error('passing'), { code: codes.length > 1 ? codes.shift() : codes[0] });
    };
  };

  test.each(['ECONNREFUSED', '57P03', '40P01'])('is given up within the bound if it did nothing (%s)', async (code) => {
    await expect(retryTransient(failing(60_000, code), bounds)).rejects.toMatchObject({ code });
  });

  test.each(['CONNECTION_CLOSED', 'ECONNRESET', '57P01', '08006'])(
    'is tried until its result is known if it may have succeeded (%s)',
    async (code) => {
      expect(await retryTransient(failing(900, code, 'ECONNREFUSED'), bounds)).toBe('known');
    },
  );

  test('succeeds a moment later', async () => {
    expect(await retryTransient(failing(100, 'ECONNREFUSED'))).toBe('known');
  });
});

describe('a commit whose answer is lost', () => {
  let database: FreshDatabase;
  let between: Between;
  beforeEach(async () => {
    database = await freshDatabase();
    between = await openBetween('host' in database.target ? database.target.host : null);
  });
  afterEach(async () => {
    await between.close();
    await database.drop();
  });

  test('is found when the database returns after a long outage, and its caller pays once (M19)', {
    timeout: 60_000,
  }, async (context) => {
    if (!('host' in database.target)) return context.skip();
    const ledger = createLedger(database.sql);
    const payer = await openPayer(createAccounts(database.sql));
    await grantTo(ledger, payer, 5_000);
    const sql = connect({ ...database.target, host: between.folder }, { max: 1 });
    const through = createLedger(sql);
    // The statement is prepared, so the next debit only waits for the answer to its commit.
    await through.post(debitOf(payer, 500));
    const debit = debitOf(payer, 1_000);
    between.loseAnswers();
    const posting = through.post(debit);
    const isPosted = async (): Promise<boolean> =>
      (await database.sql`select from ledger_entries where request_id = ${debit.requestId}`).length === 1;
    while (!(await isPosted())) await sleep(10);
    await between.goAway();
    await sleep(7_000);
    await between.comeBack();
    expect(await posting).toMatchObject({ ok: true, balance: 3_500 });
    expect(await ledger.check()).toEqual({ wallets: 1, entries: 3, faults: [] });
    await sql.end({ timeout: 1 });
  });
});

/** A proxy between a pool and the server. */
interface Between {
  readonly folder: string;
  /** Drops all answers of the server from now on. */
  loseAnswers(): void;
  /** Ends all connections and refuses new ones. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

async function openBetween(serverFolder: string | null): Promise<Between> {
  const folder = await mkdtemp(join(tmpdir(), 'perch-b-'));
  const name = '.s.PGSQL.5432';
  const open = new Set<Socket>();
  let lost = false;
  let server: Server;
  const comeBack = async (): Promise<void> => {
    lost = false;
    server = createServer((client) => {
      const far = dial(join(serverFolder ?? '', name));
      for (const socket of [client, far]) open.add(socket.on('error', () => {}));
      client.pipe(far);
      far.on('data', (bytes) => lost || client.write(bytes));
      far.on('close', () => client.destroy());
    }).listen(join(folder, name));
    await once(server, 'listening');
  };
  const goAway = async (): Promise<void> => {
    for (const socket of open) socket.destroy();
    open.clear();
    server.close();
    await once(server, 'close');
  };
  await comeBack();
  return {
    folder,
    loseAnswers: () => {
      lost = true;
    },
    goAway,
    comeBack,
    async close() {
      await goAway();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
