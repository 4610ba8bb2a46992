/** Where passkeys work, and which answers are refused. The ceremonies are tested in `sign-in-browser.system.test.ts`. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPasskeyStore } from '../../../adapters/postgres/customers/passkeys.js';
import { relyingParty } from '../../../src/sign-in/passkeys.js';
import { cookieOf, type SignInServer, startSignIn } from './sign-in-server.js';

const BY = { who: 'customer', address: '192.0.2.1' } as const;

describe('the name that passkeys belong to', () => {
  it.each([
    ['https://perch.example', { id: 'perch.example', origin: 'https://perch.example' }],
    ['https://perch.example:8443', { id: 'perch.example', origin: 'https://perch.example:8443' }],
    ['http://localhost:4000', { id: 'localhost', origin: 'http://localhost:4000' }],
    // This machine by its IP address: browsers support passkeys only for its name.
    ['http://127.0.0.1:4000', { id: 'localhost', origin: 'http://localhost:4000' }],
    ['http://[::1]:4000', { id: 'localhost', origin: 'http://localhost:4000' }],
    ['http://192.0.2.7:4000', null],
    ['https://192.0.2.7', null],
    ['https://[2001:db8::1]', null],
    ['http://perch.example', null],
  ])('%s', (authUrl, waiters) => {
    expect(relyingParty(authUrl)).toEqual(waiters);
  });
});

describe('passkeys', () => {
  let server: SignInServer;
  beforeAll(async () => {
    server = await startSignIn({ env: { HOST: 'localhost' } });
  });
  afterAll(() => server.close());

  const send = (path: string, body: string, headers: Record<string, string> = {}) =>
    fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...headers },
      body,
    });
  const json = (path: string, body: unknown, headers?: Record<string, string>) =>
    send(path, JSON.stringify(body), headers);
  const signedIn = async () => {
    const accountId = await server.openAccount(null);
    const token = await server.links.forAccount(accountId);
    return { accountId, cookie: cookieOf(await server.post('/sign-in', { token, seen: '1' })) ?? '' };
  };
  const assertion = (id: string, challenge: string) => ({
    id,
    rawId: id,
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON: Buffer.from(JSON.stringify({ type: 'webauthn.get', challenge, origin: server.url })).toString(
        'base64url',
      ),
      authenticatorData: randomBytes(37).toString('base64url'),
      signature: randomBytes(70).toString('base64url'),
    },
  });

  it('require a key that is stored on the authenticator, and verification of the user', async () => {
    const { cookie, accountId } = await signedIn();
    const options = await (await json('/dashboard/passkeys/options', {}, { cookie })).json();
    expect(options).toMatchObject({
      rp: { id: 'localhost' },
      user: { id: Buffer.from(accountId).toString('base64url'), name: 'Ada' },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
    });
    const signIn = (await (await json('/sign-in/passkey/options', {})).json()) as object;
    expect(signIn).toMatchObject({ rpId: 'localhost', userVerification: 'required' });
    // The answer does not reveal which passkeys exist.
    expect(signIn).not.toHaveProperty('allowCredentials');
  });

  it('accept JSON after a byte order mark', async () => {
    const { cookie } = await signedIn();
    expect((await send('/dashboard/passkeys/options', '\ufeff{}', { cookie })).status).toBe(200);
    expect((await send('/sign-in/passkey/options', '\ufeff{}')).status).toBe(200);
  });

  it('are refused as copies if their signature count does not rise, unless it is always 0', async () => {
    const store = createPasskeyStore(server.database.sql);
    const accountId = await server.openAccount(null);
    const add = async (counter: number) => {
      const credentialId = randomBytes(16).toString('base64url');
      const key = {
        personId: accountId,
        credentialId,
        publicKey: randomBytes(77),
        counter,
        transports: ['usb'],
        name: 'Stick',
      };
      expect(await store.add(key, 20, BY)).toBe('added');
      expect(await store.add(key, 20, BY)).toBe('known');
      return credentialId;
    };
    const [counts, never] = [await add(5), await add(0)];
    const at = Date.now();
    expect(await store.used(counts, 6, at)).toBe(true);
    expect(await store.used(counts, 6, at)).toBe(false);
    expect(await store.used(counts, 3, at)).toBe(false);
    expect(await store.used(counts, 0, at)).toBe(false);
    expect(await store.used(never, 0, at)).toBe(true);
    expect(await store.used(never, 0, at)).toBe(true);
    expect(await store.list(accountId)).toMatchObject([{ transports: ['usb'] }, { transports: ['usb'] }]);
  });

  it('are at most 20 for a person, however many are added at once', async () => {
    const store = createPasskeyStore(server.database.sql);
    const personId = await server.openAccount(null);
    const add = () => {
      const credentialId = randomBytes(16).toString('base64url');
      const passkey = { personId, credentialId, publicKey: randomBytes(77), counter: 0, transports: [], name: 'x' };
      return store.add(passkey, 20, BY);
    };
    const answers = await Promise.all(Array.from({ length: 24 }, add));
    expect(answers.filter((answer) => answer === 'full')).toHaveLength(4);
    expect(await store.list(personId)).toHaveLength(20);
  });

  it('get the same answer if unknown or wrongly signed, and use up the challenge', async () => {
    const store = createPasskeyStore(server.database.sql);
    const known = randomBytes(16).toString('base64url');
    const accountId = await server.openAccount(null);
    const publicKey = randomBytes(77);
    await store.add(
      { personId: accountId, credentialId: known, publicKey, counter: 0, transports: [], name: 'x' },
      20,
      BY,
    );
    const answerTo = async (id: string) => {
      const { challenge } = (await (await json('/sign-in/passkey/options', {})).json()) as { challenge: string };
      const answer = await json('/sign-in/passkey', { response: assertion(id, challenge) });
      const { error } = (await answer.json()) as { error: object };
      return { status: answer.status, error, cookie: cookieOf(answer) };
    };
    const unknown = await answerTo(randomBytes(16).toString('base64url'));
    expect(unknown).toMatchObject({ status: 403, error: { reason: 'passkey_refused' }, cookie: undefined });
    expect(await answerTo(known)).toEqual(unknown);
  });

  it.each([
    ['nothing', undefined],
    ['a text', 'x'],
    ['no members', {}],
    ['a wrong type', { ...{ id: 'a', rawId: 'a' }, type: 'password', response: {} }],
    ['no base64url', { id: '?', rawId: '?', type: 'public-key', response: { clientDataJSON: '?' } }],
  ])('are refused with an answer that no browser gives: %s', async (_name, response) => {
    const { cookie } = await signedIn();
    expect((await json('/sign-in/passkey', { response })).status).toBe(400);
    expect((await json('/dashboard/passkeys', { response, name: 'x' }, { cookie })).status).toBe(400);
  });

  it('can be removed by their own account only', async () => {
    const store = createPasskeyStore(server.database.sql);
    const [mine, theirs] = [await signedIn(), await signedIn()];
    const credentialId = randomBytes(16).toString('base64url');
    const publicKey = randomBytes(77);
    await store.add(
      { personId: mine.accountId, credentialId, publicKey, counter: 0, transports: [], name: 'x' },
      20,
      BY,
    );
    const remove = (cookie: string) =>
      server.post('/dashboard/passkeys/remove', { credential: credentialId, next: '/dashboard/security' }, { cookie });
    await remove(theirs.cookie);
    expect(await server.passkeys.list(mine.accountId)).toHaveLength(1);
    const answer = await remove(mine.cookie);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/dashboard/security']);
    expect(await server.passkeys.list(mine.accountId)).toEqual([]);
  });

  it('need a sign-in of the last 10 minutes to be added or removed, which leads back (ASVS 7.5.1)', async () => {
    const { accountId, cookie } = await signedIn();
    const store = createPasskeyStore(server.database.sql);
    const credentialId = randomBytes(16).toString('base64url');
    await store.add(
      { personId: accountId, credentialId, publicKey: randomBytes(77), counter: 0, transports: [], name: 'x' },
      20,
      BY,
    );
    const fields = { credential: credentialId, next: '/dashboard/security' };
    server.clock.advance(10 * 60_000);
    expect((await json('/dashboard/passkeys/options', {}, { cookie })).status).toBe(200);
    server.clock.advance(1);
    const refused = await json('/dashboard/passkeys/options', {}, { cookie });
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({ error: { reason: 'sign_in_again' } });
    const removal = await server.post('/dashboard/passkeys/remove', fields, { cookie });
    const there = removal.headers.get('location') ?? '';
    expect([removal.status, there]).toEqual([303, '/sign-in?next=%2Fdashboard%2Fsecurity&again=1']);
    expect(await server.passkeys.list(accountId)).toHaveLength(1);
    const page = await fetch(server.url + there, { headers: { cookie }, redirect: 'manual' });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('You signed in more than 10 minutes ago.');
    const token = await server.links.forAccount(accountId);
    const again = cookieOf(await server.post('/sign-in', { token, seen: '1' }, { cookie })) ?? '';
    await server.post('/dashboard/passkeys/remove', fields, { cookie: again });
    expect(await server.passkeys.list(accountId)).toEqual([]);
  });

  it('can be restored by a mailed link, which is announced even to a signed-in visitor', async () => {
    const { cookie } = await signedIn();
    const sent = `${server.url}/sign-in?next=%2Fdashboard%2Fsecurity&sent=1`;
    const answer = await fetch(sent, { headers: { cookie }, redirect: 'manual' });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain('a link is on its way. It works once and expires in 10 minutes.');
  });

  it('are refused with a NUL in a name, an id or a transport, without an internal error', async () => {
    const { accountId, cookie } = await signedIn();
    const visitor = await server.sessions.find(cookie.replace('perch=', ''));
    if (visitor === null) throw new Error('no longer signed in');
    const given = { ...assertion('AQID', 'x'), response: { clientDataJSON: 'e30', attestationObject: 'AQID' } };
    const register = (response: object, name: string) => json('/dashboard/passkeys', { response, name }, { cookie });
    expect((await register(given, 'a\u0000b')).status).toBe(400);
    const transports = { ...given, response: { ...given.response, transports: ['usb\u0000'] } };
    expect((await register(transports, 'a')).status).toBe(400);
    expect((await register({ ...given, id: 'AQ\u0000' }, 'a')).status).toBe(400);
    const removal = server.passkeys.remove(visitor, 'AQ\u0000', BY);
    await expect(removal).rejects.toMatchObject({ code: 'bad_request' });
    expect(await server.passkeys.list(accountId)).toEqual([]);
  });

  it('allow 60 sign-ins from one address in five minutes, without delaying another address', async () => {
    const begin = (address: string) => server.passkeys.signInOptions(address);
    for (let n = 0; n < 60; n += 1) await begin('198.51.100.60');
    const refused = { code: 'rate_limited', message: expect.stringContaining('were started from your IP address') };
    await expect(begin('198.51.100.60')).rejects.toMatchObject(refused);
    await expect(begin('198.51.100.61')).resolves.toHaveProperty('challenge');
  });

  it('allow 1,000 sign-ins from one /48 in five minutes, without delaying another network', async () => {
    const begin = (network: string, n: number) => server.passkeys.signInOptions(`${network}:${n}::/64`);
    await Promise.all(Array.from({ length: 1000 }, (_, n) => begin('2001:db8:48', n)));
    const refused = { code: 'rate_limited', message: expect.stringContaining('were started from your network') };
    await expect(begin('2001:db8:48', 1000)).rejects.toMatchObject(refused);
    await expect(begin('2001:db8:49', 1000)).resolves.toHaveProperty('challenge');
  });

  it('are added at most 20 times in five minutes by one person', async () => {
    const [mine, theirs] = [await signedIn(), await signedIn()];
    const begin = ({ cookie }: { cookie: string }) => json('/dashboard/passkeys/options', {}, { cookie });
    for (let n = 0; n < 20; n += 1) expect((await begin(mine)).status).toBe(200);
    const refused = await begin(mine);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining('passkeys were added') } });
    expect((await begin(theirs)).status).toBe(200);
  });

  it('are neither offered nor accepted when the service has no domain name', async () => {
    const own = await startSignIn({ env: { PERCH_AUTH_URL: 'http://192.0.2.7:4000' } });
    try {
      await expect(own.passkeys.signInOptions('192.0.2.1')).rejects.toMatchObject({ code: 'bad_request' });
      expect(await (await fetch(`${own.url}/sign-in`)).text()).not.toMatch(/passkey/i);
    } finally {
      await own.close();
    }
  });

  it('are explained with their name on a page opened by IP address', async () => {
    const own = await startSignIn();
    try {
      const page = await (await fetch(`${own.url}/sign-in?next=/dashboard/keys`)).text();
      const there = own.url.replace('127.0.0.1', 'localhost');
      expect(page).toContain(`<a href="${there}/sign-in?next=%2Fdashboard%2Fkeys">${there}/sign-in</a>`);
    } finally {
      await own.close();
    }
  });
});
