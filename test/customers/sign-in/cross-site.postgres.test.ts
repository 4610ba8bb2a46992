/** A form of another site changes nothing, even if the browser sends the cookie with it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cookieOf, type SignInServer, startSignIn } from './sign-in-server.js';

const FORM = 'application/x-www-form-urlencoded';

describe('requests that another site makes a browser send', () => {
  let server: SignInServer;
  let cookie: string;

  beforeAll(async () => {
    server = await startSignIn();
    const token = await server.links.forAccount(await server.openAccount(null));
    cookie = cookieOf(await server.post('/sign-in', { token, seen: '1' })) ?? '';
  });
  afterAll(() => server.close());

  const PATHS = [
    ['/sign-in', FORM],
    ['/sign-in/mail', FORM],
    ['/sign-out', FORM],
    ['/dashboard/passkeys/remove', FORM],
    ['/sign-in/whose', 'application/json'],
    ['/sign-in/passkey/options', 'application/json'],
    ['/sign-in/passkey', 'application/json'],
    ['/dashboard/passkeys/options', 'application/json'],
    ['/dashboard/passkeys', 'application/json'],
  ] as const;
  const FOREIGN: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ];
  const post = (path: string, type: string, headers: Record<string, string>) =>
    fetch(server.url + path, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, 'content-type': type, ...headers },
      body: type === FORM ? 'email=a%40example.org' : '{}',
    });

  it.each(
    PATHS.flatMap(([path, type]) => FOREIGN.map((headers) => [path, JSON.stringify(headers), type, headers] as const)),
  )('are refused by %s with %s', async (path, _shown, type, headers) => {
    const answer = await post(path, type, headers);
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ error: { code: 'access_denied', reason: 'cross_site' } });
    expect(cookieOf(answer)).toBeUndefined();
  });

  it('are answered with a page for browsers and JSON for programs', async () => {
    const answer = await post('/sign-in', FORM, { 'sec-fetch-site': 'cross-site', accept: 'text/html,*/*;q=0.8' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8']);
    expect(await answer.text()).toContain('This form was submitted from another site.');
    const program = await post('/sign-in', FORM, { 'sec-fetch-site': 'cross-site', accept: 'application/json' });
    expect(program.headers.get('content-type')).toContain('application/json');
  });

  it('change nothing: the session stays and no mail is sent', async () => {
    await server.signIn.close();
    expect(server.sent).toEqual([]);
    expect(await server.sessions.find(cookie.replace('perch=', ''))).not.toBeNull();
  });

  it.each(PATHS.filter(([, type]) => type !== FORM))(
    'are refused by %s with any body that a foreign form can send',
    async (path) => {
      for (const type of ['text/plain', FORM, 'multipart/form-data; boundary=a']) {
        const answer = await post(path, type, { 'sec-fetch-site': 'same-origin' });
        expect(answer.status).toBe(400);
      }
    },
  );

  it.each(['/dashboard/passkeys/options', '/dashboard/passkeys'])('fail at %s without a session', async (path) => {
    const answer = await post(path, 'application/json', { cookie: '', 'sec-fetch-site': 'same-origin' });
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ error: { reason: 'signed_out' } });
  });
});
