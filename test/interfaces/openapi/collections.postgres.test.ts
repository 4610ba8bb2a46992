/** The collections for Postman and Bruno, read by their makers' libraries and sent. */
import { createRequire } from 'node:module';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brunoArchive } from '../../../adapters/rest/downloads/bruno.js';
import { postmanCollection } from '../../../adapters/rest/downloads/postman.js';
import { requestFolders } from '../../../adapters/rest/downloads/requests.js';
import { ROUTES } from '../../../adapters/rest/routes.js';
import { demoDatabase } from '../../kit/demo.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';
import { describedAt } from './subject.js';

interface BruFile {
  readonly http: { readonly method: string; readonly url: string; readonly body: string; readonly auth: string };
  readonly params?: readonly {
    readonly name: string;
    readonly value: string;
    readonly type: string;
    readonly enabled: boolean;
  }[];
  readonly body?: { readonly json: string };
  readonly script?: { readonly req?: string };
}

interface PostmanRequest {
  readonly method: string;
  readonly url: { readonly path: readonly string[] };
  readonly body?: { readonly raw?: string };
  readonly auth?: { readonly type: string };
  toObjectResolved(scope: object, overrides: readonly object[]): object;
}

interface PostmanCollection {
  readonly variables: { one(name: string): { set(value: string): void } | undefined };
  forEachItem(
    visit: (item: {
      readonly name: string;
      readonly request: PostmanRequest;
      readonly events: { listeners(name: string): { readonly script: { toSource(): string } }[] };
    }) => void,
  ): void;
}

// Neither has type declarations.
const require = createRequire(import.meta.url);
const postman = require('postman-collection') as {
  readonly Collection: new (definition: object) => PostmanCollection;
  readonly Request: new (definition: object) => PostmanRequest;
};
const bruno = require('@usebruno/lang') as {
  bruToJsonV2(text: string): BruFile;
  collectionBruToJson(text: string): { auth: object };
  bruToEnvJsonV2(text: string): { variables: { name: string; value: string; secret: boolean }[] };
};

const BASE = 'https://perch.example';
const folders = requestFolders(describedAt(BASE));

const collection = (baseUrl: string, apiKey: string) => {
  const parsed = new postman.Collection(JSON.parse(postmanCollection(folders, baseUrl)));
  parsed.variables.one('apiKey')?.set(apiKey);
  return parsed;
};

/** The requests that Postman would send. */
function requestsOf(parsed: PostmanCollection): {
  readonly name: string;
  readonly method: string;
  readonly url: string;
  readonly body: string | undefined;
  readonly isKeyless: boolean;
}[] {
  const found: ReturnType<typeof requestsOf> = [];
  parsed.forEachItem(({ name, request }) => {
    const resolved = new postman.Request(request.toObjectResolved(parsed, []));
    const isKeyless = request.auth?.type === 'noauth';
    found.push({ name, method: resolved.method, url: String(resolved.url), body: resolved.body?.raw, isKeyless });
  });
  return found;
}

/** The requests that Bruno would send. */
function bruRequests(archive: Buffer): Map<string, BruFile> {
  const files = Object.entries(unzipSync(archive)).filter(
    ([path]) => /^Perch\/\w+\/(?!folder)[^/]+\.bru$/.test(path) && !path.includes('/environments/'),
  );
  return new Map(files.map(([path, bytes]) => [path, bruno.bruToJsonV2(Buffer.from(bytes).toString())]));
}

describe('the collections', () => {
  it('have every route, for Postman and for Bruno alike', () => {
    const ofPostman = requestsOf(collection(BASE, 'k'));
    const ofBruno = [...bruRequests(brunoArchive(folders, BASE)).values()];
    expect(ofPostman.length).toBe(ofBruno.length);
    const routes = ROUTES.map(({ method, path }) => `${method} {{baseUrl}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`);
    const ours = ofBruno.map(({ http }) => `${http.method.toUpperCase()} ${http.url.split('?')[0]}`);
    expect(ours).toEqual(expect.arrayContaining(routes));
  });

  it('name in Bruno the same values as in Postman, with the key as a secret of the environment', () => {
    const archive = brunoArchive(folders, BASE);
    const sent = [...bruRequests(archive).values()].map(({ http, params = [], body }) => {
      const filled = params
        .filter(({ type }) => type === 'path')
        .reduce((url, { name, value }) => url.replace(`:${name}`, value), http.url.replace('{{baseUrl}}', BASE));
      return {
        method: http.method.toUpperCase(),
        url: new URL(filled).href,
        body: body && JSON.parse(body.json),
        isKeyless: http.auth === 'none',
      };
    });
    const ofPostman = requestsOf(collection(BASE, 'k')).map(({ name: _, body, url, ...rest }) => ({
      ...rest,
      url: new URL(url).href,
      body: body && JSON.parse(body),
    }));
    const inOrder = (rows: readonly object[]) => rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort();
    const decoded = (rows: readonly string[]) => rows.map(decodeURIComponent);
    expect(decoded(inOrder(sent))).toEqual(decoded(inOrder(ofPostman)));
    const text = (name: string) => Buffer.from(unzipSync(archive)[`Perch/${name}`] ?? []).toString();
    expect(bruno.collectionBruToJson(text('collection.bru')).auth).toMatchObject({
      mode: 'apikey',
      apikey: { key: 'x-api-key', value: '{{apiKey}}', placement: 'header' },
    });
    expect(bruno.bruToEnvJsonV2(text('environments/Perch.bru')).variables).toMatchObject([
      { name: 'baseUrl', value: BASE, secret: false },
      { name: 'sendChanges', value: 'false', secret: false },
      { name: 'apiKey', secret: true },
    ]);
    expect(JSON.parse(text('bruno.json'))).toMatchObject({ version: '1', type: 'collection' });
  });

  it('skip what changes something in a run of all, unless the variable is set', () => {
    const changes = ROUTES.filter(({ method, path }) => method === 'POST' && !/^\/v1\/\w+\/batch$/.test(path));
    const skipping = [...bruRequests(brunoArchive(folders, BASE)).values()].flatMap(({ script, http }) =>
      script?.req === undefined ? [] : [[`POST ${http.url.replace(/^\{\{baseUrl\}\}/, '')}`, script.req]],
    );
    const [[, skip] = []] = skipping;
    const asPath = (path: string) => `POST ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;
    expect(new Map(skipping as [string, string][])).toEqual(new Map(changes.map(({ path }) => [asPath(path), skip])));
    expect(skip).toBe("if (bru.getEnvVar('sendChanges') !== 'true') bru.runner.skipRequest();");
    const skipped: string[] = [];
    collection(BASE, 'k').forEachItem(({ request, events }) => {
      const [script] = events.listeners('prerequest');
      if (script === undefined) return;
      expect(script.script.toSource()).toBe(
        "if (pm.variables.get('sendChanges') !== 'true') pm.execution.skipRequest();",
      );
      skipped.push(`${request.method} /${request.url.path.join('/')}`);
    });
    expect(skipped.sort()).toEqual(changes.map(({ path }) => asPath(path)).sort());
  });

  it('are the same bytes each time', () => {
    expect(brunoArchive(folders, BASE).equals(brunoArchive(folders, BASE))).toBe(true);
  });
});

describe('every request of the collection, as Postman sends it', () => {
  let perch: TestPerch;
  beforeAll(async () => {
    const webhooks = {
      check: async (url: string) => url,
      send: async () => ({ status: 204, excerpt: null, fault: null }),
    };
    perch = await startPerch({ openDatabase: demoDatabase, webhooks });
  }, 120_000);
  afterAll(() => perch?.close());

  it('is answered with 200, except for a receipt and a watch that the account lacks, and the closed checkout', async () => {
    const { key } = await perch.account({ credits: 5000 });
    const refused: Record<string, number> = {};
    for (const { method, url, body, isKeyless } of requestsOf(collection(perch.url, key))) {
      const headers = {
        ...(isKeyless ? {} : { 'x-api-key': key }),
        ...(body && { 'content-type': 'application/json' }),
      };
      const response = await fetch(url, { method, headers, ...(body && { body }) });
      await response.arrayBuffer();
      if (response.status !== 200) refused[`${method} ${new URL(url).pathname}`] = response.status;
    }
    const watch = '/v1/watches/019e1d2c-3f10-7d20-a1c4-5b7e8f9a0b1c';
    expect(refused).toEqual({
      'GET /v1/usage/019e1d2a-7c40-7b53-9f11-2d6a8e4c0b97': 404,
      ...Object.fromEntries([`GET ${watch}`, `GET ${watch}/deliveries`].map((each) => [each, 404])),
      ...Object.fromEntries(['pause', 'resume', 'end'].map((change) => [`POST ${watch}/${change}`, 404])),
      [`POST ${watch}/deliveries/019e1d2a-7c40-7b53-9f11-2d6a8e4c0b97/send`]: 404,
      'POST /v1/billing/checkout': 503,
    });
  });
});
