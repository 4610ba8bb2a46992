import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GuardedDocuments } from '../../../adapters/client-documents/client-documents.js';
import { isPublicAddress } from '../../../adapters/client-documents/guarded-agent.js';
import { createMemoryCache } from '../../../adapters/memory/cache.js';
import { isDocumentId } from '../../../src/oauth/clients.js';
import { manualClock } from '../../kit/time/manual-clock.js';
import { type DocumentHost, startDocumentHost } from './document-host.js';

let host: DocumentHost;

beforeAll(async () => {
  host = await startDocumentHost();
});
afterAll(() => host.close());

/** Configured as in service, except for the names it resolves. */
function strict(addresses: readonly string[] = []): { documents: GuardedDocuments; resolved: string[] } {
  const resolved: string[] = [];
  const clock = manualClock();
  const documents = new GuardedDocuments({
    cache: createMemoryCache({ clock }),
    clock,
    userAgent: 'Perch-Test/1',
    allow: {
      resolve: async (name) => {
        resolved.push(name);
        return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
      },
      // Otherwise the port alone would be the reason.
      anyPort: true,
    },
  });
  return { documents, resolved };
}

const UNREACHABLE = { code: 'bad_request', message: 'it cannot be reached.' };

describe('addresses that a document may be fetched from (A13)', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '192.0.2.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::7f00:1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2001::1',
    '2001:db8::1',
    'nonsense',
  ])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));

  it.each(['1.1.1.1', '93.184.215.14', '2606:4700:4700::1111', '2a00:1450:4001:81b::200e', '::ffff:1.1.1.1'])(
    '%s is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );
});

describe('the guard, configured as in service', () => {
  it.each([
    '127.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '[::1]',
    '[fc00::1]',
    '[fd00::1]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '2130706433',
    '0177.0.0.1',
    '0x7f.1',
    '127.1',
  ])('refuses https://%s without a connection', async (name) => {
    const { documents, resolved } = strict(['127.0.0.1']);
    const before = host.requested.length;
    await expect(documents.read(`https://${name}:${host.port}/c`)).rejects.toMatchObject(UNREACHABLE);
    expect([resolved, host.requested.length]).toEqual([[], before]);
    await documents.close();
  });

  it.each([
    [['127.0.0.1']],
    [['10.0.0.7']],
    [['169.254.169.254']],
    [['::1']],
    [['64:ff9b::7f00:1']],
    [['1.1.1.1', '127.0.0.1']],
    [[]],
  ])('refuses a name that resolves to %j', async (addresses) => {
    const { documents, resolved } = strict(addresses);
    await expect(documents.read(`https://client.test:${host.port}/c`)).rejects.toMatchObject(UNREACHABLE);
    expect(resolved).toEqual(['client.test']);
    await documents.close();
  });

  it('refuses localhost by the real resolver, http, and any port but 443', async () => {
    const clock = manualClock();
    const documents = new GuardedDocuments({ cache: createMemoryCache({ clock }), clock, userAgent: 'Perch-Test/1' });
    await expect(documents.read('https://localhost/c')).rejects.toMatchObject(UNREACHABLE);
    await expect(documents.read(`https://client.test:${host.port}/c`)).rejects.toThrow('its URL has a port.');
    await expect(documents.read('http://client.test/c')).rejects.toThrow('its URL is not https.');
    await documents.close();
  });
});

describe('reading a client document', () => {
  const read = (path: string): Promise<unknown> => host.documents.read(host.origin + path);

  it('reads a document once an hour', async () => {
    const address = host.client('/sound');
    const times = () => host.requested.filter((path) => path === '/sound').length;
    expect(await host.documents.read(address)).toMatchObject({ client_id: address });
    await host.documents.read(address);
    expect(times()).toBe(1);
    host.clock.advance(3_600_000);
    await host.documents.read(address);
    expect(times()).toBe(2);
  });

  it('remembers a failure for a minute', async () => {
    await expect(read('/later')).rejects.toThrow('the response status is not 200.');
    host.client('/later');
    await expect(read('/later')).rejects.toThrow('the response status is not 200.');
    host.clock.advance(60_000);
    expect(await read('/later')).toMatchObject({ client_name: 'Document client' });
  });

  it('a redirect is not followed', async () => {
    host.client('/target');
    host.answer('/redirect', (_request, response) => response.writeHead(302, { location: '/target' }).end());
    await expect(read('/redirect')).rejects.toThrow('the response status is not 200.');
    expect(host.requested).not.toContain('/target');
  });

  it.each([
    ['in one piece', (text: string) => [text]],
    ['without an end', (text: string) => Array.from({ length: 50 }, () => text)],
  ])('refuses a document larger than 10 KB: %s', async (name, pieces) => {
    const path = `/large-${name.length}`;
    host.answer(path, (_request, response) => {
      response.setHeader('content-type', 'application/json');
      for (const piece of pieces(JSON.stringify('x'.repeat(10_300)))) response.write(piece);
      if (name === 'in one piece') response.end();
    });
    await expect(read(path)).rejects.toThrow('it is larger than 10 KB.');
  });

  it('refuses an HTML page and truncated JSON', async () => {
    host.answer('/page', (_request, response) => response.setHeader('content-type', 'text/html').end('{}'));
    host.answer('/half', (_request, response) => response.setHeader('content-type', 'application/json').end('{"a'));
    await expect(read('/page')).rejects.toThrow('its Content-Type is not JSON.');
    await expect(read('/half')).rejects.toThrow('it is not valid JSON.');
  });

  it('does not wait for an answer that takes longer than 3 s', async () => {
    host.answer('/slow', (_request, response) => {
      response.setHeader('content-type', 'application/json').write('{');
    });
    const startedAt = performance.now();
    await expect(read('/slow')).rejects.toMatchObject(UNREACHABLE);
    expect(performance.now() - startedAt).toBeLessThan(6000);
  });

  it('fetches at most 16 documents at a time, each once, and refuses the next', async () => {
    const waiting: (() => void)[] = [];
    for (let n = 0; n < 17; n += 1) {
      host.answer(`/wait-${n}`, (_request, response) => void waiting.push(() => response.writeHead(404).end()));
    }
    const first = Array.from({ length: 32 }, (_, n) => read(`/wait-${n % 16}`).catch(({ message }) => message));
    const busy = {
      code: 'upstream_error',
      message: expect.stringContaining('16 client metadata documents'),
      retryAfter: 3,
    };
    await expect.poll(() => read('/wait-16').catch((error) => error)).toMatchObject(busy);
    const answered = setInterval(() => {
      for (const answer of waiting.splice(0)) answer();
    }, 5);
    expect(new Set(await Promise.all(first))).toEqual(new Set(['the response status is not 200.']));
    clearInterval(answered);
    expect(host.requested.filter((path) => path.startsWith('/wait-'))).toHaveLength(16);
  });

  it('accepts other JSON types', async () => {
    host.answer('/kind', (_request, response) => {
      response.setHeader('content-type', 'application/vnd.client+json; charset=utf-8').end('{"kind":1}');
    });
    expect(await read('/kind')).toEqual({ kind: 1 });
  });
});

describe('client ids that are documents (draft-ietf-oauth-client-id-metadata-document)', () => {
  it.each(['https://app.example/client', 'https://app.example/@me/client.json', 'https://app.example:8443/c?v=1'])(
    '%s',
    (id) => expect(isDocumentId(id)).toBe(true),
  );
  it.each([
    'http://app.example/client',
    'https://app.example',
    'https://app.example/',
    'https://app.example/a/../client',
    'https://app.example/./client',
    'https://user@app.example/client',
    'https://app.example/client#part',
    'https://APP.example/client',
    'https://2130706433/client',
    'perch_client_x',
  ])('not %s', (id) => expect(isDocumentId(id)).toBe(false));
});
