/** Where webhooks may be sent, and what is sent. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GuardedWebhooks } from '../../../adapters/client-documents/webhooks.js';
import { webhookHeaders } from '../../../src/account/webhook-signature.js';
import { dependantsOf } from '../../kit/time/garbage.js';
import { startWebhookHost, type WebhookHost } from './webhook-host.js';

let host: WebhookHost;
beforeAll(async () => {
  host = await startWebhookHost();
});
beforeEach(() => {
  host.received.length = 0;
  host.answer = (_request, response) => void response.writeHead(204).end();
});
afterAll(() => host?.close());

describe('where a webhook may go', () => {
  const strict = new GuardedWebhooks({
    userAgent: 'Perch-Test/1',
    allow: {
      resolve: async (name) =>
        name === 'rebinding.example'
          ? [
              { address: '93.184.216.34', family: 4 },
              { address: '169.254.169.254', family: 4 },
            ]
          : name === 'public.example'
            ? [{ address: '93.184.216.34', family: 4 }]
            : Promise.reject(new Error('no such name')),
    },
  });
  afterAll(() => strict.close());

  it.each([
    ['http://public.example/', 'https'],
    ['https://public.example:8443/', 'usual port'],
    ['https://user:secret@public.example/', 'password'],
    ['https://127.0.0.1/', 'public address'],
    ['https://[::1]/', 'public address'],
    ['https://169.254.169.254/latest', 'public address'],
    ['https://rebinding.example/', 'public address'],
    ['https://nowhere.example/', 'public address'],
    ['nonsense', 'should look like'],
    ['https://public.example/\0', 'U+0000'],
    [`https://public.example/${'a'.repeat(2000)}`, '2,000 characters'],
  ])('refuses %s with the reason', async (url, why) => {
    const refused = strict.check(url, 'account');
    await expect(refused).rejects.toMatchObject({ code: 'bad_request', detail: { param: 'webhook_url' } });
    await expect(refused).rejects.toThrow(why);
  });

  it('allows a public address, in its one spelling', async () => {
    const checked = strict.check(' https://Public.example:443/hooks?x=1', 'account');
    await expect(checked).resolves.toBe('https://public.example/hooks?x=1');
  });

  it('does not connect to a name that later resolves to a private address, and hides why', async () => {
    const result = await strict.send('https://rebinding.example/', {}, '{}');
    expect(result).toEqual({ status: null, excerpt: null, fault: 'The address could not be reached.' });
  });

  it('treats a redirect as an answer, and does not follow it', async () => {
    host.answer = (_request, response) => void response.writeHead(302, { location: `${host.origin}/elsewhere` }).end();
    expect(await host.webhooks.send(`${host.origin}/a`, {}, '{}')).toEqual({ status: 302, excerpt: null, fault: null });
    expect(host.received.map(({ url }) => url)).toEqual(['/a']);
  });

  it.each([
    ['in seconds', () => '120', 120],
    ['as a date', () => new Date(Date.now() + 90_500).toUTCString(), 90],
    ['of no time', () => '0', undefined],
    ['of less than none', () => '-5', undefined],
    ['in words', () => 'soon', undefined],
    ['as a date that has passed', () => new Date(Date.now() - 90_000).toUTCString(), undefined],
  ])('reads when to try again from a Retry-After of %s', async (_form, write, seconds) => {
    const retryAfter = write();
    host.answer = (_request, response) => void response.writeHead(503, { 'retry-after': retryAfter }).end();
    const { retryAfterS } = await host.webhooks.send(`${host.origin}/a`, {}, '{}');
    if (seconds === undefined) expect(retryAfterS).toBeUndefined();
    else expect(Math.abs((retryAfterS ?? 0) - seconds)).toBeLessThanOrEqual(1);
  });

  it('stops when its signal aborts', async () => {
    host.answer = () => undefined;
    const stop = new AbortController();
    const sending = host.webhooks.send(`${host.origin}/a`, {}, '{}', stop.signal);
    setTimeout(() => stop.abort(), 50);
    expect(await sending).toMatchObject({ status: null });
  });

  it('leaves nothing in a signal that outlives many webhooks', async () => {
    const { signal } = new AbortController();
    for (let nth = 0; nth < 20; nth += 1) await host.webhooks.send(`${host.origin}/a`, {}, '{}', signal);
    expect(dependantsOf(signal)).toBe(0);
  });

  it('does not wait for the end of an endless answer', async () => {
    host.answer = (_request, response) => void response.writeHead(200).write('x');
    expect(await host.webhooks.send(`${host.origin}/a`, {}, '{}')).toEqual({ status: 200, excerpt: 'x', fault: null });
  });
});

describe('the signature', () => {
  it("is that of Standard Webhooks' own example", () => {
    const headers = webhookHeaders('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', {
      ...{ id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', atMs: 1_614_265_330_000, body: '{"test": 2432232314}' },
    });
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });
});
