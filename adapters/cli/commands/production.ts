import { open, readdir, stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import type { Stores } from '../../../app/stores.js';
import { PUBLIC_QPS } from '../../../src/access/rate-headers.js';
import type { Config } from '../../../src/config/config.js';
import { counted } from '../../../src/domain/figures.js';
import { VERSION } from '../../../src/domain/version.js';
import { DAY_MS, HOUR_MS, utcDay } from '../../../src/lib/durations.js';
import { containerShareBytes } from '../../http/limits/overload.js';
import type { CheckResult } from './doctor-databases.js';

/** What the checks below need from the database. */
export interface StoredFacts {
  readonly hasKeys: boolean;
  /** Addresses in PERCH_OPERATORS that belong to no account. */
  readonly strangers: readonly string[];
  /** Server settings that are off, although a crash then loses charges. */
  readonly unsafe: readonly string[];
}

export async function readStoredFacts({ sql }: Stores, { operators }: Config): Promise<StoredFacts> {
  const [row] = await sql<[StoredFacts]>`
    select exists (select from keys) as "hasKeys",
      array(
        select operator from unnest(${[...operators]}::text[]) as operator
        where not exists (select from people where lower(email) = operator)
      ) as strangers,
      array(
        select name from pg_settings
        where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off' order by name
      ) as unsafe`;
  return row;
}

export interface ProductionInput {
  /** Null if the database could not be read, which a separate row reports. */
  readonly stored: StoredFacts | null;
  /** The folder of the backups, if one was given. */
  readonly backups: string | undefined;
}

/**
 * Checks what docs/going-to-production.md asks for: one row for each of its headings, with the same name. A row that is
 * not ok says what to do.
 */
export async function checkProduction(config: Config, { stored, backups }: ProductionInput): Promise<CheckResult[]> {
  const [visit, mail, payments, backup, metrics] = await Promise.all([
    visitPublic(config),
    checkMail(config),
    checkPayments(config),
    checkBackups(backups),
    checkMetrics(config),
  ]);
  return [
    checkPostgres(config, stored),
    checkSecret(config, stored),
    checkTls(config, visit),
    checkProxy(config, visit),
    mail,
    checkOperators(config, stored),
    payments,
    backup,
    metrics,
    checkMemory(config),
    checkCpu(config, await allowedCores()),
    checkVersion(visit),
  ];
}

const row = (name: string, fault: string | null, well: string): CheckResult => ({
  name,
  ok: fault === null,
  detail: fault ?? well,
});

const NO_DATABASE = 'not known without the database: see Database above';

function checkPostgres({ databaseUrl }: Config, stored: StoredFacts | null): CheckResult {
  const fault = (): string | null => {
    if (databaseUrl === null) return 'set DATABASE_URL: the embedded server has no backup programs';
    if (stored === null) return NO_DATABASE;
    if (stored.unsafe.length === 0) return null;
    return `turn ${stored.unsafe.join(', ')} on in Postgres: a crash would lose charges for delivered answers`;
  };
  return row('Postgres', fault(), 'your own server, which keeps everything it has confirmed');
}

function checkSecret({ secret, home }: Config, stored: StoredFacts | null): CheckResult {
  const name = 'Secret';
  if (secret !== null) return row(name, null, 'PERCH_SECRET; keep a copy apart from the database');
  if (stored === null) return row(name, NO_DATABASE, '');
  // Existing keys were hashed with these files, so another secret would make all of them invalid.
  if (stored.hasKeys) return row(name, null, `in the files pepper and cursor-secret in ${home}; back them up, too`);
  return row(name, 'set PERCH_SECRET before the first key is created: openssl rand -hex 32', '');
}

const VISITS = 8;
const VISIT_MS = 10_000;
const MOST_BYTES = 1024 * 1024;

interface Answer {
  readonly status: number | undefined;
  readonly text: string;
  /** What remains of the rate limit of the address that the request was counted against. */
  readonly remaining: number | null;
  /** When the certificate expires, in Unix milliseconds. */
  readonly endsAt: number;
}

/** How the service answers from outside, or why it could not be reached; null: it has no public https address. */
type Visit = { readonly answers: readonly Answer[] } | { readonly failure: string } | null;

/**
 * Calls the service through the proxy, each request claiming another client address. All are sent at once, so that the
 * rate limit does not refill in between.
 */
async function visitPublic({ baseUrl }: Config): Promise<Visit> {
  if (baseUrl === null || !baseUrl.startsWith('https:')) return null;
  try {
    const visit = async (network: string) => {
      const claimed = Array.from({ length: VISITS }, (_, index) => `${network}.${index + 1}`);
      return { answers: await Promise.all(claimed.map((address) => requestAs(baseUrl, address))) };
    };
    const first = await visit('198.51.100');
    // On a very busy machine requests may arrive a tenth of a second apart, and the limit refills; then it looks as if
    // the claims were believed. That is unlikely twice. The second visit claims fresh addresses: the first ones are
    // counted.
    return isBelieved(first) ? await visit('203.0.113') : first;
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { failure: message || code || 'no answer' };
  }
}

async function requestAs(baseUrl: string, claimed: string): Promise<Answer> {
  const { get } = await import('node:https');
  const headers = { accept: 'application/json', 'x-forwarded-for': claimed };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${baseUrl}/`, { agent: false, headers, signal: AbortSignal.timeout(VISIT_MS) }, resolve).on('error', reject);
  });
  const endsAt = Date.parse((response.socket as TLSSocket).getPeerCertificate().valid_to);
  let text = '';
  for await (const bytes of response.setEncoding('utf8')) {
    text += bytes;
    if (text.length > MOST_BYTES) break;
  }
  const [, remaining] = /remaining=(\d+)/.exec(String(response.headers.ratelimit)) ?? [];
  return { status: response.statusCode, text, remaining: remaining === undefined ? null : Number(remaining), endsAt };
}

/** The version that an answer names; null if it does not come from Perch. */
function versionIn({ status, text }: Answer): string | null {
  if (status !== 200) return null;
  try {
    const { name, version } = JSON.parse(text) as { name?: unknown; version?: unknown };
    return name === 'Perch' && typeof version === 'string' ? version : null;
  } catch {
    return null;
  }
}

const versionOf = (visit: Visit): string | null =>
  visit !== null && 'answers' in visit
    ? (visit.answers.map(versionIn).find((version) => version !== null) ?? null)
    : null;

/** Proxies renew a certificate about a month ahead; with fewer days left, renewal has probably failed. */
const RENEWED_DAYS = 14;

function checkTls({ baseUrl, host, port }: Config, visit: Visit): CheckResult {
  const endsAt = visit !== null && 'answers' in visit ? Math.min(...visit.answers.map((each) => each.endsAt)) : 0;
  const end = Number.isFinite(endsAt) ? utcDay(endsAt) : '';
  const fault = (): string | null => {
    if (baseUrl === null) return 'set PERCH_BASE_URL to the public https address';
    if (visit === null) return `set PERCH_BASE_URL to an https address, not ${baseUrl}`;
    if ('failure' in visit) return `make ${baseUrl} reachable, with a valid certificate: ${visit.failure}`;
    if (versionOf(visit) === null) {
      return `let the proxy pass ${baseUrl} on to ${host}:${port}: it answers ${visit.answers[0]?.status}, and not as Perch would`;
    }
    return endsAt - Date.now() < RENEWED_DAYS * DAY_MS
      ? `renew the certificate of ${baseUrl}: it expires on ${end}`
      : null;
  };
  return row('TLS', fault(), `${baseUrl}, with a certificate valid until ${end}`);
}

function checkProxy({ trustedProxies }: Config, visit: Visit): CheckResult {
  const fault = (): string | null => {
    if (trustedProxies.length === 0) {
      return "set PERCH_TRUST_PROXY to the proxy's address (loopback on the same machine): otherwise all callers without a key share one limit";
    }
    const everybody = trustedProxies.find((each) => /\/[0-7]$/.test(each));
    if (everybody !== undefined) return `name only the proxy in PERCH_TRUST_PROXY: ${everybody} trusts every address`;
    if (versionOf(visit) === null) return 'not known until the public address answers: see TLS';
    return isBelieved(visit) ? 'let the proxy replace X-Forwarded-For: a client may claim any address' : null;
  };
  return row('Proxy', fault(), `${trustedProxies.join(', ')}; an address that a client claims is not believed`);
}

/** Whether each request was counted against the address that it claimed, instead of against its sender's. */
const isBelieved = (visit: Visit): boolean =>
  visit !== null && 'answers' in visit && visit.answers.every(({ remaining }) => remaining === PUBLIC_QPS - 1);

async function checkMail({ mail: { smtpUrl } }: Config): Promise<CheckResult> {
  const name = 'Mail';
  if (smtpUrl === null) return row(name, 'set SMTP_URL: sign-in links are written to the log', '');
  const { checkSmtp } = await import('../../mail/smtp.js');
  const { host } = new URL(smtpUrl);
  const failure = await checkSmtp(smtpUrl).then(
    () => null,
    (error: Error) => `correct SMTP_URL, or the server at ${host}: ${error.message}`,
  );
  return row(name, failure, `${host} accepts mail`);
}

function checkOperators({ operators, baseUrl }: Config, stored: StoredFacts | null): CheckResult {
  const fault = (): string | null => {
    if (operators.length === 0) return 'set PERCH_OPERATORS to the email addresses of those who run the service';
    if (stored === null) return NO_DATABASE;
    if (stored.strangers.length === 0) return null;
    return `sign in at ${baseUrl ?? ''}/sign-in as ${stored.strangers.join(' and ')}: there is no account yet`;
  };
  return row('Operators', fault(), operators.join(', '));
}

async function checkPayments({ stripe: { secretKey, webhookSecret, baseUrl } }: Config): Promise<CheckResult> {
  const name = 'Payments';
  if (secretKey === null) return row(name, null, 'off: STRIPE_SECRET_KEY is not set');
  if (webhookSecret === null) {
    return row(name, 'set STRIPE_WEBHOOK_SECRET: refunds and disputes go unnoticed', '');
  }
  const { createStripePayments } = await import('../../stripe/payments.js');
  // Looks up a session that does not exist: the answer shows whether Stripe accepts the key, and nothing changes.
  const failure = await createStripePayments({ secretKey, baseUrl })
    .lookUp('cs_none')
    .then(
      () => null,
      ({ cause }: Error) => `correct STRIPE_SECRET_KEY: ${cause instanceof Error ? cause.message : 'no answer'}`,
    );
  const isTest = /^[a-z]+_test_/.test(secretKey);
  const test = isTest ? "replace STRIPE_SECRET_KEY with a live key: this one is for Stripe's test mode" : null;
  return row(name, failure ?? test, 'Stripe accepts the live key');
}

/** One day between nightly backups, plus some hours to make one. */
const MOST_HOURS = 36;
/** The first bytes of a pg_dump archive. */
const ARCHIVE = 'PGDMP';

async function checkBackups(folder: string | undefined): Promise<CheckResult> {
  const name = 'Backups';
  if (folder === undefined) return row(name, 'name the folder of the nightly backups: --backups FOLDER', '');
  const names = await readdir(folder).catch(() => null);
  if (names === null) return row(name, `create ${folder} for the backups, or let this user read it`, '');
  const found = await Promise.all(names.map((each) => backupIn(join(folder, each))));
  const newest = found.filter((each) => each !== null).sort((a, b) => b.madeAt - a.madeAt)[0];
  if (newest === undefined) return row(name, `make the first backup: there is none in ${folder}`, '');
  const hours = Math.floor((Date.now() - newest.madeAt) / HOUR_MS);
  const old = `find out why no backup has been made since ${newest.path}, ${counted(hours, 'hour')} ago`;
  return row(name, hours < MOST_HOURS ? null : old, `${newest.path}, made ${counted(hours, 'hour')} ago`);
}

/** A pg_dump archive or a pg_basebackup folder; null for anything else. */
async function backupIn(path: string): Promise<{ path: string; madeAt: number } | null> {
  try {
    const [found, manifest] = await Promise.all([stat(path), stat(join(path, 'backup_manifest')).catch(() => null)]);
    if (found.isDirectory()) return manifest === null ? null : { path, madeAt: manifest.mtimeMs };
    const file = await open(path);
    const { buffer } = await file.read(Buffer.alloc(ARCHIVE.length)).finally(() => file.close());
    return buffer.toString('latin1') === ARCHIVE && path.endsWith('.dump') ? { path, madeAt: found.mtimeMs } : null;
  } catch {
    return null;
  }
}

const ANY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };

async function checkMetrics({ host, metricsPort }: Config): Promise<CheckResult> {
  const name = 'Metrics';
  if (metricsPort === null) return row(name, 'set PERCH_METRICS_PORT, and let Prometheus read it', '');
  const url = `http://${ANY_ADDRESS[host] ?? (host.includes(':') ? `[${host}]` : host)}:${metricsPort}/metrics`;
  const text = await fetch(url, { signal: AbortSignal.timeout(VISIT_MS) }).then(
    (response) => response.text(),
    () => '',
  );
  const fault = text.includes('perch_build_info')
    ? null
    : `start the service with PERCH_METRICS_PORT: no metrics at ${url}`;
  return row(name, fault, url);
}

const MIB = 1024 * 1024;
/** What a process uses before its first request. */
const IDLE_BYTES = 140 * MIB;

function checkMemory({ overload: { maxRssBytes, processes }, cacheBytes }: Config): CheckResult {
  const bytes = maxRssBytes ?? containerShareBytes(processes, process.constrainedMemory());
  const needed = IDLE_BYTES + cacheBytes;
  const figures = `${Math.floor(bytes / MIB)} MiB per process; an idle one with a full cache takes ${Math.ceil(needed / MIB)}`;
  const fault = (): string | null => {
    if (bytes === 0) return 'limit the memory of the container, or set PERCH_MAX_RSS_MB';
    return bytes < needed ? `allow more memory, or set a smaller PERCH_CACHE_MB: ${figures}` : null;
  };
  return row('Memory', fault(), figures);
}

/**
 * The cores that this process may use. Node reports the machine's cores, even in a container that gets only a share of
 * their time, so this reads that share from control groups, version 1 or 2.
 */
export async function allowedCores(groups = '/sys/fs/cgroup'): Promise<number> {
  const { readFile } = await import('node:fs/promises');
  const read = (name: string): Promise<string> => readFile(join(groups, name), 'utf8').catch(() => '');
  const [both, quota, period] = await Promise.all(
    ['cpu.max', 'cpu/cpu.cfs_quota_us', 'cpu/cpu.cfs_period_us'].map(read),
  );
  const [allowed, per] = both ? both.split(' ').map(Number) : [Number(quota || Number.NaN), Number(period)];
  const share = (allowed ?? Number.NaN) / (per ?? Number.NaN);
  return share > 0 ? Math.min(share, availableParallelism()) : availableParallelism();
}

export function checkCpu({ workers }: Pick<Config, 'workers'>, cores: number): CheckResult {
  const figures = `${counted(workers, 'process', 'processes')} on ${Number(cores.toFixed(1))} cores`;
  const most = Math.max(1, Math.ceil(cores));
  return row('CPU', workers > most ? `set WORKERS to at most ${most}: ${figures}` : null, figures);
}

function checkVersion(visit: Visit): CheckResult {
  const running = versionOf(visit);
  const fault = (): string | null => {
    if (running === null) return 'not known until the public address answers: see TLS';
    return running === VERSION ? null : `restart the service: it runs ${running}, and ${VERSION} is installed`;
  };
  return row('Version', fault(), `${running}, as installed here`);
}
