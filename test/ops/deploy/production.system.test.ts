/** Follows docs/going-to-production.md: settings, proxy, backup and restore, and what the check reports about each. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allowedCores, checkCpu } from '../../../adapters/cli/commands/production.js';
import { createProgram } from '../../../adapters/cli/program.js';
import { freePort } from '../../../adapters/cli/workers/free-port.js';
import { connect, type Sql } from '../../../adapters/postgres/sql.js';
import { readConfig } from '../../../src/config/config.js';
import { PERCH, REPOSITORY, type Started, startNode } from '../../cli/support/support.js';
import { blocksOf, blockWith, readPage } from '../../docs/readme/markdown.js';
import { startMailServer } from '../../kit/mail-server.js';
import { type DebianPostgres, debianPrograms, startDebianPostgres } from '../../kit/postgres/debian-postgres.js';
import { stopAtOnce } from '../../kit/postgres/stop-postgres.js';
import { FakeStripe } from '../../kit/stripe/fake-stripe.js';
import { until } from '../../kit/time/until.js';
import { readCompose } from './compose-file.js';
import { adapted, type Front, isInstalled, makeCertificate, PROXIES, startProxy } from './proxies.js';

const PAGE = readPage('docs/going-to-production.md');
const BLOCKS = blocksOf(PAGE);
const [LIST = ''] = /^## The list$.*?(?=^## )/ms.exec(PAGE) ?? [];
const HEADINGS = [...LIST.matchAll(/^### (.+)$/gm)].map(([, heading = '']) => heading);
/** Rows of `perch doctor` that every service has. */
const USUAL = [
  'Configuration',
  'Data folder',
  'Database',
  'Ledger',
  'Checkpoints',
  'Network',
  'Redis',
  'Public pages',
  'Searches',
];

/** Does what the page needs of `systemd-run`, which works only where systemd runs. */
const systemdRun = (): string => `#!${process.execPath}
const { execFileSync } = require('node:child_process');
const { parseEnv } = require('node:util');
const { readFileSync } = require('node:fs');
const words = process.argv.slice(2);
const command = words.splice(words.findIndex((word) => !word.startsWith('--')));
const files = words.filter((word) => word.startsWith('--property=EnvironmentFile=')).map((word) => word.split('=')[2]);
const env = Object.assign({ PATH: process.env.PATH }, ...files.map((file) => parseEnv(readFileSync(file, 'utf8'))));
try {
  execFileSync(command[0], command.slice(1), { env, stdio: 'inherit' });
} catch (error) {
  process.exitCode = error.status ?? 1;
}
`;

interface Row {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

interface Report {
  readonly code: number | null;
  readonly ok: boolean;
  readonly checks: readonly Row[];
}

const PROGRAMS = await debianPrograms();
const missing = [...(PROGRAMS === undefined ? ['Postgres of Debian'] : []), ...(isInstalled('caddy') ? [] : ['caddy'])];
const why = missing.length > 0 && process.env.CI !== 'true' ? ` [left out: no ${missing.join(', ')}]` : '';
const MINUTES = 60_000;

describe.skipIf(why !== '')(`a service that was set up as the page says${why}`, () => {
  let folder: string;
  let debian: DebianPostgres;
  let admin: Sql;
  let mail: Awaited<ReturnType<typeof startMailServer>>;
  let stripe: FakeStripe;
  let front: Front;
  let service: Started;
  let env: Record<string, string>;
  let ports: { perch: number; front: number; postgres: number; metrics: number };
  let certificate: ReturnType<typeof makeCertificate>;
  let customer: { account_id: string; key: string };
  let first: Report;
  let operator: Awaited<ReturnType<typeof signIn>>;
  const file = (name: string): string => join(folder, name);
  const backups = (): string => file('backups');

  /**
   * Runs a block of the page in a shell, with the files, addresses and programs of this test. The superuser of its
   * Postgres is no user of the machine.
   */
  async function run(text: string): Promise<string> {
    const here = text
      .replaceAll('/etc/perch', folder)
      .replaceAll('/var/backups/perch', backups())
      .replaceAll('/usr/lib/postgresql/17/bin', PROGRAMS ?? '')
      .replace('--owner=postgres ', '')
      .replaceAll('su postgres', 'sh')
      .replace(/^#!.*\n/, '');
    const postgres = { PGHOST: '127.0.0.1', PGPORT: String(ports.postgres), PGUSER: 'postgres' };
    const path = `${folder}:${PROGRAMS}:${process.env.PATH}`;
    const shell = { PATH: path, HOME: folder, NO_COLOR: '1', LC_ALL: 'C', TZ: 'UTC', ...postgres };
    const { stdout } = await promisify(execFile)('sh', ['-euc', here], { env: shell, cwd: folder });
    return stdout;
  }

  async function doctor(
    changes: Record<string, string> = {},
    folderOfBackups: string | null = backups(),
  ): Promise<Report> {
    const words = folderOfBackups === null ? [] : ['--backups', folderOfBackups];
    const started = startNode([PERCH, 'doctor', '--production', ...words, '--json'], { env: { ...env, ...changes } });
    const { code, stdout, stderr } = await started.end;
    if (!stdout.startsWith('{')) throw new Error(stderr);
    return { code, ...(JSON.parse(stdout) as Omit<Report, 'code'>) };
  }

  const serve = async (changes: Record<string, string> = {}): Promise<Started> => {
    const started = startNode([PERCH, 'serve'], { env: { ...env, ...changes } });
    await started.says('Ctrl-C stops it.');
    return started;
  };

  const stop = async (started: Started | undefined): Promise<void> => {
    started?.process.kill('SIGTERM');
    await started?.end;
  };

  const perch = async <T>(...words: string[]): Promise<T> => {
    const { code, stdout, stderr } = await startNode([PERCH, ...words, '--json'], { env }).end;
    if (code !== 0) throw new Error(stderr);
    return JSON.parse(stdout) as T;
  };

  beforeAll(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'perch-production-')));
    await chmod(folder, 0o755);
    certificate = makeCertificate(folder);
    const free = () => freePort('127.0.0.1');
    ports = { perch: await free(), front: await free(), postgres: await free(), metrics: await free() };
    debian = await startDebianPostgres(PROGRAMS ?? '', { port: ports.postgres, username: 'postgres' });
    admin = connect({ url: `postgres://postgres@127.0.0.1:${ports.postgres}/postgres` }, { max: 2 });
    const setUp = blockWith(PAGE, 'create role perch');
    await admin.unsafe(/create role [^"\\]+/.exec(setUp)?.[0] ?? '');
    await admin.unsafe('create database perch owner perch');
    mail = await startMailServer({
      secure: true,
      key: certificate.key,
      cert: certificate.ca,
      authOptional: false,
      disabledCommands: [],
      onAuth: ({ username, password }, _session, callback) =>
        username === 'perch' && password === 'password'
          ? callback(null, { user: username })
          : callback(new Error('Invalid login')),
    });
    stripe = await FakeStripe.start('live');

    // The settings of the page with the addresses of this test, and settings that only the test needs.
    const shown = BLOCKS.filter(
      ({ language, text }) => language === 'env' && !/BALANCER_PORT|perch_restored/.test(text),
    );
    const settings = adapted(shown.map(({ text }) => text).join(''), [
      ['/var/lib/perch', file('home')],
      ['PERCH_NETWORK=bluesky', 'PERCH_NETWORK=corpus'],
      ['127.0.0.1:5432', `127.0.0.1:${ports.postgres}`],
      ['https://perch.example\n', `https://localhost:${ports.front}\n`],
      ['mail.example:465', new URL(mail.url).host],
      ['PERCH_METRICS_PORT=9464', `PERCH_METRICS_PORT=${ports.metrics}`],
    ]);
    const [payments = ''] = /^ *STRIPE_SECRET_KEY=.*\n *STRIPE_WEBHOOK_SECRET=.*$/m.exec(PAGE) ?? [];
    const keys = adapted(payments.replaceAll(/^ +/gm, ''), [
      ['rk_test_…', stripe.secretKey],
      ['whsec_…', stripe.webhookSecret],
    ]);
    const own = `PORT=${ports.perch}\nSTRIPE_BASE_URL=${stripe.url}\nNODE_EXTRA_CA_CERTS=${certificate.caFile}\nLOG_FORMAT=json\n# To a shell, two commands.\nPERCH_SELLER=Perch Ltd | Bristol\n`;
    await writeFile(file('env'), `${settings}${keys}\n${own}`);
    await writeFile(file('perch'), `#!/bin/sh\nexec "${process.execPath}" "${PERCH}" "$@"\n`, { mode: 0o755 });
    await writeFile(file('systemd-run'), systemdRun(), { mode: 0o755 });
    await run(blockWith(PAGE, 'PERCH_SECRET=$(openssl'));
    env = parseEnv(await readFile(file('env'), 'utf8')) as Record<string, string>;
    await mkdir(backups());

    first = await doctor();
    service = await serve();
    const place = { folder, port: ports.front, perchPort: ports.perch };
    front = await startProxy(await (PROXIES.caddy?.(place) ?? []), place, certificate.ca);
    await startNode([PERCH, 'import', join(REPOSITORY, 'test/kit/fixtures/import/plain')], { env }).end;
    customer = await perch('account', 'create', '--name', 'me', '--credits', '1000', '--qps', '10000');
    await front.fetch('/v1/users/lighthouse_hq', { headers: { 'x-api-key': customer.key } });
    operator = await signIn(env.PERCH_OPERATORS ?? '');
  }, 4 * MINUTES);

  afterAll(async () => {
    await front?.stop();
    await stop(service);
    await mail?.close();
    await stripe?.close();
    await admin?.end();
    await debian?.stop();
    await rm(folder, { recursive: true, force: true });
  }, MINUTES);

  /** Requests a link by mail, uses it, and opens the operator's pages. */
  async function signIn(email: string): Promise<{ mail: string; cookie: string; status: number }> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };
    const send = (path: string, fields: Record<string, string>) =>
      front.fetch(path, { method: 'POST', redirect: 'manual', headers, body: new URLSearchParams(fields).toString() });
    await send('/sign-in/mail', { email, next: '/operator' });
    const mailed = () => mail.received.find(({ to }) => to === email)?.source ?? '';
    await until('the link is mailed', () => mailed() !== '');
    const [, token = ''] = new RegExp(`${front.url}/sign-in#([\\w-]{43})`).exec(mailed()) ?? [];
    const cookie = (await send('/sign-in', { token, seen: '1' })).headers.get('set-cookie') ?? '';
    const own = { cookie: cookie.split(';')[0] ?? '', accept: 'text/html' };
    return { mail: mailed(), cookie, status: (await front.fetch('/operator', { headers: own })).status };
  }

  const rowOf = (report: Report, name: string): Row | undefined => report.checks.find((row) => row.name === name);

  it('is not ready before it is started, and the check says what to do', () => {
    expect(first.code).toBe(1);
    const failing = Object.fromEntries(first.checks.filter(({ ok }) => !ok).map(({ name, detail }) => [name, detail]));
    expect(failing).toMatchObject({
      TLS: expect.stringMatching(/^make https:\/\/localhost:\d+ reachable, with a valid certificate: .*ECONNREFUSED/),
      Proxy: 'not known until the public address answers: see TLS',
      Operators: expect.stringMatching(
        /^sign in at https:\S+\/sign-in as olga@perch\.example: there is no account yet$/,
      ),
      Backups: expect.stringMatching(/^make the first backup: there is none in /),
      Metrics: expect.stringMatching(/^start the service with PERCH_METRICS_PORT: no metrics at /),
      Version: 'not known until the public address answers: see TLS',
    });
    expect(Object.keys(failing)).toHaveLength(6);
  });

  it('signs its operator in with a mailed link over TLS', () => {
    expect(operator.mail).toMatch(/^From: Perch <no-reply@perch\.example>$/m);
    expect(operator.cookie).toMatch(/^__Host-perch=.*; Secure/);
    expect(operator.status).toBe(200);
  });

  /** The customer's balance by `perch account show`. */
  const balance = async (): Promise<number> =>
    (await perch<{ balance: number }>('account', 'show', customer.account_id)).balance;

  describe('with a backup made while a customer is charged', () => {
    /** Charged credits by the customer's answers. */
    const charged = { now: 0, before: 0 };

    beforeAll(async () => {
      let isSending = true;
      const keepSending = async (): Promise<void> => {
        while (isSending) {
          const response = await front.fetch('/v1/users/lighthouse_hq?fresh=true', {
            headers: { 'x-api-key': customer.key },
          });
          await response.arrayBuffer();
          charged.now += Number(response.headers.get('x-credits-charged'));
        }
      };
      const senders = [keepSending(), keepSending()];
      await until('some are charged', () => charged.now > 20);
      charged.before = charged.now;
      try {
        await run(blockWith(PAGE, '#!/bin/sh'));
        const after = charged.now;
        await until('more are charged', () => charged.now > after);
      } finally {
        isSending = false;
        await Promise.all(senders);
      }
      expect(charged.now).toBeGreaterThan(charged.before);
    }, MINUTES);

    it('is ready: every row is ok, one for each heading of the page', async () => {
      const report = await doctor();
      expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
      expect([report.ok, report.code]).toEqual([true, 0]);
      const own = report.checks.map(({ name }) => name).filter((name) => !USUAL.includes(name));
      expect(own).toEqual(HEADINGS.filter((heading) => !USUAL.includes(heading)));
    });

    it('prints the rows as text, and where they are explained', async () => {
      const text = await run(blockWith(PAGE, '--backups /var/backups/perch'));
      expect(text).toMatch(/^ok {6}TLS {12}https:\/\/localhost:\d+, with a certificate valid until \d{4}-\d\d-\d\d$/m);
      expect(text).toContain('docs/going-to-production.md');
    });

    it('has an archive that only its owner can read, and no incomplete file', async () => {
      const names = (await readdir(backups())).filter((name) => name.startsWith('perch-'));
      expect(names).toEqual([expect.stringMatching(/^perch-\d{4}-\d\d-\d\d\.dump$/)]);
      expect((await stat(join(backups(), names[0] ?? ''))).mode & 0o777).toBe(0o600);
    });

    it(
      'is restored by the commands of the page, with a sound ledger, working keys and the balances of the backup',
      async () => {
        await run(blockWith(PAGE, 'pg_restore'));
        const [address] = BLOCKS.filter(({ text }) => /^DATABASE_URL=.*perch_restored$/m.test(text));
        await writeFile(
          file('restored'),
          adapted(address?.text ?? '', [['127.0.0.1:5432', `127.0.0.1:${ports.postgres}`]]),
        );
        const output = await run(blockWith(PAGE, 'perch ledger check'));
        expect(output).toMatch(/The ledger is consistent: \d+ wallets?, \d+ entries/);
        const restored = {
          DATABASE_URL: `${env.DATABASE_URL?.replace(/\/\w+$/, '')}/perch_restored`,
          PERCH_METRICS_PORT: '',
        };
        const second = await serve({ ...restored, PORT: '0', PERCH_BASE_URL: '' });
        try {
          const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(second.said.stdout) ?? [];
          const me = (await (await fetch(`${url}/v1/me`, { headers: { 'x-api-key': customer.key } })).json()) as {
            balance: number;
          };
          // Everything charged before the copy began is there, and nothing twice.
          expect(me.balance).toBeLessThanOrEqual(1000 - charged.before);
          expect(me.balance).toBeGreaterThanOrEqual(await balance());
          const read = await fetch(`${url}/v1/users/lighthouse_hq`, { headers: { 'x-api-key': customer.key } });
          expect(read.status).toBe(200);
        } finally {
          await stop(second);
        }
        const strange = startNode([PERCH, 'ledger', 'check'], {
          env: { ...env, ...restored, PERCH_SECRET: 'x'.repeat(64) },
        });
        expect(await strange.end).toMatchObject({ code: 1, stderr: expect.stringContaining('different secrets') });
      },
      MINUTES,
    );

    it(
      'starts from a copy of the server’s files',
      async () => {
        await run(blockWith(PAGE, 'pg_basebackup'));
        const [name = ''] = (await readdir(backups())).filter((each) => each.startsWith('base-'));
        const copy = join(backups(), name);
        expect(rowOf(await doctor({}, backups()), 'Backups')).toMatchObject({
          ok: true,
          detail: expect.stringContaining('base-'),
        });
        const port = await freePort('127.0.0.1');
        await promisify(execFile)('chown', ['-R', 'nobody', copy]).catch(() => {});
        await chmod(backups(), 0o755);
        await debian.run(
          'pg_ctl',
          'start',
          '-w',
          '-D',
          copy,
          '-l',
          join(copy, 'log'),
          '-o',
          `-c port=${port} -c unix_socket_directories=`,
        );
        try {
          const url = `postgres://perch@127.0.0.1:${port}/perch`;
          const checked = await startNode([PERCH, 'ledger', 'check', '--json'], { env: { ...env, DATABASE_URL: url } })
            .end;
          expect(JSON.parse(checked.stdout)).toMatchObject({ ok: true });
        } finally {
          await stopAtOnce(copy);
          await rm(copy, { recursive: true });
        }
      },
      MINUTES,
    );
  });

  describe('the check of an incomplete service', () => {
    let bare: Report;
    let wrong: Report;
    let others: Server;
    let reply: { status: number; body: string };
    const elsewhere = (): string => `https://localhost:${(others.address() as AddressInfo).port}`;

    beforeAll(async () => {
      reply = { status: 404, body: 'none' };
      others = createServer({ key: certificate.key, cert: certificate.ca }, (_request, response) =>
        response.writeHead(reply.status).end(reply.body),
      );
      await new Promise<void>((resolve) => others.listen(0, '127.0.0.1', resolve));
      await admin.unsafe('create database perch_empty owner perch');
      const empty = `postgres://perch@127.0.0.1:${ports.postgres}/perch_empty`;
      const own = { PERCH_HOME: file('bare'), DATABASE_URL: empty };
      const nothing = Object.fromEntries(Object.keys(env).map((name) => [name, '']));
      bare = await doctor({ ...nothing, ...own }, null);
      wrong = await doctor(
        {
          PERCH_BASE_URL: elsewhere(),
          PERCH_TRUST_PROXY: '0.0.0.0/0',
          SMTP_URL: env.SMTP_URL?.replace(':password@', ':wrong@') ?? '',
          PERCH_OPERATORS: 'nobody@perch.example',
          STRIPE_SECRET_KEY: 'sk_live_wrong',
          PERCH_METRICS_PORT: String(await freePort('127.0.0.1')),
          PERCH_MAX_RSS_MB: '200',
          WORKERS: '256',
          REDIS_URL: `redis://127.0.0.1:${await freePort('127.0.0.1')}`,
        },
        file('home'),
      );
    }, MINUTES);
    afterAll(() => others?.close());

    it.each([
      ['Secret', 'set PERCH_SECRET before the first key is created: openssl rand -hex 32'],
      ['TLS', 'set PERCH_BASE_URL to the public https address'],
      ['Proxy', /^set PERCH_TRUST_PROXY to the proxy's address/],
      ['Mail', 'set SMTP_URL: sign-in links are written to the log'],
      ['Public pages', /^lack contact, terms, privacy, refunds: set PERCH_CONTACT, .*, PERCH_REFUNDS_URL$/],
      ['Operators', 'set PERCH_OPERATORS to the email addresses of those who run the service'],
      ['Backups', 'name the folder of the nightly backups: --backups FOLDER'],
      ['Metrics', 'set PERCH_METRICS_PORT, and let Prometheus read it'],
    ])('reports that %s is not set', (name, detail) => {
      expect(rowOf(bare, name)).toEqual({ name, ok: false, detail: expect.stringMatching(detail) });
      expect(bare.code).toBe(1);
    });

    it('accepts a service without payments', () => {
      expect(rowOf(bare, 'Payments')).toMatchObject({ ok: true, detail: 'off: STRIPE_SECRET_KEY is not set' });
    });

    it.each([
      ['TLS', /^let the proxy pass https:\S+ on to 127\.0\.0\.1:\d+: it answers 404, and not as Perch would$/],
      ['Proxy', 'name only the proxy in PERCH_TRUST_PROXY: 0.0.0.0/0 trusts every address'],
      ['Mail', /^correct SMTP_URL, or the server at \S+: Invalid login/],
      ['Operators', /as nobody@perch\.example: there is no account yet$/],
      ['Payments', 'correct STRIPE_SECRET_KEY: Invalid API Key provided'],
      ['Backups', /^create \S+ for the backups, or let this user read it$/],
      ['Metrics', /no metrics at /],
      ['Memory', /^allow more memory, or set a smaller PERCH_CACHE_MB: 200 MiB per process; .* takes 396$/],
      ['CPU', /^set WORKERS to at most \d+: 256 processes on \d+ cores$/],
    ])('reports what is wrong with %s', (name, detail) => {
      expect(rowOf(wrong, name)).toEqual({ name, ok: false, detail: expect.stringMatching(detail) });
      expect(wrong.code).toBe(1);
    });

    it('reports an embedded database, and memory without a limit', async () => {
      const report = await doctor({
        DATABASE_URL: '',
        PERCH_HOME: file('none'),
        PERCH_MAX_RSS_MB: '',
        PERCH_DEMO: 'off',
      });
      expect(rowOf(report, 'Postgres')).toMatchObject({
        ok: false,
        detail: expect.stringMatching(/^set DATABASE_URL: /),
      });
      // The container of this run may have a memory limit.
      const isLimited = process.constrainedMemory() > 0 && process.constrainedMemory() < Number.MAX_SAFE_INTEGER;
      if (!isLimited)
        expect(rowOf(report, 'Memory')).toMatchObject({
          ok: false,
          detail: expect.stringContaining('PERCH_MAX_RSS_MB'),
        });
    });

    it('reports a Postgres that may lose confirmed commits', async () => {
      await admin.unsafe('alter system set fsync = off');
      await admin.unsafe('select pg_reload_conf()');
      const report = await doctor();
      await admin.unsafe('alter system reset fsync');
      await admin.unsafe('select pg_reload_conf()');
      expect(rowOf(report, 'Postgres')).toMatchObject({
        ok: false,
        detail: expect.stringMatching(/^turn fsync on in Postgres/),
      });
    });

    it('reports a key of the test mode, and events that cannot be verified', async () => {
      const test = await FakeStripe.start();
      const report = await doctor(test.env);
      expect(rowOf(report, 'Payments')).toMatchObject({
        ok: false,
        detail: expect.stringContaining("Stripe's test mode"),
      });
      await test.close();
      const unsigned = await doctor({ STRIPE_WEBHOOK_SECRET: '' });
      expect(rowOf(unsigned, 'Payments')).toMatchObject({
        ok: false,
        detail: expect.stringMatching(/^set STRIPE_WEBHOOK_SECRET/),
      });
    });

    it('reports an old backup, and an incomplete one', async () => {
      const old = file('old');
      await mkdir(old);
      await writeFile(join(old, 'half.dump'), '');
      expect(rowOf(await doctor({}, old), 'Backups')).toMatchObject({
        detail: expect.stringMatching(/^make the first backup/),
      });
      await writeFile(join(old, 'perch.dump'), 'PGDMP and so on');
      await utimes(join(old, 'perch.dump'), new Date(), new Date(Date.now() - 50 * 3_600_000));
      const { ok, detail } = rowOf(await doctor({}, old), 'Backups') ?? {};
      expect([ok, detail]).toEqual([
        false,
        expect.stringMatching(/^find out why no backup has been made since .*, 50 hours ago$/),
      ]);
    });

    it('reports another version at the public address, and plain HTTP', async () => {
      reply = { status: 200, body: JSON.stringify({ name: 'Perch', version: '0.0.1' }) };
      const report = await doctor({ PERCH_BASE_URL: elsewhere() });
      expect(rowOf(report, 'Version')?.detail).toMatch(/^restart the service: it runs 0\.0\.1, and \S+ is installed$/);
      const plain = await doctor({ PERCH_BASE_URL: `http://127.0.0.1:${ports.perch}` });
      expect(rowOf(plain, 'TLS')?.detail).toMatch(/^set PERCH_BASE_URL to an https address, not http:/);
    });

    it('reports an untrusted certificate, and one that is about to expire', async () => {
      expect(rowOf(await doctor({ NODE_EXTRA_CA_CERTS: '' }), 'TLS')).toMatchObject({
        ok: false,
        detail: expect.stringMatching(
          /with a valid certificate: self-signed certificate(?:; if the root CA is installed locally, .*)?$/,
        ),
      });
      const short = await mkdtemp(join(folder, 'short-'));
      const ending = makeCertificate(short, 10);
      const place = { folder: short, port: await freePort('127.0.0.1'), perchPort: ports.perch };
      const second = await startProxy(await (PROXIES.caddy?.(place) ?? []), place, ending.ca);
      const report = await doctor({ PERCH_BASE_URL: second.url, NODE_EXTRA_CA_CERTS: ending.caFile });
      await second.stop();
      expect(rowOf(report, 'TLS')?.detail).toMatch(
        /^renew the certificate of https:\S+: it expires on \d{4}-\d\d-\d\d$/,
      );
    });

    it('reports a proxy that passes on the address that a client claims', async () => {
      // Like an nginx without the line for it.
      const credulous = createServer({ key: certificate.key, cert: certificate.ca }, (request, response) => {
        const claimed = String(request.headers['x-forwarded-for']);
        void fetch(`http://127.0.0.1:${ports.perch}${request.url}`, {
          headers: { 'x-forwarded-for': claimed, accept: 'application/json' },
        }).then(async (answer) =>
          response
            .writeHead(answer.status, { ratelimit: answer.headers.get('ratelimit') ?? '' })
            .end(await answer.text()),
        );
      });
      await new Promise<void>((resolve) => credulous.listen(0, '127.0.0.1', resolve));
      const report = await doctor({ PERCH_BASE_URL: `https://localhost:${(credulous.address() as AddressInfo).port}` });
      credulous.close();
      expect(rowOf(report, 'Proxy')).toEqual({
        name: 'Proxy',
        ok: false,
        detail: 'let the proxy replace X-Forwarded-For: a client may claim any address',
      });
    });
  });
});

describe('the cores that a container may use', () => {
  it.each([
    [{ 'cpu.max': '150000 100000\n' }, 1.5],
    [{ 'cpu.max': 'max 100000\n' }, null],
    [{ 'cpu/cpu.cfs_quota_us': '50000\n', 'cpu/cpu.cfs_period_us': '100000\n' }, 0.5],
    [{ 'cpu/cpu.cfs_quota_us': '-1\n', 'cpu/cpu.cfs_period_us': '100000\n' }, null],
    [{}, null],
  ])('are read from %j', async (files, expected) => {
    const groups = await mkdtemp(join(tmpdir(), 'perch-groups-'));
    await mkdir(join(groups, 'cpu'));
    for (const [name, text] of Object.entries(files)) await writeFile(join(groups, name), text);
    const machine = (await import('node:os')).availableParallelism();
    expect(await allowedCores(groups)).toBe(expected === null ? machine : Math.min(expected, machine));
    await rm(groups, { recursive: true });
  });

  it('bound the processes', () => {
    expect(checkCpu({ workers: 2 }, 1.5).ok).toBe(true);
    expect(checkCpu({ workers: 1 }, 0.5).ok).toBe(true);
    expect(checkCpu({ workers: 3 }, 1.5)).toMatchObject({
      ok: false,
      detail: expect.stringContaining('WORKERS to at most 2'),
    });
  });
});

describe('the steps with Docker Compose', () => {
  const section = PAGE.slice(PAGE.indexOf('## With Docker Compose'));
  const commands = blocksOf(section)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.trim().split('\n'));

  it('create the secrets that compose.yaml asks for', async () => {
    const [create = ''] = commands;
    const folder = await mkdtemp(join(tmpdir(), 'perch-compose-'));
    await promisify(execFile)('sh', ['-c', create], { cwd: folder });
    const made = parseEnv(await readFile(join(folder, '.env'), 'utf8')) as Record<string, string>;
    await rm(folder, { recursive: true });
    expect(Object.keys(made).sort()).toEqual(['PERCH_SECRET', 'POSTGRES_PASSWORD']);
    const { environment = {} } = readCompose(made).services.perch ?? {};
    expect(readConfig({ env: environment, cwd: '/', terminal: false }).warnings).toEqual([]);
  });

  it('open the port without TLS to this machine alone', () => {
    const [port = ''] = blocksOf(section).flatMap(({ language, text }) => (language === 'env' ? [text.trim()] : []));
    const [, value = ''] = port.split('=');
    const { services } = readCompose({ PERCH_SECRET: 'x', POSTGRES_PASSWORD: 'x', BALANCER_PORT: value });
    expect(services.balancer?.ports).toEqual(['127.0.0.1:8080:8080']);
  });

  it('name existing services, profiles and commands', () => {
    const { services } = readCompose({ PERCH_SECRET: 'x', POSTGRES_PASSWORD: 'x' });
    const docker = commands.filter((command) => command.startsWith('docker compose'));
    expect(docker).toHaveLength(5);
    const program = createProgram();
    for (const command of docker) {
      const profile = /--profile (\w+)/.exec(command)?.[1];
      if (profile) expect(Object.values(services).flatMap(({ profiles = [] }) => profiles)).toContain(profile);
      const [, name, rest = ''] = /(?:exec|run)(?: -\S+(?: HOST=\w+| "[^"]+")?| --rm)* (\w+) (.*)$/.exec(command) ?? [];
      if (name === undefined) continue;
      expect(Object.keys(services)).toContain(name);
      if (name !== 'perch') continue;
      const words = rest.replace(/^node dist\/perch\.js /, '').split(' ');
      const found = program.commands.find((each) => each.name() === words[0]);
      expect(found, command).toBeDefined();
      const leaf = found?.commands.find((each) => each.name() === words[1]) ?? found;
      const options = words.filter((word) => word.startsWith('--'));
      expect(leaf?.options.map(({ long }) => long)).toEqual(expect.arrayContaining(options));
    }
    expect(section).toContain('`--profile tls`');
  });
});

it('has only blocks that are tested here or in the tests of proxies', () => {
  const kinds = new Set(BLOCKS.map(({ language }) => language));
  expect([...kinds].sort()).toEqual(['caddyfile', 'env', 'haproxy', 'nginx', 'sh', 'yaml']);
});
