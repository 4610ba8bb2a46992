/** Links lead to the address at which a browser on this machine finds the service. */
import { expect, it } from 'vitest';
import { signInUrl } from '../../adapters/cli/accounts.js';
import { readConfig } from '../../src/config/config.js';
import { localUrl } from '../../src/lib/local-url.js';

it.each([
  ['127.0.0.1', 'http://127.0.0.1:4000'],
  ['localhost', 'http://localhost:4000'],
  ['0.0.0.0', 'http://127.0.0.1:4000'],
  ['::', 'http://[::1]:4000'],
  ['2001:db8::1', 'http://[2001:db8::1]:4000'],
])('HOST=%s', (host, url) => {
  expect(localUrl(host, 4000)).toBe(url);
  expect(signInUrl(readConfig({ env: { HOST: host }, cwd: '/', terminal: false }))).toBe(url);
});
