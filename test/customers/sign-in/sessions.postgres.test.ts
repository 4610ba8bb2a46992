/** Sessions: the cookie that carries them, and when they end. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/lib/durations.js';
import { cookieOf, type SignInServer, startSignIn } from './sign-in-server.js';

const FROM = { userAgent: 'Firefox', address: '192.0.2.1' };
const BY = { who: 'customer', address: '192.0.2.1' } as const;

describe('sessions', () => {
  let server: SignInServer;

  beforeAll(async () => {
    server = await startSignIn();
  });
  afterAll(() => server.close());

  const start = (accountId: string) => server.sessions.start(accountId, { ...FROM, method: 'link' });
  const signIn = async (accountId: string, headers: Record<string, string> = {}, next = '') =>
    server.post(
      '/sign-in',
      { token: await server.links.forAccount(accountId), seen: '1', ...(next && { next }) },
      headers,
    );

  it('store only the hash of a secret', async () => {
    const { token } = await start(await server.openAccount(null));
    const rows = await server.database.sql`select row_to_json(sessions)::text as text, hash from sessions`;
    for (const { text, hash } of rows) {
      expect(text).not.toContain(token);
      expect(Buffer.from(hash as Buffer).toString('utf8')).not.toContain(token);
    }
  });

  it('end after 7 days without use, counted to the minute', async () => {
    const accountId = await server.openAccount(null);
    const { token } = await start(accountId);
    server.clock.advance(59_000);
    expect(await server.sessions.find(token)).toMatchObject({ personId: accountId });
    const seenAt = async () => Date.parse((await server.sessions.list(accountId)).sessions[0]?.seenAt ?? '');
    const first = await seenAt();
    server.clock.advance(1000);
    await server.sessions.find(token);
    expect((await seenAt()) - first).toBe(60_000);
    server.clock.advance(7 * DAY_MS - 1);
    expect(await server.sessions.find(token)).toMatchObject({ personId: accountId });
    server.clock.advance(7 * DAY_MS);
    expect(await server.sessions.find(token)).toBeNull();
    expect((await server.sessions.list(accountId)).sessions).toEqual([]);
  });

  it('end after 30 days, however they were used', async () => {
    const { token, expiresAt } = await start(await server.openAccount(null));
    const began = server.clock.now();
    expect(expiresAt - began).toBe(30 * DAY_MS);
    for (let day = 5; day < 30; day += 5) {
      server.clock.advance(5 * DAY_MS);
      expect(await server.sessions.find(token)).not.toBeNull();
    }
    server.clock.advance(5 * DAY_MS);
    expect(await server.sessions.find(token)).toBeNull();
  });

  it('can be ended one by one, or all but one, but never those of another account', async () => {
    const [mine, other] = [await server.openAccount(null), await server.openAccount(null)];
    const [a, b, c, theirs] = [await start(mine), await start(mine), await start(mine), await start(other)];
    const idOf = async (token: string) => (await server.sessions.find(token))?.sessionId ?? '';
    const works = (each: { token: string }) => server.sessions.find(each.token).then((found) => found !== null);
    await server.sessions.end(mine, await idOf(theirs.token), BY);
    await server.sessions.end(mine, 'no uuid', BY);
    expect(await works(theirs)).toBe(true);
    await server.sessions.end(mine, await idOf(a.token), BY);
    expect(await Promise.all([a, b, c].map(works))).toEqual([false, true, true]);
    expect(await server.sessions.endAll(mine, await idOf(c.token), BY)).toBe(1);
    expect(await Promise.all([a, b, c, theirs].map(works))).toEqual([false, false, true, true]);
    expect(await server.sessions.endAll(mine, null, BY)).toBe(1);
    expect(await works(c)).toBe(false);
  });

  it('are forgotten 30 days after their end', async () => {
    const accountId = await server.openAccount(null);
    const { token } = await start(accountId);
    await server.sessions.end(accountId, (await server.sessions.find(token))?.sessionId ?? '', BY);
    const rows = () =>
      server.database.sql`select from sessions where person_id = ${accountId}`.then(({ length }) => length);
    server.clock.advance(30 * DAY_MS);
    await server.sessions.sweep();
    expect(await rows()).toBe(1);
    server.clock.advance(1);
    await server.sessions.sweep();
    expect(await rows()).toBe(0);
  });

  it.each([
    ['http://127.0.0.1:4000', /^perch=[\w-]{43}; Path=\/; Expires=[^;]+ GMT; HttpOnly; SameSite=Lax$/],
    ['https://perch.example', /^__Host-perch=[\w-]{43}; Path=\/; Expires=[^;]+ GMT; HttpOnly; Secure; SameSite=Lax$/],
  ])('set the right cookie at %s', async (authUrl, shape) => {
    const own = await startSignIn({ env: { PERCH_AUTH_URL: authUrl } });
    try {
      const token = await own.links.forAccount(await own.openAccount(null));
      const answer = await own.post('/sign-in', { token, seen: '1' });
      expect(answer.headers.get('set-cookie')).toMatch(shape);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const out = await own.post('/sign-out', {}, { cookie: cookieOf(answer) ?? '' });
      expect(out.headers.get('set-cookie')).toMatch(/perch=; Path=\/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly/);
      expect(out.headers.get('location')).toBe('/');
      // Browsers accept this header over TLS only.
      const cleared = authUrl.startsWith('https:') ? '"cache", "storage"' : null;
      expect(out.headers.get('clear-site-data')).toBe(cleared);
    } finally {
      await own.close();
    }
  });

  it('get a new secret at each sign-in, which ends the session that the browser sent', async () => {
    const accountId = await server.openAccount(null);
    const before = cookieOf(await signIn(accountId)) ?? '';
    const after = cookieOf(await signIn(accountId, { cookie: before })) ?? '';
    expect(after).not.toBe(before);
    expect((await server.sessions.list(accountId)).sessions).toHaveLength(1);
    expect(await server.sessions.find(before.replace('perch=', ''))).toBeNull();
  });

  it('show the account that the browser showed before if the same person signs in again', async () => {
    const [email, others] = ['two@example.org', 'other@example.org'];
    const [first, second] = [await server.openAccount(email), await server.openAccount(email)];
    const shown = async (cookie: string) => (await server.sessions.find(cookie.replace('perch=', '')))?.accountId;
    const again = async (to: string, cookie: string) => {
      const token = await server.links.forEmail(to, null);
      return cookieOf(await server.post('/sign-in', { token, seen: '1' }, { cookie })) ?? '';
    };
    const before = cookieOf(await signIn(second)) ?? '';
    expect(await shown(before)).toBe(second);
    const after = await again(email, before);
    expect(await shown(after)).toBe(second);
    expect(await shown(await again(others, after))).toBeNull();
    expect(await shown(cookieOf(await signIn(first, { cookie: before })) ?? '')).toBe(first);
  });

  it('never adopt a secret that was planted in the browser', async () => {
    const accountId = await server.openAccount(null);
    const planted = `perch=${'A'.repeat(43)}`;
    expect(cookieOf(await signIn(accountId, { cookie: planted }))).not.toBe(planted);
  });

  it('redirect a signed-in visitor from the sign-in page, and end on the server at sign-out', async () => {
    const cookie = cookieOf(await signIn(await server.openAccount(null), {}, '/dashboard/keys')) ?? '';
    const see = async (path: string) => {
      const answer = await fetch(server.url + path, { headers: { cookie }, redirect: 'manual' });
      return [answer.status, answer.headers.get('location')];
    };
    expect(await see('/sign-in')).toEqual([200, null]);
    expect(await (await fetch(`${server.url}/sign-in`, { headers: { cookie } })).text()).toContain('already signed in');
    expect(await see('/sign-in?next=/oauth/authorize%3Fa=b')).toEqual([303, '/oauth/authorize?a=b']);
    expect(await see('/sign-in?next=//evil.example')).toEqual([200, null]);
    await server.post('/sign-out', {}, { cookie });
    expect(await see('/sign-in?next=/dashboard')).toEqual([200, null]);
  });

  it.each(['perch', 'perch=', 'perch=short', `perch=${'%'.repeat(43)}`, `other=${'A'.repeat(43)}`, '=;=;;'])(
    'ignore an invalid cookie: %s',
    async (cookie) => {
      const answer = await fetch(`${server.url}/sign-in`, { headers: { cookie }, redirect: 'manual' });
      expect(answer.status).toBe(200);
    },
  );
});
