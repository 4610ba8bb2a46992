/** REST, GraphQL and MCP through a proxy in front of the service, with as few settings as its documentation allows. */
import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { headers, say, url } from './say.mjs';

const { host } = new URL(url);
const folder = mkdtempSync(join(tmpdir(), 'perch-proxy-'));
const port = await new Promise((found) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port: free } = server.address();
    server.close(() => found(free));
  });
});

const PROXIES = {
  haproxy: {
    arguments: ['-db', '-f'],
    config: `
defaults
  mode http
  timeout connect 2s
  timeout client 30s
  timeout server 40s
frontend front
  http-request set-header X-Forwarded-For %[src]
  bind 127.0.0.1:${port}
  default_backend back
backend back
  option httpchk GET /healthz
  server perch ${host} check
`,
  },
  nginx: {
    arguments: ['-p', folder, '-c'],
    config: `
daemon off;
pid ${folder}/pid;
error_log ${folder}/error.log;
events {}
http {
  access_log off;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass ${url};
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $remote_addr;
    }
  }
}
`,
  },
  caddy: {
    arguments: ['run', '--adapter', 'caddyfile', '--config'],
    config: `
{
  admin off
}
http://127.0.0.1:${port} {
  reverse_proxy ${host}
}
`,
  },
};

const [, , name] = process.argv;
const file = join(folder, 'config');
writeFileSync(file, PROXIES[name].config);
const proxy = spawn(name, [...PROXIES[name].arguments, file], { stdio: 'ignore' });
process.once('exit', () => proxy.kill());

const front = `http://127.0.0.1:${port}`;
async function read(path, body, type = 'application/json') {
  const post = body && { method: 'POST', body: JSON.stringify(body) };
  const sent = { ...headers, accept: type, ...(body && { 'content-type': 'application/json' }) };
  const response = await fetch(front + path, { ...post, headers: sent });
  const text = (await response.text()).replace(/^(?:event|id): .*$|^data: /gm, '');
  const answer = JSON.parse(text);
  if (!response.ok) throw answer;
  return answer;
}

for (let tries = 0; tries < 100; tries += 1) {
  const isUp = await fetch(`${front}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
  if (isUp) break;
  await new Promise((resolve) => setTimeout(resolve, 100));
}
await say({
  user: async (handle) => (await read(`/v1/users/${handle}`)).data.handle,
  async page(user, count, cursor) {
    const query = new URLSearchParams({ count, ...(cursor && { cursor }) });
    const { data, next_cursor } = await read(`/v1/users/${user}/tweets?${query}`);
    return { ids: data.map(({ id }) => id), cursor: next_cursor };
  },
  codeOf: ({ error }) => error.code,
  async also() {
    const { data } = await read('/graphql', { query: '{ user(handle: "harbor_obs") { handle } }' });
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const { result } = await read('/mcp', list, 'application/json, text/event-stream');
    return { graphql: data.user.handle, tools: result.tools.length };
  },
  close: async () => proxy.kill(),
});
