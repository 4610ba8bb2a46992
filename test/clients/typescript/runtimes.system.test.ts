/** The packed client, installed on each runtime that it supports, against the running service. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoDatabase } from '../../kit/demo.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';
import { failure, type Given, type Stub, stub } from '../server.js';
import { type Packed, packClient } from './packed.js';
import { installRuntimes } from './runtimes.js';

const PROGRAM = `
import { createPerch, graphql, PerchError } from '@perch/client';

const { env } = globalThis.process;
const perch = createPerch({ baseUrl: env.PERCH_URL, key: env.PERCH_KEY });
const path = { user: 'harbor_obs' };
const said = {};
const failed = (promise) => promise.then(() => 'nothing', (e) => (e instanceof PerchError ? [e.code, e.status] : e.message));

said.one = (await perch.get('/v1/users/{handle}', { path: { handle: 'harbor_obs' } })).data.name;
said.batch = (await perch.post('/v1/users/batch', { body: { handles: ['harbor_obs', 'no_such_handle'] } })).items;
said.list = (await perch.get('/v1/users/batch', { query: { handles: ['harbor_obs', 'no_such_handle'] } })).items;
said.price = await perch.estimate('/v1/users/{user}/tweets', { path, query: { count: 7 } });
const pages = perch.pages('/v1/users/{user}/tweets', { path, query: { count: 4, fresh: true }, maxCredits: 20 });
const counts = [];
for await (const { data } of pages) counts.push(data.length);
said.pages = [counts, pages.ended, pages.spent, pages.remaining, typeof pages.cursor];
const document = graphql('query q($h: String!) { user(handle: $h) { name } nobody: user(handle: "no_such_handle") { name } }');
const answer = await perch.query(document, { h: 'harbor_obs' }, { maxCredits: 4 });
said.query = [answer.data, answer.errors.map(({ code }) => code)];
said.refused = await failed(perch.get('/v1/users/{handle}', { path: { handle: 'no_such_handle' } }));

const at = (baseUrl, options) => createPerch({ baseUrl, key: env.PERCH_KEY, ...options });
said.redirect = (await failed(at(env.REDIRECT).post('/v1/users/batch', { body: { handles: ['a'] } })))[0];
said.silent = await failed(at(env.SILENT, { timeoutMs: 200 }).query(document, { h: 'a' }));
const stop = new AbortController();
setTimeout(() => stop.abort(new Error('enough')), 50);
said.stopped = await failed(at(env.SILENT).get('/v1/me', { signal: stop.signal }));
said.again = await failed(at(env.BUSY).post('/v1/users/batch', { body: { handles: ['a'] } }));
const gone = await at(env.GONE).get('/v1/me').catch((error) => error);
said.gone = [gone.code, [gone.message, gone.stack, JSON.stringify(gone), String(gone.cause)].join().includes(env.PERCH_KEY)];
console.log(JSON.stringify(said));
`;

/** Nothing ever listens on this port. One that was free a moment ago may have been taken by another test. */
const NOBODY = 'http://127.0.0.1:2';

const runtimes = await installRuntimes();
afterAll(() => runtimes.remove());

describe(`the packed client${runtimes.missing}`, () => {
  let packed: Packed;
  let perch: TestPerch;
  const stubs: Stub[] = [];
  const given = async (...answers: Given[]): Promise<Stub> => {
    const made = await stub(...answers);
    stubs.push(made);
    return made;
  };
  beforeAll(async () => {
    [packed, perch] = await Promise.all([packClient(), startPerch({ openDatabase: demoDatabase })]);
    await writeFile(join(packed.project, 'main.js'), PROGRAM);
  }, 120_000);
  afterAll(async () => {
    for (const each of stubs) each.close();
    await perch?.close();
    await packed?.remove();
  });

  it.each(runtimes.all)(
    'does the same on $name',
    async (runtime) => {
      const { key } = await perch.account({ credits: 1000 });
      const elsewhere = await given({});
      const redirect = await given({ status: 307, headers: { location: `${elsewhere.url}/v1/me` } });
      const busy = await given(failure(503, 'no_account', 0));
      const printed = await runtime.run(packed.project, 'main.js', {
        PERCH_URL: perch.url,
        PERCH_KEY: key,
        REDIRECT: redirect.url,
        SILENT: (await given({ silent: true })).url,
        BUSY: busy.url,
        GONE: NOBODY,
      });
      expect(JSON.parse(printed)).toEqual({
        one: 'Harbor Observatory',
        batch: 1,
        list: 1,
        price: { max_items: 7, unit: 1, max_credits: 7 },
        pages: [[4, 4, 2], 'max_credits', 20, 0, 'string'],
        query: [{ user: { name: 'Harbor Observatory' }, nobody: null }, ['not_found']],
        refused: ['not_found', 404],
        redirect: 'unreadable',
        silent: ['timeout', 0],
        stopped: 'enough',
        again: ['no_account', 503],
        gone: ['unreachable', false],
      });
      expect(busy.requests).toHaveLength(1);
      expect([redirect.requests.length, elsewhere.requests.length]).toEqual([1, 0]);
    },
    60_000,
  );
});
