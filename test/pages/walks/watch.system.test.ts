/** A customer watches an account in a browser: a post arrives on their server with a receipt, and can be sent again. */
import type { Browser } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadCorpus } from '../../../adapters/networks/corpus/import/load.js';
import { startWebhookHost, type WebhookHost } from '../../customers/account/webhook-host.js';
import { describeInChromium, launchChromium, type Visit, visit } from '../../kit/browser/chromium.js';
import { flawsOf, LOOKS } from '../../kit/browser/looks.js';
import { signIn } from '../../kit/open-account.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';

const SLOW_MS = 120_000;
const AUTHOR = { id: '7', handle: 'tern_station', name: 'Tern Station' };

describeInChromium(
  'a customer who watches an account',
  () => {
    let host: WebhookHost;
    let perch: TestPerch;
    let browser: Browser;
    let tab: Visit;
    let posts = 0;
    /** Imports a tweet of the author with the present time. */
    const post = async (text: string): Promise<void> => {
      posts += 1;
      const tweet = { id: String(5_000_000 + posts), text, authorId: AUTHOR.id, createdAt: new Date().toISOString() };
      await loadCorpus(perch.database.sql, [{ kind: 'tweet', tweet }]);
    };

    beforeAll(async () => {
      host = await startWebhookHost();
      perch = await startPerch({ webhooks: host.webhooks });
      await loadCorpus(perch.database.sql, [{ kind: 'user', user: AUTHOR }]);
      // A list with a recent item is read every few seconds.
      await post('First of the day.');
      const ada = await perch.account({ credits: 10, email: 'ada@harbour.example' });
      const value = await signIn(perch.database.sql, ada.accountId);
      browser = await launchChromium();
      tab = await visit(browser, perch.url);
      await tab.page.context().addCookies([{ name: 'perch', value, url: perch.url }]);
    }, SLOW_MS);

    afterAll(async () => {
      await browser?.close();
      await perch?.close();
      await host?.close();
    });

    const page = () => tab.page;
    const button = (name: string | RegExp) => page().getByRole('button', { name });

    it('shows a mistake beside its field, then starts to watch', { timeout: SLOW_MS }, async () => {
      await page().goto(`${perch.url}/dashboard/watches`);
      await page().getByText('No watches yet.').waitFor();
      await page().getByLabel('Handle, search or tweet id').fill('nobody_at_all');
      await page().getByLabel('Webhook URL').fill(`${host.origin}/watch`);
      await button('Start watching').click();
      await page().locator('#subject-error').waitFor();
      expect(await page().getByLabel('Webhook URL').inputValue()).toBe(`${host.origin}/watch`);
      await page().getByLabel('Handle, search or tweet id').fill(AUTHOR.handle);
      await page().getByLabel('Most credits a day').fill('5');
      await button('Start watching').click();
      await page().waitForURL(`${perch.url}/dashboard/watches/*`);
      await page().getByText('Nothing new yet.').waitFor();
      expect(await flawsOf(page(), LOOKS.slice(0, 1))).toEqual([]);
    });

    it('gets a new post on its server, and sees what it cost', { timeout: SLOW_MS }, async () => {
      await page().getByText('Signing secret').click();
      const secret = await page().locator('figure.once code').innerText();
      await post('The terns are back.');
      await expect.poll(() => host.received.length, { timeout: 30_000 }).toBe(1);
      const [{ headers, body } = { headers: {}, body: '' }] = host.received;
      const event = new Webhook(secret).verify(body, headers as Record<string, string>) as {
        data: { data: { text: string }[]; credits_charged: number; request_id: string };
      };
      expect(event.data.data.map(({ text }) => text)).toEqual(['The terns are back.']);
      await page().reload();
      const delivery = page().locator('li.delivery');
      expect(await delivery.innerText()).toMatch(/1 item of[\s\S]*Delivered[\s\S]*Status 204/i);
      expect(await flawsOf(page(), LOOKS.slice(0, 1))).toEqual([]);
      await delivery.getByRole('link', { name: String(event.data.credits_charged) }).click();
      await page().waitForURL(new RegExp(`request_id=${event.data.request_id}`));
      expect(await page().locator('main').innerText()).toMatch(/timeline/i);
      expect(await flawsOf(page(), LOOKS.slice(0, 1))).toEqual([]);
      await page().goBack();
    });

    it('has it sent again, free and under the same id, and ends the watch', { timeout: SLOW_MS }, async () => {
      await button('Send again: delivery 1').click();
      await expect.poll(() => host.received.length, { timeout: 30_000 }).toBe(2);
      const [first, again] = host.received;
      expect(again?.body).toBe(first?.body);
      expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
      await page().getByText('End for good…').click();
      await button('End now').click();
      await page().getByText('Ended').first().waitFor();
      expect({ violations: tab.violations, foreign: tab.foreign }).toEqual({ violations: [], foreign: [] });
    });
  },
  { inOrder: true },
);
