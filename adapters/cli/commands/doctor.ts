import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { Lifecycle } from '../../../app/lifecycle.js';
import type { Stores } from '../../../app/stores.js';
import { type Config, ConfigError } from '../../../src/config/config.js';
import { describeConfig } from '../../../src/config/describe.js';
import type { SettingName } from '../../../src/config/settings.js';
import { counted, figure } from '../../../src/domain/figures.js';
import type { Billed, NetworkBilling } from '../../../src/ports/network.js';
import { describeCheckpoints } from '../../postgres/checkpoints.js';
import type { Transaction } from '../../postgres/sql.js';
import { examples, path } from '../command-line.js';
import { configOfProcess, typedPath } from '../environment.js';
import { FAILED, WRONG_USE } from '../failure.js';
import { answer, table } from '../print.js';
import { withConfiguredStores } from '../with-stores.js';
import { type CheckResult, checkHosts, checkShards, describeCorpus, describeReplica } from './doctor-databases.js';
import type { StoredFacts } from './production.js';

/** doctor. */
export function doctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check the configuration, data folder, database, Redis and network, and report any problems')
    .option('--all', 'list every variable with its value and the values it accepts')
    .option('--production', 'also check what a public service needs: docs/going-to-production.md, row by row')
    .addOption(
      new Option('--backups <folder>', 'folder of the nightly backups, which --production checks')
        .argParser(path)
        .implies({ production: true }),
    )
    .option('--shards', 'also show how a distributed database is spread over its workers')
    .option('--json', 'print the findings as JSON')
    .addHelpText(
      'after',
      examples('perch doctor', 'perch doctor --all', 'perch doctor --production --backups /var/backups/perch'),
    )
    .action(doctor);
}

const NETWORK_WAIT_MS = 20_000;

interface Options {
  readonly all?: boolean;
  readonly production?: boolean;
  readonly backups?: string;
  readonly shards?: boolean;
  readonly json?: boolean;
}

/**
 * Checks everything that the service depends on; exit code 2 for the configuration, 1 for the rest. Changes nothing.
 */
async function doctor(options: Options): Promise<void> {
  const { config, finding } = checkConfig();
  const findings = [finding, ...(config === null ? [] : await checkAll(config, options))];
  const ok = findings.every((found) => found.ok);
  const settings = describeConfig(process.env);
  const all = settings.map(({ name, isSet, value, right }) => ({ name, set: isSet, value, must_be: right }));
  answer({ ok, checks: findings, ...(options.all && { settings: all }) }, options.json, () =>
    [
      ...findings.map(({ name, ok, detail }) => `${ok ? 'ok    ' : 'not ok'}  ${name.padEnd(13)}  ${detail}`),
      ...(options.production ? ['', GUIDE] : []),
      ...(options.all
        ? [
            '',
            table(
              ['variable', 'value', 'must be'],
              settings.map((line) => [line.name, shown(line), line.right]),
            ),
          ]
        : []),
    ].join('\n'),
  );
  if (!ok) process.exitCode = finding.ok ? FAILED : WRONG_USE;
}

const GUIDE = 'Each row has a section in docs/going-to-production.md, which is also at /docs/going-to-production.';

async function checkAll(config: Config, { production, backups, shards }: Options): Promise<CheckResult[]> {
  const guide = production ? await import('./production.js') : null;
  let stored: StoredFacts | null = null;
  const findings = [
    await checkHome(config),
    ...(await checkHosts(config)),
    ...(await checkStores(config, async (stores) => {
      stored = (await guide?.readStoredFacts(stores, config)) ?? null;
    })),
    ...(shards ? await checkShards(config) : []),
    await checkRedis(config),
    ...(await checkNetwork(config)),
    checkPublished(config, production === true),
  ];
  if (guide === null) return findings;
  const folder = backups === undefined ? undefined : typedPath(backups);
  return [...findings, ...(await guide.checkProduction(config, { stored, backups: folder }))];
}

const shown = ({ isSet, value }: { isSet: boolean; value: string }): string => (isSet ? value : `(${value})`);

function checkConfig(): { config: Config | null; finding: CheckResult } {
  const name = 'Configuration';
  const set = describeConfig(process.env).filter(({ isSet }) => isSet);
  try {
    const config = configOfProcess();
    const named = set.map((line) => `${line.name}=${line.value}`).join(' ');
    const detail = set.length === 0 ? 'nothing set; using the defaults' : named;
    return { config, finding: { name, ok: true, detail } };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const detail = error.faults.map((fault) => `${fault.name} ${fault.message}`).join('; ');
    return { config: null, finding: { name, ok: false, detail } };
  }
}

async function checkHome({ home, secret, databaseUrl }: Config): Promise<CheckResult> {
  const name = 'Data folder';
  // A container may then have a read-only file system.
  if (secret !== null && databaseUrl !== null)
    return { name, ok: true, detail: 'not needed, with PERCH_SECRET and DATABASE_URL' };
  try {
    await access(home, constants.R_OK | constants.W_OK | constants.X_OK);
    return { name, ok: true, detail: home };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (isMissing) return { name, ok: true, detail: `${home} does not exist yet; it is created at the first start` };
    return {
      name,
      ok: false,
      detail: `${home} must be readable and writable by this user: chown it or set PERCH_HOME`,
    };
  }
}

async function checkStores(config: Config, also: (stores: Stores) => Promise<void>): Promise<CheckResult[]> {
  const name = 'Database';
  const isEmbedded = config.databaseUrl === null;
  if (isEmbedded && !(await isThere(join(config.home, 'postgres')))) {
    return [{ name, ok: true, detail: 'embedded; set up at the first start' }, networkFinding(config, null)];
  }
  try {
    return await withConfiguredStores(config, async (stores) => {
      await also(stores);
      return lookInto(stores, config, isEmbedded);
    });
  } catch (error) {
    const message = error instanceof Error ? error.message || error.name : String(error);
    const detail = isEmbedded ? message : `cannot connect to DATABASE_URL: ${message}`;
    return [{ name, ok: false, detail }];
  }
}

async function lookInto(stores: Stores, config: Config, isEmbedded: boolean): Promise<CheckResult[]> {
  const { sql, ledger } = stores;
  const [row] = await sql<{ server: string; schema: number; accounts: number }[]>`
    select current_setting('server_version') as server,
      (select max(version)::int from public.schema_version) as schema,
      (select count(*)::int from accounts where test_of is null) as accounts`;
  const { faults } = await ledger.check();
  if (row === undefined) throw new Error('the database did not respond');
  const where = isEmbedded ? 'embedded' : 'at DATABASE_URL';
  return [
    {
      name: 'Database',
      ok: true,
      detail: `Postgres ${row.server}, ${where}; schema ${row.schema}; ${counted(row.accounts, 'account')}`,
    },
    {
      name: 'Ledger',
      ok: faults.length === 0,
      detail:
        faults.length === 0 ? 'all invariants hold' : `${counted(faults.length, 'fault')}: run perch ledger check`,
    },
    ...(isEmbedded ? [] : [{ name: 'Checkpoints', ok: true, detail: await describeCheckpoints(sql) }]),
    ...(await lookIntoCorpus(stores, config)),
    ...(stores.replica === null ? [] : [await describeReplica(stores.replica)]),
  ];
}

async function lookIntoCorpus({ corpusSql: sql }: Stores, config: Config): Promise<CheckResult[]> {
  const { corpusUrl } = config;
  try {
    const server = corpusUrl === null ? [] : [await describeCorpus(sql)];
    if (config.network !== 'corpus') return [...server, networkFinding(config, null)];
    const { atLeisure } = await import('../../networks/corpus/import/leisure.js');
    const found = await atLeisure(sql, async (own) => {
      const [row] = await own<{ users: number; tweets: number }[]>`
        select (select count(*)::int from corpus_users) as users, (select count(*)::int from corpus_tweets) as tweets`;
      return [networkFinding(config, row ?? null), ...(await corpusFindings(own))];
    });
    return [...server, ...found];
  } catch (error) {
    if (corpusUrl === null) throw error;
    const { message, code } = error as { message: string; code?: string };
    return [{ name: 'Corpus', ok: false, detail: `cannot read CORPUS_DATABASE_URL: ${message || String(code)}` }];
  }
}

/** Empty if all data is imported and indexed, and nothing slows searches down. */
async function corpusFindings(sql: Transaction): Promise<CheckResult[]> {
  const { describeIndexing, describeJit } = await import('../../networks/corpus/import/index-corpus.js');
  const { describeUnfinished } = await import('../../networks/corpus/import/unfinished.js');
  return [
    ...(await describeIndexing(sql)).map((detail) => ({ name: 'Search index', ok: true, detail })),
    ...(await describeUnfinished(sql)).map((detail) => ({ name: 'Import', ok: true, detail })),
    ...(await describeJit(sql)).map((detail) => ({ name: 'Searches', ok: true, detail })),
  ];
}

function networkFinding({ network }: Config, loaded: { users: number; tweets: number } | null): CheckResult {
  const name = 'Network';
  if (network !== 'corpus') return { name, ok: true, detail: `${network}: see below for what can be read` };
  if (loaded === null || loaded.users + loaded.tweets > 0) {
    const what =
      loaded === null ? 'nothing loaded yet' : `${figure(loaded.users)} profiles, ${figure(loaded.tweets)} tweets`;
    return { name, ok: true, detail: `corpus: ${what}` };
  }
  return { name, ok: true, detail: 'corpus: empty; run `perch import PATH` to load data' };
}

/**
 * Tries once. The service continues without Redis, so an unreachable Redis is a finding, not a failure of the service.
 */
async function checkRedis({ redisUrls }: Config): Promise<CheckResult> {
  const name = 'Redis';
  if (redisUrls.length === 0) return { name, ok: true, detail: 'not used; in-process stores, a single process only' };
  const quiet = { info: () => {}, warn: () => {} };
  const { openRedis } = await import('../../redis/link.js');
  const link = await openRedis(redisUrls, { log: quiet, clock: { now: Date.now } });
  const { up, lastError } = link.state();
  await link.close();
  const detail = up ? 'reachable' : `unreachable (${lastError}): until it is back, each process uses its own stores`;
  return { name, ok: up, detail };
}

/** What the network can and cannot read with this configuration. */
async function checkNetwork(config: Config): Promise<CheckResult[]> {
  if (config.network === 'corpus') return [];
  const sql = (): never => {
    throw new Error('only the corpus is in the database');
  };
  const { openNetwork } = await import('../../../app/networks.js');
  const lifecycle = new Lifecycle();
  const network = await openNetwork(lifecycle, { config, sql, clock: { now: Date.now } });
  const billed: Billed[] = [];
  const onBilled = (each: Billed) => void billed.push(each);
  const report = await network.selfCheck?.({ signal: AbortSignal.timeout(NETWORK_WAIT_MS), onBilled });
  await lifecycle.close();
  const found = (report?.findings ?? []).map(({ ok, what }) => ({ name: config.network, ok, detail: what }));
  if (network.billing) found.push({ name: config.network, ok: true, detail: costText(network.billing, billed) });
  // It is a fault if the network does not answer, but not if this configuration cannot read some of it.
  return found.map((finding) => ({ ...finding, ok: finding.ok || report?.ok === true }));
}

const PUBLISHED = {
  contact: 'PERCH_CONTACT',
  terms: 'PERCH_TERMS_URL',
  privacy: 'PERCH_PRIVACY_URL',
  refunds: 'PERCH_REFUNDS_URL',
} as const satisfies Record<keyof Config['publisher'], SettingName>;

/** Checks what public pages say about the operator. A service that takes payments must say it; others need not. */
function checkPublished({ publisher, stripe }: Config, isPublic: boolean): CheckResult {
  const name = 'Public pages';
  const missing = (Object.keys(PUBLISHED) as (keyof typeof PUBLISHED)[]).filter((each) => publisher[each] === null);
  if (missing.length === 0) return { name, ok: true, detail: 'name a contact, terms, and privacy and refund policies' };
  const lack = `lack ${missing.join(', ')}: set ${missing.map((each) => PUBLISHED[each]).join(', ')}`;
  if (stripe.secretKey !== null) return { name, ok: false, detail: `${lack}; card payments are enabled` };
  return { name, ok: !isPublic, detail: isPublic ? lack : `${lack} before others use it` };
}

function costText({ per, usd }: NetworkBilling, billed: readonly Billed[]): string {
  const cost = billed.reduce((sum, { kind, items }) => sum + usd[kind] * (per === 'item' ? items : 1), 0);
  return `this check cost at most $${cost.toFixed(3)}`;
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
