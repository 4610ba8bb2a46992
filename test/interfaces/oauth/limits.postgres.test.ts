import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { authorize, CALLBACK, formIn, newClient, type Reply, refresh, register, send } from './oauth-client.js';
import { type OAuthServer, startOAuthServer } from './oauth-server.js';

let server: OAuthServer;

beforeEach(async () => {
  server = await startOAuthServer({ limited: true });
});
afterEach(() => server?.close());

/** Repeats a request as fast as the public policy allows until it is refused; returns after how many requests. */
async function untilRefused(request: () => Promise<Reply>): Promise<{ after: number; reply: Reply }> {
  for (let after = 0; after < 300; after += 1) {
    server.clock.advance(100);
    const reply = await request();
    if (reply.status === 429) return { after, reply };
  }
  throw new Error('never refused');
}

describe('limits of one address', () => {
  it('are 20 registrations an hour; then 429 in the form of OAuth', async () => {
    const { after, reply } = await untilRefused(() => register(server, { redirect_uris: [CALLBACK] }));
    expect(after).toBe(20);
    expect(reply.body).toEqual({ error: 'temporarily_unavailable', error_description: expect.any(String) });
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(100);
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
  });

  it('are shared by addresses of the same /64', async () => {
    let count = 0;
    const { after } = await untilRefused(() => {
      count += 1;
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': `2001:db8::${count}` };
      return send(`${server.url}/api/oauth/register`, { method: 'POST', body: '{}', headers });
    });
    expect(after).toBe(20);
  });

  it('are 200 valid registrations an hour from one /48', async () => {
    let count = 0;
    const registerFrom = (network: string, metadata: object) => {
      count += 1;
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': `${network}:${count}::1` };
      return send(`${server.url}/api/oauth/register`, { method: 'POST', body: JSON.stringify(metadata), headers });
    };
    const statuses = async (times: number, metadata: object) => {
      const replies = await Promise.all(Array.from({ length: times }, () => registerFrom('2001:db8:48', metadata)));
      return new Set(replies.map(({ status }) => status));
    };
    const valid = { redirect_uris: [CALLBACK] };
    expect(await statuses(30, {})).toEqual(new Set([400]));
    expect(await statuses(200, valid)).toEqual(new Set([201]));
    const refused = await registerFrom('2001:db8:48', valid);
    expect([refused.status, refused.body.error]).toEqual([429, 'temporarily_unavailable']);
    expect(refused.body.error_description).toContain('to register clients from this network');
    expect((await registerFrom('2001:db8:49', valid)).status).toBe(201);
  });

  it('are 120 tokens a minute', async () => {
    const { after, reply } = await untilRefused(() => refresh(server, 'perch_client_unknown', 'x'));
    // The limit, plus what is refilled meanwhile.
    expect(after).toBe(149);
    expect([reply.body.error, reply.headers.get('retry-after')]).toEqual(['temporarily_unavailable', '1']);
  });

  it('are 120 requests a minute for the page, then a page that says so', async () => {
    const { after, reply } = await untilRefused(() => authorize(server, 'perch_client_unknown'));
    expect([after, reply.headers.get('retry-after')]).toEqual([149, '1']);
    expect(reply.text).toContain('Too many requests from this IP address.');
  });

  it('are 20 documents of clients a minute for one account', async () => {
    server.visitor = await server.account();
    const { after, reply } = await untilRefused(() => authorize(server, 'https://client.example/app'));
    // One comes back every three seconds.
    expect(after).toBeLessThan(22);
    expect(reply.text).toContain('Too many requests of this account.');
  });

  it('are 200 apps allowed an hour for one account, from whatever addresses', async () => {
    const client = await newClient(server);
    server.visitor = await server.account();
    const fields = formIn((await authorize(server, client)).text);
    fields.set('decision', 'allow');
    let count = 0;
    const allow = () => {
      count += 1;
      const headers = { 'sec-fetch-site': 'same-origin', 'x-forwarded-for': `203.0.113.${count}` };
      return send(`${server.url}/oauth/authorize`, { method: 'POST', body: fields, headers });
    };
    for (let nth = 0; nth < 200; nth += 1) expect((await allow()).location?.searchParams.has('code')).toBe(true);
    const refused = await allow();
    expect([refused.status, refused.text.includes('Too many requests to allow an app.')]).toEqual([429, true]);
    fields.set('decision', 'deny');
    expect((await allow()).location?.searchParams.get('error')).toBe('access_denied');
  });

  it('are redirect addresses of 8,000 characters in all', async () => {
    const metadata = (count: number) => ({ redirect_uris: Array(count).fill(`${CALLBACK}/`.padEnd(1000, 'x')) });
    expect((await register(server, metadata(8))).status).toBe(201);
    const { status, body } = await register(server, metadata(9));
    expect([status, body.error]).toEqual([400, 'invalid_redirect_uri']);
    expect(body.error_description).toContain('9000 characters in total; at most 8000 are allowed');
  });

  it('include the public policy (A17)', async () => {
    const replies = await Promise.all(Array.from({ length: 11 }, () => send(`${server.url}/oauth/authorize`)));
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(1);
    expect(refused[0]?.headers.get('ratelimit-policy')).toBe('public; q=10; w=1');
  });

  it('leave discovery a bucket of its own, whatever the address requests (A17)', async () => {
    const path = `${server.url}/.well-known/oauth-authorization-server`;
    await Promise.all(Array.from({ length: 11 }, () => send(`${server.url}/oauth/authorize`)));
    const replies = await Promise.all(Array.from({ length: 30 }, () => send(path)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(replies.map(({ headers }) => headers.get('ratelimit'))).toContain('limit=10, remaining=9, reset=1');
    expect(replies[0]?.headers.get('ratelimit-policy')).toBe('public; q=10; w=1');
  });
});
