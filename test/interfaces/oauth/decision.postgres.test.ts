import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SITE_CSP } from '../../../adapters/pages/kit/send-page.js';
import { type DocumentHost, startDocumentHost } from './document-host.js';
import {
  authorizationParams,
  authorize,
  backOf,
  CALLBACK,
  codeFor,
  decide,
  form,
  formIn,
  newClient,
  post,
} from './oauth-client.js';
import { type OAuthServer, startOAuthServer } from './oauth-server.js';

let server: OAuthServer;
let host: DocumentHost;
let clientId: string;
let accountId: string;

beforeAll(async () => {
  host = await startDocumentHost();
  server = await startOAuthServer({ documents: host.documents });
  accountId = await server.account();
  clientId = await newClient(server);
});
afterAll(async () => {
  await server?.close();
  await host?.close();
});
beforeEach(() => {
  server.visitor = accountId;
});

const addressOf = (change: Record<string, string | null> = {}): string =>
  `${server.url}/oauth/authorize?${authorizationParams(clientId, change)}`;

describe('the consent page (A15)', () => {
  it('says who asks, where the answer goes, what for, and who pays', async () => {
    const { text, headers } = await authorize(server, clientId);
    const { email } = (await server.accounts.get(accountId)) ?? {};
    for (const said of ['Lantern', 'app.example', 'Read public data', email ?? '-', 'half of that', 'Spend cap']) {
      expect(text).toContain(said);
    }
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(formIn(text).get('cap_amount')).toBe('100');
    expect(formIn(text).get('cap_period')).toBe('day');
    expect(text).toContain('100 credits read about 100 tweets');
  });

  it('names the account that pays, and the person who is signed in, not its owner', async () => {
    const owned = await server.account('Harbour Research');
    const grace = await server.account('Grace');
    const emailOf = async (id: string) => (await server.accounts.get(id))?.email ?? '-';
    const [hers, owners] = [await emailOf(grace), await emailOf(owned)];
    await server.database.sql`
      insert into members (account_id, person_id, role) values (${owned}, ${grace}, 'developer')`;
    await server.database.sql`delete from members where account_id = ${grace}`;
    server.visitor = grace;
    const { text } = await authorize(server, clientId);
    expect(text).toMatch(/Account<\/dt><dd><bdi>Harbour Research<\/bdi>/);
    expect(text).toContain(`You are signed in as <bdi>${hers}</bdi>.`);
    expect(text).not.toContain(owners);
  });

  it.each([
    [150_000, '75'],
    [3_000, '1'],
    [5_000_000, '100'],
    [999, '100'],
    [0, '100'],
  ])(
    'offers no daily cap above half of a balance of %i thousandths, unless that is nothing',
    async (balance, offered) => {
      const poor = await server.account();
      await server.database.sql`update wallets set balance_thousandths = ${balance} where account_id = ${poor}`;
      server.visitor = poor;
      expect(formIn((await authorize(server, clientId)).text).get('cap_amount')).toBe(offered);
      server.visitor = accountId;
    },
  );

  it('has the policy of all pages, but without a rule for where forms may lead', async () => {
    const { headers } = await authorize(server, clientId);
    expect(headers.get('content-security-policy')).toBe(SITE_CSP.replace("form-action 'self'; ", ''));
  });

  it('says how long access lasts, and offers to sign out (ASVS 10.7.2, 7.4.4)', async () => {
    const { text } = await authorize(server, clientId);
    for (const said of ['revoke in the dashboard', 'up to a year', '90 days', 'action="/sign-out"']) {
      expect(text).toContain(said);
    }
  });

  it('says when the wallet is empty, and where to fill it', async () => {
    await server.database.sql`update wallets set balance_thousandths = 0 where account_id = ${accountId}`;
    expect((await authorize(server, clientId)).text).toMatch(/Your wallet is empty.*href="\/dashboard\/credits"/);
    const rich = await server.account();
    await server.database.sql`update wallets set balance_thousandths = 1000 where account_id = ${rich}`;
    server.visitor = rich;
    expect((await authorize(server, clientId)).text).not.toContain('Your wallet is empty');
  });

  it('warns that it cannot distinguish programs on one computer', async () => {
    const client = await newClient(server, ['http://127.0.0.1/cb']);
    const { text } = await authorize(server, client, { redirect_uri: 'http://127.0.0.1:5/cb' });
    expect(text).toContain('a program on your own computer, and Perch cannot tell which');
  });

  it('names a document client with its host (A13)', async () => {
    const { text } = await authorize(server, host.client('/named'), { redirect_uri: 'http://127.0.0.1:5/callback' });
    expect(text).toContain(`This is the name it gives itself, published at client.test:${host.port}.`);
  });

  it.each([
    ['its client_id is not its own URL', { client_id: 'https://client.test/other' }],
    ['it mentions a client secret', { client_secret: 'x' }],
    ['it mentions a client secret', { token_endpoint_auth_method: 'client_secret_post' }],
    ['redirect_uris', { redirect_uris: [] }],
    ['uses http: only https, or http on loopback, is allowed', { redirect_uris: ['http://app.example/cb'] }],
  ])('refuses a document: %s', async (why, metadata) => {
    const { status, text } = await authorize(server, host.client(`/${randomUUID()}`, metadata));
    expect(status).toBe(400);
    expect(text).toContain(why);
  });

  it('escapes the name of a client', async () => {
    const { text } = await authorize(server, host.client('/xss', { client_name: '<img src=x onerror=alert(1)>' }), {
      redirect_uri: 'http://127.0.0.1:5/callback',
    });
    expect(text).toContain('Allow &lt;img src=x');
    expect(text).not.toContain('<img src=x');
  });
});

describe('the decision', () => {
  it('yes: returns a code, with state and iss, and adds a line to the log (RFC 9207)', async () => {
    const mine = await server.account();
    server.visitor = mine;
    const { status, location, headers } = await decide(server, addressOf());
    expect([status, headers.get('cache-control')]).toEqual([303, 'no-store']);
    expect(Object.fromEntries(location?.searchParams ?? [])).toEqual({
      code: expect.stringMatching(/^[\w-]{43}$/),
      state: 'st',
      iss: server.url,
    });
    const [event] = await server.audit.list(mine, 1);
    expect(event).toMatchObject({ what: 'client.allowed', who: 'customer', address: '127.0.0.1' });
    expect(event?.detail).toMatchObject({ client: 'Lantern', redirect_uri: CALLBACK, cap: 100, period: 'day' });
  });

  it('no: returns access_denied, with state and iss', async () => {
    const { location } = await decide(server, addressOf(), { decision: 'deny' });
    expect(Object.fromEntries(location?.searchParams ?? [])).toEqual({
      error: 'access_denied',
      error_description: expect.any(String),
      state: 'st',
      iss: server.url,
    });
  });

  it('refuses to allow access to a frozen account with the reason, and still accepts a denial (W8)', async () => {
    const frozen = await server.account();
    server.visitor = frozen;
    const page = formIn((await authorize(server, clientId)).text);
    await server.database.sql`update accounts set frozen_at = now() where account_id = ${frozen}`;
    page.set('decision', 'allow');
    for (const reply of [await authorize(server, clientId), await post(`${server.url}/oauth/authorize`, page)]) {
      expect([reply.status, reply.location]).toEqual([403, null]);
      expect(reply.text).toContain('Your account is frozen');
      expect(Object.fromEntries(backOf(reply.text)?.searchParams ?? [])).toMatchObject({
        error: 'access_denied',
        state: 'st',
      });
    }
    expect(await server.audit.list(frozen, 9)).not.toContainEqual(expect.objectContaining({ what: 'client.allowed' }));
    page.set('decision', 'deny');
    const { location } = await post(`${server.url}/oauth/authorize`, page);
    expect(location?.searchParams.get('error')).toBe('access_denied');
  });

  it('keeps only the hash of a code', async () => {
    const code = await codeFor(server, clientId);
    const rows = await server.database.sql`select to_jsonb(t)::text as row from one_time_tokens t where kind = 'code'`;
    expect(JSON.stringify(rows)).not.toContain(code);
  });

  it('shows the page again and allows nothing if another account is signed in by now', async () => {
    const page = formIn((await authorize(server, clientId)).text);
    page.set('decision', 'allow');
    server.visitor = await server.account('Grace');
    const { status, text, location } = await post(`${server.url}/oauth/authorize`, page);
    expect([status, location]).toEqual([200, null]);
    expect(text).toContain('You are now signed in to a different account.');
    expect(formIn(text).get('account')).toBe(server.visitor);
  });

  it('returns to the page after sign-in if the session has ended', async () => {
    const page = formIn((await authorize(server, clientId)).text);
    server.visitor = null;
    const { location } = await post(`${server.url}/oauth/authorize`, page);
    expect(location?.searchParams.get('next')).toBe(`/oauth/authorize?${authorizationParams(clientId)}`);
  });

  it.each([{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, { origin: 'https://evil.example' }])(
    'ignores a decision that another site sent: %j',
    async (headers) => {
      const page = formIn((await authorize(server, clientId)).text);
      page.set('decision', 'allow');
      const { status, location } = await post(`${server.url}/oauth/authorize`, page, headers);
      expect([status, location]).toEqual([403, null]);
    },
  );

  it('checks the hidden fields as if they were new', async () => {
    const { status, location } = await post(
      `${server.url}/oauth/authorize`,
      form({
        ...Object.fromEntries(authorizationParams(clientId, { redirect_uri: 'https://evil.example' })),
        decision: 'allow',
      }),
    );
    expect([status, location]).toEqual([400, null]);
  });

  it.each(['', '0', '-1', '1.2345', 'many', '1e9'])('shows the form again for a cap of %j', async (amount) => {
    const { status, text } = await decide(server, addressOf(), { cap_amount: amount });
    expect([status, text.includes('The cap must be a number of credits greater than 0')]).toEqual([400, true]);
  });
});
