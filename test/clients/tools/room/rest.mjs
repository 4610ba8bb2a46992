/** HTTP clients: each row is a GET as in the client's documentation, with parameters as an object if it takes one. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { headers, say, url } from './say.mjs';

const CLIENTS = {
  async axios() {
    const [{ default: axios }, { default: axiosRetry }] = [await import('axios'), await import('axios-retry')];
    const client = axios.create({ baseURL: url, headers });
    axiosRetry(client, { retryCondition: ({ response }) => response?.headers['retry-after'] !== undefined });
    return {
      get: async (path, params) => (await client.get(path, { params })).data,
      body: ({ response }) => response.data,
    };
  },
  async got() {
    const { default: got } = await import('got');
    const calculateDelay = ({ error, computedValue }) => (error.response?.headers['retry-after'] ? computedValue : 0);
    const client = got.extend({ prefixUrl: url, headers, retry: { calculateDelay } });
    const get = (path, params) => client(path.slice(1), { searchParams: listed(params) }).json();
    return { get, body: ({ response }) => JSON.parse(response.body) };
  },
  async ky() {
    const { default: ky } = await import('ky');
    const shouldRetry = ({ error }) => (error.response?.headers.has('retry-after') ? undefined : false);
    const client = ky.create({ prefixUrl: url, headers, retry: { shouldRetry } });
    const get = (path, params) => client(path.slice(1), { searchParams: listed(params) }).json();
    return { get, body: ({ response }) => response.json() };
  },
  async curl() {
    // Writes into a file, because on standard output the retried answers would come first.
    const folder = mkdtempSync(join(tmpdir(), 'perch-curl-'));
    const options = ['--silent', '--get', '--retry', '10', '--header', `x-api-key: ${headers['x-api-key']}`];
    const get = async (path, params) => {
      const file = join(folder, randomUUID());
      await promisify(execFile)('curl', [...options, '--output', file, `${url}${path}?${listed(params)}`]);
      const answer = JSON.parse(readFileSync(file, 'utf8'));
      if (answer.error) throw answer;
      return answer;
    };
    return { get, body: (answer) => answer };
  },
  async wget() {
    const options = ['--quiet', '--output-document=-', '--retry-on-http-error=429', '--waitretry=2'];
    const header = `--header=x-api-key: ${headers['x-api-key']}`;
    const get = async (path, params) => {
      const { stdout } = await promisify(execFile)('wget', [...options, header, `${url}${path}?${listed(params)}`]);
      return JSON.parse(stdout);
    };
    return { get, body: ({ code }) => ({ error: { code: `exit code ${code}` } }) };
  },
  async undici() {
    const { Agent, RetryAgent, request } = await import('undici');
    const dispatcher = new RetryAgent(new Agent(), { statusCodes: [429], errorCodes: [] });
    const get = async (path, params) => {
      const { statusCode, body } = await request(`${url}${path}?${listed(params)}`, { dispatcher, headers });
      const answer = await body.json();
      if (statusCode !== 200) throw answer;
      return answer;
    };
    return { get, body: (answer) => answer };
  },
};

/** For clients that take no lists: one parameter for each element. */
const listed = (params = {}) =>
  new URLSearchParams(Object.entries(params).flatMap(([name, value]) => [value].flat().map((each) => [name, each])));

const { get, body } = await CLIENTS[process.argv[2]]();
await say({
  user: async (handle) => (await get(`/v1/users/${handle}`, { fresh: false })).data.handle,
  async page(user, count, cursor) {
    const { data, next_cursor } = await get(`/v1/users/${user}/tweets`, { count, ...(cursor && { cursor }) });
    return { ids: data.map(({ id }) => id), cursor: next_cursor };
  },
  codeOf: async (error) => (await body(error)).error.code,
  balance: () => get('/v1/me'),
  async also() {
    const { data } = await get('/v1/users/batch', { handles: ['lantern_light', 'quay_library'] });
    return { list: data.map(({ handle }) => handle) };
  },
});
