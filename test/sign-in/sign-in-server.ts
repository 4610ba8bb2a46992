import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { v7 } from 'uuid';
import { createServer } from '../../adapters/http/server.js';
import { createDoor } from '../../adapters/http/session-cookie.js';
import { createMemoryLimiter } from '../../adapters/memory/limiter.js';
import { record } from '../../adapters/postgres/audit.js';
import { createEmailAccounts } from '../../adapters/postgres/email-accounts.js';
import { createOneTimeTokens } from '../../adapters/postgres/one-time-tokens.js';
import { createPasskeyStore } from '../../adapters/postgres/passkeys.js';
import { createSessionStore } from '../../adapters/postgres/sessions.js';
import type { Sql } from '../../adapters/postgres/sql.js';
import { mountSignIn } from '../../adapters/sign-in/mount.js';
import { siteAssets } from '../../adapters/site/assets.js';
import type { Actor } from '../../src/core/audit.js';
import type { Mail, Message } from '../../src/ports/mail.js';
import { SignInLinks } from '../../src/sign-in/links.js';
import { Passkeys } from '../../src/sign-in/passkeys.js';
import { Sessions } from '../../src/sign-in/sessions.js';
import { SignIn } from '../../src/sign-in/sign-in.js';
import { type FreshDatabase, freshDatabase } from '../support/database.js';
import { type ManualClock, manualClock } from '../support/manual-clock.js';

export interface SignInServer {
  readonly app: FastifyInstance;
  /** Where it listens. */
  readonly url: string;
  readonly database: FreshDatabase;
  readonly clock: ManualClock;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
  readonly links: SignInLinks;
  readonly passkeys: Passkeys;
  /** All that was mailed, the oldest first. */
  readonly sent: Message[];
  readonly mailFailures: unknown[];
  openAccount(email: string | null, by?: Actor): Promise<string>;
  /** Posts a form as one's own page does, and follows nothing. */
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Response>;
  /** The secret in the newest mail to that address, once all mails are out. */
  mailedSecret(email: string): Promise<string>;
  close(): Promise<void>;
}

export interface SignInServerOptions {
  /** In place of where it listens. */
  readonly authUrl?: string;
  readonly byMail?: boolean;
  readonly mail?: Mail;
  /** Whether the public policy lets anybody in. */
  readonly admits?: boolean;
  readonly giveStart?: (accountId: string) => Promise<void>;
  /** The host by which it is reached. */
  readonly host?: string;
  readonly extend?: (
    app: FastifyInstance,
    parts: Pick<SignInServer, 'passkeys'> & { door: ReturnType<typeof createDoor> },
  ) => void;
}

const OPEN = { allowed: true, limit: 10, remaining: 9, resetSeconds: 1, retryAfterSeconds: 0 };

const SHUT = { ...OPEN, allowed: false, remaining: 0, retryAfterSeconds: 3 };

export async function openAccount(sql: Sql, email: string | null, by: Actor): Promise<string> {
  const [row] = await sql<{ accountId: string }[]>`
    with account as (
      insert into accounts (name, email) values (${email ?? 'Nameless'}, ${email}) returning account_id
    )
    insert into wallets (account_id) select account_id from account returning account_id as "accountId"`;
  if (!row) throw new Error('no account');
  await record(sql, row.accountId, by, 'account.created');
  return row.accountId;
}

/** Sign-in as it is served, over Postgres; mail is caught, time stands still. */
export async function startSignIn(options: SignInServerOptions = {}): Promise<SignInServer> {
  const database = await freshDatabase();
  const { sql } = database;
  const clock = manualClock();
  const sent: Message[] = [];
  const mailFailures: unknown[] = [];
  const tokens = createOneTimeTokens(sql);
  const app = await createServer({
    ids: { requestId: () => v7() },
    log: pino({ level: 'silent' }),
    versionHeaders: {},
  });
  const common = { tokens, clock, randomBytes: (length: number) => randomBytes(length), authUrl: () => app.authUrl };
  const sessions = new Sessions({ ...common, store: createSessionStore(sql) });
  const links = new SignInLinks(common);
  const limiter = createMemoryLimiter({ clock });
  const signIn = new SignIn({
    ...common,
    sessions,
    accounts: createEmailAccounts(sql),
    openAccount: (email, by) => openAccount(sql, email, by),
    giveStart: options.giveStart ?? (async () => {}),
    nameOf: async () => 'Ada',
    mail: options.mail ?? { send: async (message) => void sent.push(message) },
    limiter,
    onMailFailure: (error) => void mailFailures.push(error),
  });
  const passkeys = new Passkeys({
    ...{ ...common, limiter, sessions },
    ...{ store: createPasskeyStore(sql), nameOf: async () => 'Ada' },
  });
  const door = createDoor(app, sessions);
  mountSignIn(app, {
    admitPublic: async () => (options.admits === false ? SHUT : OPEN),
    door,
    signIn,
    sessions,
    passkeys,
    byMail: options.byMail ?? true,
  });
  for (const [url, { type, body }] of siteAssets()) app.get(url, (_request, reply) => reply.type(type).send(body));
  options.extend?.(app, { passkeys, door });
  const listening = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  listening.hostname = options.host ?? '127.0.0.1';
  const url = listening.origin;
  app.baseUrl = url;
  app.authUrl = options.authUrl ?? url;
  return {
    app,
    url,
    database,
    clock,
    sessions,
    signIn,
    links,
    passkeys,
    sent,
    mailFailures,
    openAccount: (email, by = { who: 'operator', address: null }) => openAccount(sql, email, by),
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
    async close() {
      await app.close();
      await signIn.close();
      await database.drop();
    },
  };
}

/** The cookie of an answer, as a browser sends it back; undefined when none was set. */
export const cookieOf = (response: Response): string | undefined => response.headers.get('set-cookie')?.split(';')[0];
