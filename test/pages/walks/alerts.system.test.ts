/** A customer sets an alert in a browser and gets it: over a real mail server, and on a server of their own. */
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWebhookHost, type WebhookHost } from '../../customers/account/webhook-host.js';
import { describeInChromium, launchChromium, type Visit, visit } from '../../kit/browser/chromium.js';
import { flawsOf, LOOKS } from '../../kit/browser/looks.js';
import { createClient } from '../../kit/client.js';
import { demoDatabase } from '../../kit/demo.js';
import { signIn } from '../../kit/open-account.js';
import { startPerch, type TestAccount, type TestPerch } from '../../kit/perch.js';
import { manualClock } from '../../kit/time/manual-clock.js';

const SLOW_MS = 120_000;

describeInChromium(
  'a customer who wants to be notified',
  () => {
    const mails: string[] = [];
    const clock = manualClock();
    let smtp: SMTPServer;
    let host: WebhookHost;
    let perch: TestPerch;
    let ada: TestAccount;
    let browser: Browser;
    let tab: Visit;

    beforeAll(async () => {
      smtp = new SMTPServer({
        authOptional: true,
        disabledCommands: ['STARTTLS', 'AUTH'],
        onData(stream, _session, done) {
          let source = '';
          stream.on('data', (bytes: Buffer) => {
            source += bytes.toString('utf8');
          });
          stream.on('end', () => {
            mails.push(source);
            done();
          });
        },
      });
      await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve));
      host = await startWebhookHost();
      const { port } = smtp.server.address() as AddressInfo;
      const env = { SMTP_URL: `smtp://127.0.0.1:${port}` };
      perch = await startPerch({ clock, env, openDatabase: demoDatabase, webhooks: host.webhooks });
      ada = await perch.account({ credits: 3, email: 'ada@harbour.example' });
      const value = await signIn(perch.database.sql, ada.accountId, clock.now);
      browser = await launchChromium();
      tab = await visit(browser, perch.url);
      await tab.page.context().addCookies([{ name: 'perch', value, url: perch.url }]);
    }, SLOW_MS);

    afterAll(async () => {
      await browser?.close();
      await perch?.close();
      await host?.close();
      await new Promise<void>((resolve) => smtp.close(resolve));
    });

    const page = () => tab.page;
    const button = (name: string | RegExp) => page().getByRole('button', { name });

    it('shows mistakes beside their field and keeps what was typed', async () => {
      await page().goto(`${perch.url}/dashboard/alerts`);
      await page().getByLabel('Credits').fill('2');
      await page().getByLabel('Webhook URL').fill('https://inside.test/hooks');
      await button('Set alert').click();
      const field = page().getByLabel('Webhook URL');
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      expect(await page().locator('#webhook_url-error').innerText()).toContain('public address');
      expect(await field.inputValue()).toBe('https://inside.test/hooks');
      expect(await page().getByLabel('Credits').inputValue()).toBe('2');
      expect(await flawsOf(page(), LOOKS.slice(0, 1))).toEqual([]);
    });

    it('sets an alert, sees its secret once, and sends a test', async () => {
      await page().getByLabel('Webhook URL').fill(`${host.origin}/hooks`);
      await button('Set alert').click();
      await page().getByText('Copy the signing secret now').waitFor();
      expect(await page().locator('pre code').innerText()).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
      expect(await flawsOf(page(), LOOKS.slice(0, 1))).toEqual([]);
      await page().reload();
      await page().getByText('A signing secret is shown only once.').waitFor();
      await button(/Send a test/).click();
      await page().getByText('Test sent.').waitFor();
      expect(await page().locator('.last').allInnerTexts()).toEqual([
        expect.stringMatching(/Email:.*Delivered/i),
        expect.stringMatching(/Webhook:.*Delivered.*answered 204/i),
      ]);
      expect(mails.splice(0).join('')).toContain('Subject: Perch: test of an alert');
      expect(host.received.splice(0)).toHaveLength(1);
    });

    it('receives it by mail and webhook when the balance falls below', { timeout: SLOW_MS }, async () => {
      // A node checks the alerts of accounts that spent on it every 30 s, and once more when it stops.
      const node = await perch.another();
      const client = createClient(node.url, ada.key);
      for (const handle of ['harbor_obs', 'harbor_obs?fresh=true']) {
        expect((await client.get(`/v1/users/${handle}`)).status).toBe(200);
      }
      await node.close();
      const [event] = host.received;
      expect(JSON.parse(event?.body ?? '{}')).toMatchObject({
        type: 'alert.balance_below',
        data: { account_id: ada.accountId, limit: 2, balance: 0 },
      });
      expect(mails.join('')).toContain('Subject: Perch: the balance is below 2 credits');
      await page().goto(`${perch.url}/dashboard/alerts`);
      expect(await page().locator('.data tbody').innerText()).not.toContain('never');
      await page().getByText('Remove: ').click();
      await button('Remove now').click();
      await page().getByText('No alerts yet.').waitFor();
      expect({ violations: tab.violations, foreign: tab.foreign }).toEqual({ violations: [], foreign: [] });
    });
  },
  { inOrder: true },
);
