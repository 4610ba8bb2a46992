/** Without a mail server, links are written to the log. On a public address, the operator is warned of that. */
import { expect, it } from 'vitest';
import { readConfig } from '../../../src/config/config.js';

const warned = (env: Record<string, string>): boolean =>
  readConfig({ env, cwd: '/', terminal: false }).warnings.some((warning) => warning.startsWith('SMTP_URL is not set'));

it.each([
  [{ PERCH_BASE_URL: 'https://perch.example' }, true],
  [{ PERCH_BASE_URL: 'http://10.0.0.7:4000', PERCH_AUTH_URL: 'https://perch.example' }, true],
  [{ PERCH_BASE_URL: 'https://perch.example', SMTP_URL: 'smtp://mail.example' }, false],
  [{ PERCH_BASE_URL: 'http://127.0.0.1:4000' }, false],
  [{}, false],
])('%j: %s', (env, expected) => {
  expect(warned(env)).toBe(expected);
});
