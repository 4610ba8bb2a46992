import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { createMemoryRateLimiter } from '../../../adapters/memory/rate-limiter.js';
import { createEmailAccounts } from '../../../adapters/postgres/accounts/email-accounts.js';
import { createOneTimeTokens } from '../../../adapters/postgres/customers/one-time-tokens.js';
import type { Perch } from '../../../app/compose.js';
import type { Actor } from '../../../src/domain/audit.js';
import type { Mail, Message } from '../../../src/ports/mail.js';
import type { RateLimiter } from '../../../src/ports/rate-limiter.js';
import { SignInLinks } from '../../../src/sign-in/links.js';
import { startPerch } from '../../kit/perch.js';
import type { FreshDatabase } from '../../kit/postgres/database.js';
import { type ManualClock, manualClock } from '../../kit/time/manual-clock.js';

export interface SignInServer extends Pick<Perch['customers'], 'sessions' | 'signIn' | 'passkeys'> {
  /** The address at which it listens. */
  readonly url: string;
  readonly database: FreshDatabase;
  readonly clock: ManualClock;
  readonly links: SignInLinks;
  /** All sent mails, oldest first. */
  readonly sent: Message[];
  /** The errors of mails that could not be sent, from the log. */
  readonly mailFailures: string[];
  /** Opens an account with the name Ada. */
  openAccount(email: string | null, by?: Actor): Promise<string>;
  /** Posts a form as Perch's own page does, without following redirects. */
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
  /** The secret in the newest mail to that address, once no mail is on its way. */
  mailedSecret(email: string): Promise<string>;
  close(): Promise<void>;
}

export interface SignInServerOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly mail?: Mail;
  /** Whether the public policy allows requests. */
  readonly admits?: boolean;
}

const OPEN = { allowed: true, limit: 10, remaining: 9, resetSeconds: 1, retryAfterSeconds: 0 };

const SHUT = { ...OPEN, allowed: false, remaining: 0, retryAfterSeconds: 3 };

/** The real limits, except for requests without a key, whose buckets would not refill while the clock stands still. */
const limited = (inner: RateLimiter, keyless: typeof OPEN): RateLimiter => ({
  take: async (bucket, ...bounds) => (/^(?:public|pages):/.test(bucket) ? keyless : inner.take(bucket, ...bounds)),
});

/** A Perch that collects its mails, with a clock that stands still. */
export async function startSignIn(options: SignInServerOptions = {}): Promise<SignInServer> {
  const { env = {}, admits = true } = options;
  const clock = manualClock();
  const sent: Message[] = [];
  const mailFailures: string[] = [];
  const onLine = (line: string): void => {
    const { msg, err } = JSON.parse(line) as { msg: string; err?: { message: string } };
    if (msg === 'A mail with a link could not be sent.') mailFailures.push(err?.message ?? '');
  };
  const perch = await startPerch({
    clock,
    env,
    log: pino({ level: 'error' }, { write: onLine }),
    limiter: limited(createMemoryRateLimiter({ clock }), admits ? OPEN : SHUT),
    mail: options.mail ?? { send: async (message) => void sent.push(message) },
    startPoll: () => ({ close: async () => {} }),
  });
  const { url, database } = perch;
  const { sessions, signIn, passkeys } = perch.customers;
  const tokens = createOneTimeTokens(database.sql);
  return {
    ...{ url, database, clock, sessions, signIn, passkeys, sent, mailFailures },
    links: new SignInLinks({ tokens, accounts: createEmailAccounts(database.sql), clock, randomBytes }),
    async openAccount(email, by = { who: 'operator', address: null }) {
      const account = { name: 'Ada', email, paidUsd: 0, qpsOverride: null };
      return (await perch.stores.accounts.create(account, by)).accountId;
    },
    post: (path, fields, headers = {}) =>
      fetch(url + path, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'sec-fetch-site': 'same-origin', ...headers },
        body: new URLSearchParams(fields),
      }),
    async mailedSecret(email) {
      await signIn.close();
      const text = sent.findLast(({ to }) => to === email)?.text ?? '';
      return /#([\w-]{43})/.exec(text)?.[1] ?? '';
    },
    close: () => perch.close(),
  };
}

/** The cookie of an answer, as a browser sends it back; undefined when none was set. */
export const cookieOf = (response: Response): string | undefined => response.headers.get('set-cookie')?.split(';')[0];
