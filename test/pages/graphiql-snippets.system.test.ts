import { execFile, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { has, without } from '../clients/python/python.js';
import { type Packed, packClient } from '../clients/typescript/packed.js';
import { demoDatabase } from '../kit/demo.js';
import { startPerch, type TestPerch } from '../kit/perch.js';

const run = promisify(execFile);
const BROWSER = new URL('../../adapters/pages/graphiql/browser/', import.meta.url);

interface Copied {
  readonly endpoint: string;
  readonly clientPackage: string;
  readonly body: { query: string; operationName?: string; variables?: object; extensions?: { maxCredits?: number } };
  readonly headers: Readonly<Record<string, string>>;
  readonly isStream?: boolean;
}

const { snippetOf, linked } = (await import(new URL('snippets.js', BROWSER).href)) as {
  snippetOf(kind: 'curl' | 'fetch' | 'python' | 'client' | 'link', request: Copied): string;
  linked(address: { hash: string; search: string }): { query: string; variables: string } | null;
};

/** Every character that a shell, a template literal or JSON treats specially. */
const AWKWARD = `# It's "quoted", \`ticked\`, \${HOME} and C:\\new
query Awkward($handle: String!) {
  user(handle: $handle) {
    handle
    tweets(first: 5, fresh: true) {
      meta { items }
      pageInfo { truncated }
    }
  }
}
`;

describe('snippets copied from GraphiQL', () => {
  let perch: TestPerch;
  let packed: Packed;
  let request: Copied;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    [perch, packed] = await Promise.all([startPerch({ openDatabase: demoDatabase }), packClient()]);
    const { key } = await perch.account({ credits: 100 });
    env = { ...process.env, PERCH_KEY: key };
    request = {
      endpoint: `${perch.url}/graphql`,
      clientPackage: `${perch.url}/clients/perch-client.tgz`,
      body: {
        query: AWKWARD,
        operationName: 'Awkward',
        variables: { handle: 'harbor_obs' },
        extensions: { maxCredits: 4 },
      },
      headers: { 'X-API-Key': 'perch_live_not_to_be_copied', 'X-Trace': `it's "here"` },
    };
  }, 120_000);
  afterAll(async () => {
    await perch?.close();
    await packed?.remove();
  });

  const expected = {
    user: { handle: 'harbor_obs', tweets: { meta: { items: 1 }, pageInfo: { truncated: 'max_credits' } } },
  };

  it('runs in a shell as curl, within the budget', async () => {
    const { stdout } = await run('sh', ['-c', snippetOf('curl', request)], { env });
    expect(JSON.parse(stdout)).toMatchObject({ data: expected });
  });

  it('runs in Node as fetch, with the headers of the editor', async () => {
    const file = join(packed.project, 'copied.mjs');
    await writeFile(file, snippetOf('fetch', request));
    const { stdout } = await run(process.execPath, [file], { env });
    expect(JSON.parse(stdout)).toMatchObject({ data: expected });
  });

  it.runIf(has.python3)(`runs in Python, with the other headers${without('python3')}`, async () => {
    const { stdout } = await run('python3', ['-W', 'error', '-c', snippetOf('python', request)], { env });
    expect(JSON.parse(stdout)).toMatchObject({ data: expected });
  });

  it.runIf(has.python3)(`prints what a refusal says in Python${without('python3')}`, async () => {
    const refused = snippetOf('python', { ...request, body: { query: '{ tweet(id: "1") { id } }' } });
    const { stdout } = await run('python3', ['-c', refused], {
      env: { ...env, PERCH_KEY: `perch_live_${'x'.repeat(32)}` },
    });
    expect(JSON.parse(stdout).errors[0].extensions.code).toBe('invalid_key');
  });

  it('writes curl over several lines, with the query as it was typed', () => {
    expect(snippetOf('curl', request).split('\n').length).toBeGreaterThan(AWKWARD.split('\n').length);
    expect(snippetOf('curl', request)).toContain('\n    tweets(first: 5, fresh: true) {\n');
  });

  it('follows a subscription as curl, as fetch and in Python, and says that the client does not', async () => {
    const query = 'subscription ($user: ID!) { timeline(user: $user) { nodes { text } } }';
    const stream = { ...request, headers: {}, body: { query, variables: { user: 'harbor_obs' } }, isStream: true };
    const begins = /event: next\nid: \S+\ndata: \{"data":\{"timeline":\{"nodes":\[\]/;
    const prints = async (command: string, ...words: string[]) => {
      const child = spawn(command, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (more: string) => (text += more));
      try {
        await expect.poll(() => text).toMatch(begins);
      } finally {
        child.kill();
      }
    };
    const file = join(packed.project, 'stream.mjs');
    await writeFile(file, snippetOf('fetch', stream));
    await prints('sh', '-c', `exec ${snippetOf('curl', stream)}`);
    await prints(process.execPath, file);
    if (has.python3) await prints('python3', '-c', snippetOf('python', stream));
    expect(() => snippetOf('client', stream)).toThrow('copy this one as fetch');
  }, 120_000);

  it('makes a link that has the query and its variables after the #, and nothing else', () => {
    const link = new URL(snippetOf('link', request));
    expect([`${link.origin}${link.pathname}`, link.search]).toEqual([request.endpoint, '']);
    expect(linked(link)).toEqual({ query: AWKWARD, variables: '{"handle":"harbor_obs"}' });
    expect(link.href).not.toMatch(/perch_live|X-Trace|maxCredits/);
    expect(linked({ hash: '', search: '?query=%7B%20me%20%7D' })).toEqual({ query: '{ me }', variables: '' });
    expect(linked({ hash: '#elsewhere', search: '' })).toBeNull();
  });

  it('makes no link for a query that contains a key', () => {
    const query = `{ user(handle: "perch_live_${'k'.repeat(32)}") { id } }`;
    expect(() => snippetOf('link', { ...request, body: { query } })).toThrow('variables contain a key');
  });

  it('compiles and runs with the typed client, with the other headers', async () => {
    expect(snippetOf('client', request)).toContain('request.headers.set("X-Trace", "it\'s \\"here\\"");');
    await writeFile(join(packed.project, 'globals.d.ts'), 'declare const process: { env: Record<string, string> };\n');
    await writeFile(join(packed.project, 'copied.ts'), snippetOf('client', request));
    const options = { target: 'ES2022', module: 'NodeNext', lib: ['ES2023', 'DOM', 'DOM.Iterable'], types: [] };
    expect(await packed.compile(options)).toBe('');
    const { stdout } = await run(process.execPath, [join(packed.project, 'copied.js')], { env });
    expect(stdout).toContain(JSON.stringify(expected, null, 2));
  }, 120_000);

  it.each(['curl', 'fetch', 'python', 'client'] as const)('contains no key: %s', (kind) => {
    expect(snippetOf(kind, request)).not.toContain('perch_live_');
    expect(snippetOf(kind, request)).toContain('PERCH_KEY');
  });

  it('leaves out empty members', () => {
    const bare = { ...request, headers: {}, body: { query: '{ me { balance } }', variables: {}, extensions: {} } };
    expect(snippetOf('curl', bare)).toMatch(/ --data-urlencode 'query=\{ me \{ balance \} \}'\n$/);
    expect(snippetOf('python', bare)).toContain('body = {\n    "query": query,\n}\n');
    expect(snippetOf('client', bare)).toContain('perch.query(operation);');
  });
});
