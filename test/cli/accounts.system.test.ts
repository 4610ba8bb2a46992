import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccounts } from '../../adapters/postgres/accounts/accounts.js';
import { createSessionStore } from '../../adapters/postgres/customers/sessions.js';
import { type EmbeddedServer, openEmbeddedPostgres } from '../../adapters/postgres/embedded/launcher.js';
import { connect } from '../../adapters/postgres/sql.js';
import { Sessions } from '../../src/sign-in/sessions.js';
import { post, user } from '../networks/x/support/scripted.js';
import { Cli } from './support/support.js';

interface Created {
  readonly account_id: string;
  readonly wallet_id: string;
  readonly key: string;
}

interface Key {
  readonly key_prefix: string;
  readonly name: string;
  readonly state: string;
  readonly cap: number | null;
  readonly key: string;
}

interface Account {
  readonly balance: number;
  readonly rate_limit_qps: number;
  readonly keys: readonly Key[];
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const KEY = /^perch_live_[0-9A-Za-z]{32}$/;
const NOBODYS_ID = '019a2b3c-4d5e-7f60-8123-456789abcdef';

let cli: Cli;
// Keeps the database open, as the service would. Commands find it and join it.
let server: EmbeddedServer;

beforeAll(async () => {
  cli = await Cli.open();
  server = await openEmbeddedPostgres({ home: cli.home });
});
afterAll(async () => {
  await server.stop();
  await cli.close();
});

const create = (...words: readonly string[]): Promise<Created> =>
  cli.json('account', 'create', '--name', 'n', ...words);
const show = (id: string): Promise<Account> => cli.json('account', 'show', id);

describe('accounts', () => {
  test('are listed, found and signed in by their address', async () => {
    const { account_id } = await create('--email', 'found@example.org', '--credits', '5');
    const { accounts, more } = await cli.json<{ accounts: { account_id: string; balance: number }[]; more: boolean }>(
      'account',
      'find',
      'FOUND@example',
    );
    expect([accounts.map((one) => [one.account_id, one.balance]), more]).toEqual([[[account_id, 5]], false]);
    expect((await cli.run('account', 'list', '--limit', '1')).stdout).toMatch(/account +name +email/);
    expect((await cli.run('account', 'list', 'nobody-has-this')).stdout).toContain('No account has "nobody-has-this"');
    const link = await cli.json<{ account_id: string }>('account', 'sign-in', '--email', 'found@example.org');
    expect(link.account_id).toBe(account_id);
    const refused = await cli.run('account', 'sign-in', '--email', 'gone@example.org');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('no account with')]);
  });

  test('are created with only the three lines on standard output that scripts rely on', async () => {
    const ran = await cli.run(
      'account',
      'create',
      '--name',
      'Ada',
      '--credits',
      '12.345',
      '--paid-usd',
      '50',
      '--json',
    );
    expect(ran.code).toBe(0);
    const made = JSON.parse(ran.stdout) as Created;
    expect(Object.keys(made)).toEqual(['account_id', 'wallet_id', 'key']);
    expect([made.account_id, made.wallet_id]).toEqual([expect.stringMatching(UUID), expect.stringMatching(UUID)]);
    expect(made.key).toMatch(KEY);
    expect(await show(made.account_id)).toMatchObject({
      wallet_id: made.wallet_id,
      name: 'Ada',
      email: null,
      balance: 12.345,
      paid_usd: 50,
      rate_limit_qps: 50,
      tier: { paid_usd: 50, requests_per_second: 50 },
      keys: [{ key_prefix: made.key.slice(0, 17), name: 'first key', state: 'active', spent: 0, cap: null }],
    });
  });

  test("are two if created twice alike, each with an empty wallet (M27) and an operator's rate", async () => {
    const [first, second] = [await create('--qps', '5000'), await create('--qps', '5000')];
    expect(second.account_id).not.toBe(first.account_id);
    expect(await show(second.account_id)).toMatchObject({ balance: 0, rate_limit_qps: 5000 });
  });

  test('get a rate and a paid amount from limit, and a note for operators from note', async () => {
    const { account_id: id } = await create('--qps', '5000');
    expect(await cli.json('account', 'limit', id, '--qps', 'tier', '--paid-usd', '50')).toEqual({
      ...{ account_id: id, rate_limit_qps: 50, paid_usd: 50 },
    });
    expect(await cli.json('account', 'limit', id, '--qps', '7')).toMatchObject({ rate_limit_qps: 7, paid_usd: 50 });
    expect((await cli.run('account', 'show', id)).stdout).toContain('7 requests per second, set by the operator');
    expect(await cli.json('account', 'note', id)).toEqual({ account_id: id, note: null });
    await cli.json('account', 'note', id, 'Invoiced by hand');
    expect((await cli.run('account', 'note', id)).stdout).toBe('Invoiced by hand\n');
    expect(await cli.json('account', 'note', id, '')).toEqual({ account_id: id, note: null });
  });

  test('are created with a text that shows the key and how to use it', async () => {
    const { stdout, code } = await cli.run('account', 'create', '--name', 'Ada');
    expect(code).toBe(0);
    expect(stdout).toMatch(/Key {6}perch_live_\w{32}\n\nThe key is shown only once/);
  });

  test('may share an address, with a note that one person owns both', async () => {
    const first = await create('--email', 'ada@example.org');
    const ran = await cli.run('account', 'create', '--name', 'n', '--email', 'Ada@Example.org', '--json');
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain(`account ${first.account_id} has the same owner`);
    expect((await cli.run('account', 'create', '--name', 'n', '--email', 'bea@example.org')).stderr).toBe('');
  });

  test('lose every key on freeze and get them back on thaw, each logged once', async () => {
    const { account_id } = await create();
    const sql = connect(server.connection, { max: 1 });
    try {
      const [{ hash } = { hash: Buffer.of() }] = await sql<{ hash: Buffer }[]>`
        select hash from keys where account_id = ${account_id}`;
      for (const [word, frozen] of [
        ['freeze', true],
        ['freeze', true],
        ['thaw', false],
      ] as const) {
        expect(await cli.json('account', word, account_id)).toEqual({ account_id, frozen });
        expect(await show(account_id)).toMatchObject({ frozen });
        expect((await createAccounts(sql).findKeys([hash]))[0]?.state).toBe(frozen ? 'frozen' : 'live');
      }
      const rows = await sql`
        select what, who from audit_log where account_id = ${account_id} and what ~ 'frozen|thawed' order by event_id`;
      expect(rows).toEqual([
        { what: 'account.frozen', who: 'operator' },
        { what: 'account.thawed', who: 'operator' },
      ]);
    } finally {
      await sql.end();
    }
  });

  test('lose every session on sign-out, and no other account does', async () => {
    const [mine, theirs] = [await create(), await create()];
    const sql = connect(server.connection, { max: 1 });
    try {
      const store = createSessionStore(sql);
      const sessions = new Sessions({ store, clock: { now: Date.now }, randomBytes });
      const start = ({ account_id }: Created) =>
        sessions.start(account_id, { method: 'link', userAgent: null, address: null });
      const [first, second, other] = [await start(mine), await start(mine), await start(theirs)];
      const out = ['account', 'sign-out', mine.account_id];
      expect(await cli.json(...out)).toEqual({ account_id: mine.account_id, sessions_ended: 2 });
      expect(await cli.json(...out)).toEqual({ account_id: mine.account_id, sessions_ended: 0 });
      for (const { token } of [first, second]) expect(await sessions.find(token)).toBeNull();
      expect(await sessions.find(other.token)).not.toBeNull();
    } finally {
      await sql.end();
    }
  });

  test('that do not exist cause exit code 1', async () => {
    expect((await cli.run('account', 'freeze', NOBODYS_ID)).code).toBe(1);
    expect((await cli.run('account', 'sign-out', NOBODYS_ID)).code).toBe(1);
    for (const [word = '', ...rest] of [['show'], ['limit', '--qps', '5'], ['note'], ['note', 'text']]) {
      expect(await cli.run('account', word, NOBODYS_ID, ...rest)).toEqual({
        code: 1,
        stdout: '',
        stderr: `perch: no account ${NOBODYS_ID} in this database; \`perch account list\` shows them\n`,
      });
    }
  });
});

describe('wallets', () => {
  test('get a row of the ledger for a credit, and none for the same request id again', async () => {
    const { account_id, wallet_id } = await create('--credits', '1');
    const words = ['wallet', 'credit', '--account', account_id, '--credits', '2.5', '--reason', 'thanks'];
    const first = await cli.json<{ request_id: string }>(...words);
    expect(first).toEqual({
      account_id,
      wallet_id,
      credits: 2.5,
      balance: 3.5,
      request_id: expect.stringMatching(UUID),
    });
    const again = ['--request-id', first.request_id];
    expect(await cli.json(...words)).toMatchObject({ balance: 6 });
    expect(await cli.json(...words, ...again)).toEqual({ ...first, balance: 6, repeated: true });
    const said = await cli.run(...words, ...again);
    expect(said.stdout).toMatch(/Granted +nothing: this id was granted before, 2.5 credits\n.*Balance +6 credits/s);
    expect(await cli.run(...words.with(5, '7'), ...again)).toEqual({
      code: 1,
      stdout: '',
      stderr: `perch: nothing was added: ${first.request_id} is already the id of a grant of 2.5 credits\n`,
    });
  });
});

describe('the ledger', () => {
  test('is checked with exit code 0 if correct, and 1 with the faults if not, as doctor reports too', async () => {
    const { account_id, wallet_id } = await create('--credits', '5');
    expect(await cli.json('ledger', 'check')).toEqual({
      ok: true,
      wallets: expect.any(Number),
      entries: expect.any(Number),
    });
    const sql = connect(server.connection, { max: 1 });
    try {
      await sql`update wallets set balance_thousandths = 4999 where account_id = ${account_id}`;
      const ran = await cli.run('ledger', 'check', '--json');
      expect(ran.code).toBe(1);
      const fault = expect.objectContaining({ invariant: 'wallet_sum', wallet_id });
      expect(JSON.parse(ran.stdout)).toMatchObject({ ok: false, faults: expect.arrayContaining([fault]) });
      const doctor = await cli.run('doctor');
      expect(doctor.code).toBe(1);
      expect(doctor.stdout).toMatch(/^not ok {2}Ledger/m);
      await sql`update wallets set balance_thousandths = 5000 where account_id = ${account_id}`;
    } finally {
      await sql.end();
    }
  });
});

describe('keys', () => {
  test('of the test mode are listed with the others', async () => {
    const { account_id: id } = await create();
    const made = await cli.json<Key>('key', 'create', '--account', id, '--name', 'ci', '--test');
    expect(made).toMatchObject({ name: 'ci', key: expect.stringMatching(/^perch_test_\w{32}$/) });
    expect(await cli.json('key', 'list', '--account', id)).toMatchObject({ keys: [{}, { name: 'ci' }] });
  });

  test('are listed with a note if there are more of a mode than are listed', async () => {
    const { account_id: id } = await create();
    const lists = [
      ['key', 'list', '--account', id],
      ['account', 'show', id],
    ];
    for (const list of lists) expect((await cli.run(...list)).stdout).not.toContain('There are more');
    const sql = connect(server.connection, { max: 1 });
    try {
      await sql`
        with ended as (select sha256((${id} || n)::bytea) as hash from generate_series(1, 200) n),
          listed as (insert into key_directory (account_id, hash) select ${id}, hash from ended)
        insert into keys (account_id, wallet_id, hash, prefix, name, revoked_at)
        select account_id, wallet_id, hash, 'perch_live_ended0', 'ended', now()
        from ended cross join wallets where account_id = ${id}`;
    } finally {
      await sql.end();
    }
    for (const list of lists) {
      const { stdout } = await cli.run(...list);
      expect(stdout).toContain('There are more: at most 200 keys of each mode are listed');
      expect(stdout).toContain('first key');
    }
    const { keys, more } = await cli.json<{ keys: Key[]; more: boolean }>('key', 'list', '--account', id);
    expect([keys.length, more]).toEqual([200, true]);
  });

  test('of the test mode are not made if their network cannot be filled', async () => {
    const { account_id: id } = await create();
    const sql = connect(server.connection, { max: 1 });
    try {
      await sql`insert into missing_indexes (name, table_name, definition) values ('odd', 'invented_users', 'not SQL')`;
      const ran = await cli.run('key', 'create', '--account', id, '--name', 'ci', '--test');
      expect([ran.code, ran.stdout]).toEqual([1, '']);
      const { keys } = await cli.json<{ keys: Key[] }>('key', 'list', '--account', id);
      expect(keys.map(({ name }) => name)).toEqual(['first key']);
    } finally {
      await sql`delete from missing_indexes where name = 'odd'`;
      await sql.end();
    }
  });

  test('are created with a cap on the same wallet, shown once, and listed', async () => {
    const { account_id } = await create();
    const made = await cli.json<Key>('key', 'create', '--account', account_id, '--name', 'staging', '--cap', '0.5');
    expect(made).toMatchObject({ name: 'staging', cap: 0.5, state: 'active', key: expect.stringMatching(KEY) });
    const list = ['key', 'list', '--account', account_id];
    const { keys } = await cli.json<{ keys: Key[] }>(...list);
    expect(keys.map(({ name }) => name)).toEqual(['first key', 'staging']);
    expect((await cli.run(...list)).stdout).not.toContain(made.key);
  });

  test('keep name, cap and account on rotation, with the old key during the overlap (A10)', async () => {
    const { account_id, key } = await create();
    const rotated = await cli.json<Key & { replaces: { key_prefix: string; ends_at: string } }>('key', 'rotate', key);
    expect(rotated).toMatchObject({ name: 'first key', cap: null, replaces: { key_prefix: key.slice(0, 17) } });
    const hours = (Date.parse(rotated.replaces.ends_at) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);
    expect(await cli.run('key', 'rotate', key.slice(0, 17))).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('was already rotated'),
    });

    await cli.json('key', 'rotate', rotated.key_prefix, '--overlap', '0');
    expect((await show(account_id)).keys.map(({ state }) => state)).toEqual(['expiring', 'revoked', 'active']);
  });

  test('can be limited in what they read, from where and until when, and freed of the limits', async () => {
    const { account_id, key } = await create();
    const prefix = key.slice(0, 17);
    const limits = ['--reads', 'profiles,search', '--from', '192.0.2.7,2001:db8::/32', '--expires', '2099-03-31'];
    const limited = {
      ...{ state: 'active', scopes: ['profiles', 'search'], allowed_from: ['192.0.2.7/32', '2001:db8::/32'] },
      expires_at: '2099-03-31T23:59:59.999Z',
    };
    expect(await cli.json('key', 'limit', prefix, ...limits)).toMatchObject(limited);
    expect(await cli.json('key', 'create', '--account', account_id, ...limits)).toMatchObject(limited);
    expect(await cli.json('key', 'limit', prefix, '--reads', 'all', '--from', 'any')).toMatchObject({
      ...{ scopes: null, allowed_from: null, expires_at: limited.expires_at },
    });
    expect(await cli.json('key', 'limit', prefix, '--expires', 'never')).toMatchObject({ expires_at: null });
    for (const [wrong, says] of [
      [['--expires', '2020-01-01'], 'has passed'],
      [[], 'at least one of --reads'],
    ] as const) {
      expect(await cli.run('key', 'limit', prefix, ...wrong)).toMatchObject({
        ...{ code: 2, stdout: '', stderr: expect.stringContaining(says) },
      });
    }
  });

  test('can be revoked twice with the same result', async () => {
    const { key } = await create();
    const first = await cli.json<{ revoked_at: string }>('key', 'revoke', key.slice(0, 17));
    expect(first).toMatchObject({ state: 'revoked' });
    expect(await cli.json('key', 'revoke', key.slice(0, 17))).toEqual(first);
    expect(await cli.run('key', 'revoke', 'perch_live_000000')).toMatchObject({ code: 1, stdout: '' });
  });
});

describe('doctor', () => {
  test('passes every check, and lists every setting with --all', async () => {
    const report = await cli.json<{ ok: boolean; checks: { name: string; ok: boolean }[]; settings: unknown[] }>(
      'doctor',
      '--all',
    );
    expect(report.ok).toBe(true);
    expect(report.checks.map(({ name }) => name)).toEqual([
      'Configuration',
      'Data folder',
      'Database',
      'Ledger',
      'Network',
      'Redis',
      'Public pages',
    ]);
    expect(report.settings).toContainEqual(expect.objectContaining({ name: 'PERCH_HOME', set: true }));
  });

  test('needs to write to the data folder only for the secret and the embedded database', async () => {
    const folderWith = async (env: Record<string, string>): Promise<string> => {
      const notAFolder = fileURLToPath(import.meta.url);
      const { stdout } = await cli.start(['doctor'], { env: { PERCH_HOME: notAFolder, ...env } }).end;
      return /^.*Data folder.*$/m.exec(stdout)?.[0] ?? stdout;
    };
    const [database, secret] = [{ DATABASE_URL: 'postgres://127.0.0.1:1/perch' }, { PERCH_SECRET: 's'.repeat(32) }];
    expect(await folderWith({ ...database, ...secret })).toMatch(/^ok .* not needed/);
    for (const env of [database, secret]) expect(await folderWith(env)).toMatch(/^not ok .* must be readable and writ/);
  });

  test('fails a service that sells without saying whom to ask, and names the settings', async () => {
    const selling = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' };
    const given = { PERCH_CONTACT: 'help@perch.example', PERCH_TERMS_URL: 'https://perch.example/terms' };
    const lacking = await cli.start(['doctor'], { env: { ...selling, ...given } }).end;
    expect(lacking.stdout).toMatch(
      /^not ok {2}Public pages +lack privacy, refunds: set PERCH_PRIVACY_URL, PERCH_REFUNDS_URL; card payments are enabled$/m,
    );
    expect(lacking.code).toBe(1);
    const rest = { PERCH_PRIVACY_URL: 'https://perch.example/p', PERCH_REFUNDS_URL: 'https://perch.example/r' };
    const whole = await cli.start(['doctor'], { env: { ...selling, ...given, ...rest } }).end;
    expect(whole.stdout).toMatch(/^ok {6}Public pages /m);
    expect(whole.code).toBe(0);
  });

  test('says what its check of a network that bills has cost', async () => {
    const answers: Readonly<Record<string, object>> = {
      '/2/tweets': { data: [post('20')] },
      '/2/users/12/followers': { data: [user('5')] },
    };
    const x = createServer(({ url = '' }, response) => {
      const body = answers[url.split('?')[0] ?? ''] ?? { meta: { result_count: 0 } };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await once(x.listen(0, '127.0.0.1'), 'listening');
    const baseUrl = `http://127.0.0.1:${(x.address() as AddressInfo).port}`;
    const env = { PERCH_NETWORK: 'x', X_BEARER_TOKENS: 'one', X_BASE_URL: baseUrl };
    const { stdout, code } = await cli.start(['doctor'], { env }).end;
    x.close();
    expect(stdout).toMatch(/^ok {6}x {2,}this check cost at most \$0\.015$/m);
    expect(code).toBe(0);
  });
});
