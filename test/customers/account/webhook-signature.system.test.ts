/** Our webhooks are verified with the lines of the documentation, and with independent libraries. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { webhookHeaders, webhookSecret } from '../../../src/account/webhook-signature.js';
import { has, python, without } from '../../clients/python/python.js';
import { startWebhookHost, type WebhookHost } from './webhook-host.js';

type Verify = (secret: string, headers: IncomingHttpHeaders, body: string) => boolean | Promise<boolean>;

const ROOT = Buffer.alloc(32, 1);
const PAGE = readFileSync(new URL('../../../docs/accounts.md', import.meta.url), 'utf8');
const codeOf = (language: string): string => new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(PAGE)?.[1] ?? '';

let host: WebhookHost;
let folder: string;
beforeAll(async () => {
  host = await startWebhookHost();
  folder = await mkdtemp(join(tmpdir(), 'perch-webhook-'));
});
afterAll(async () => {
  await host?.close();
  await rm(folder, { recursive: true });
});

/** Checks that a program accepts a webhook as it arrives, but not with another body, secret or time. */
async function check(isFromPerch: Verify): Promise<void> {
  const [secret, other] = [webhookSecret(ROOT, 'account', 'watch'), webhookSecret(ROOT, 'account', 'other')];
  const body = JSON.stringify({ type: 'watch.items', data: { text: 'ä 🐦' } });
  const signed = (atMs: number) => webhookHeaders(secret, { id: 'msg_1', atMs, body });
  await host.webhooks.send(`${host.origin}/a`, signed(Date.now()), body);
  const received = host.received.pop();
  if (received === undefined) throw new Error('nothing came');
  expect(received.headers['content-type']).toBe('application/json');
  expect(await isFromPerch(secret, received.headers, received.body)).toBe(true);
  expect(await isFromPerch(secret, received.headers, `${received.body} `)).toBe(false);
  expect(await isFromPerch(other, received.headers, received.body)).toBe(false);
  expect(await isFromPerch(secret, signed(Date.now() - 301_000), body)).toBe(false);
}

describe('the signature of a webhook', () => {
  it("is verified by Standard Webhooks' own library for Node", () =>
    check((secret, headers, body) => {
      try {
        new Webhook(secret).verify(body, headers as Record<string, string>);
        return true;
      } catch (error) {
        if (error instanceof WebhookVerificationError) return false;
        throw error;
      }
    }));

  // Only by hand: the folder of Standard Webhooks' library for Python, which is in no package of Debian or npm.
  const library = process.env.TEST_STANDARD_WEBHOOKS;
  it.runIf(library !== undefined)("is verified by Standard Webhooks' own library for Python", () =>
    check(async (...given) => {
      const code = `
import json, os
from standardwebhooks import Webhook, WebhookVerificationError
secret, headers, body = json.loads(os.environ["GIVEN"])
try:
    Webhook(secret).verify(body, headers)
    print(True)
except WebhookVerificationError:
    print(False)`;
      return (await python(code, { GIVEN: JSON.stringify(given), PYTHONPATH: library ?? '' })) === 'True\n';
    }),
  );

  it("is verified by the documentation's lines for Node", async () => {
    await writeFile(join(folder, 'verify.mjs'), codeOf('js'));
    const { isFromPerch } = await import(pathToFileURL(join(folder, 'verify.mjs')).href);
    await check(isFromPerch);
  });

  it.runIf(has.python3)(`is verified by the documentation's lines for Python${without('python3')}`, () =>
    check(async (...given) => {
      const read = 'import json, os\nsecret, headers, body = json.loads(os.environ["GIVEN"])\n';
      const code = `${codeOf('python')}${read}print(is_from_perch(secret, headers, body.encode()))`;
      return (await python(code, { GIVEN: JSON.stringify(given) })) === 'True\n';
    }),
  );
});
