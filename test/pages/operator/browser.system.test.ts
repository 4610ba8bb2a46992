/** The operator's pages in a browser: valid, within their policy, on a phone and a desktop, for everyone. */
import { randomUUID } from 'node:crypto';
import { HtmlValidate } from 'html-validate/node';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCosts } from '../../../adapters/postgres/figures/costs.js';
import { createTraffic } from '../../../adapters/postgres/figures/traffic.js';
import { describeInChromium, launchChromium, visit } from '../../kit/browser/chromium.js';
import { flawsOf, LOOKS } from '../../kit/browser/looks.js';
import { type Customer, type DashboardService, startDashboard } from '../dashboard/service.js';

const PATHS = [
  '/operator',
  '/operator/accounts',
  '/operator/accounts?q=nobody',
  'account',
  'confirm',
  '/operator/money',
  '/operator/traffic',
  '/operator/traffic?hours=168',
  '/operator/reads',
  '/operator/actions',
];

/** Set by `npm run pictures`: a folder for pictures, or `docs` for the one picture in the documentation. */
const PICTURES = process.env.OPERATOR_PICTURES;

async function takePictures(page: Page, path: string, folder: string): Promise<void> {
  const isDocs = folder === 'docs';
  if (isDocs && path !== '/operator') return;
  const name = path === '/operator' ? 'overview' : path.replace('/operator/', '').replaceAll(/\W+/g, '-');
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [size, width, height] of [['narrow', 360, 780] as const, ['wide', 1440, 900] as const]) {
      if (isDocs && size === 'narrow') continue;
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height });
      const file = `${isDocs ? 'docs/dashboard' : folder}/operator-${name}-${size}-${colorScheme}.png`;
      await page.screenshot({ path: file, fullPage: !isDocs });
    }
  }
}

const validator = new HtmlValidate({
  extends: ['html-validate:recommended', 'html-validate:a11y'],
  rules: {
    'doctype-style': 'off',
    'void-style': 'off',
    'attribute-boolean-style': 'off',
    'long-title': 'off',
    'form-dup-name': ['error', { shared: ['radio', 'button', 'reset', 'submit', 'checkbox'] }],
  },
});

describeInChromium('the operator in a browser', () => {
  let service: DashboardService;
  let olga: Customer;
  let ada: Customer;
  let browser: Browser;

  beforeAll(async () => {
    service = await startDashboard({ env: { PERCH_OPERATORS: 'olga@perch.example' } });
    browser = await launchChromium();
    olga = await service.customer('olga@perch.example');
    ada = await service.customer('ada-lovelace-of-a-rather-long-address@harbour-observatory.example');
    for (const [nth, name] of ['Tidewatch', 'Estuary News', 'Gannet Analytics', 'Harbour Research'].entries()) {
      const { accountId } = nth === 3 ? ada : await service.customer(`owner-${nth}@harbour.example`);
      await service.sql`update accounts set name = ${name} where account_id = ${accountId}`;
    }
    await ada.grant(1_234_567.5);
    const { keyId } = await ada.key('Reader');
    for (const tweets of [20, 30]) await ada.read(keyId, tweets);
    const { headers } = await ada.post('/dashboard/credits/buy', { pack: 'starter' });
    const session = headers.get('location')?.split('/').at(-1) ?? '';
    service.stripe.pay(session);
    await ada.get(`/dashboard/credits?session_id=${session}`);
    await olga.post(`/operator/accounts/${ada.accountId}/freeze`);
    await olga.post(`/operator/accounts/${ada.accountId}/thaw`);
    const days = Array.from({ length: 20 }, (_, ago) => new Date(service.clock.now() - ago * 86_400_000));
    await createCosts(service.sql).add(
      randomUUID(),
      days.flatMap((day, ago) =>
        ['user-tweets', 'user', 'search-people-with-a-long-name'].map((operation, nth) => ({
          ...{ day: day.toISOString().slice(0, 10), network: 'x', operation, answers: 20 + ago, items: 400 + nth },
          ...{ cacheHits: 100 * nth, charged: 200_000 * (ago + 1), calls: 12, tweets: 40, users: 0, cost: 900_000 },
        })),
      ),
    );
    const hours = Array.from({ length: 100 }, (_, ago) => new Date(service.clock.now() - ago * 3_600_000));
    await createTraffic(service.sql).add(
      randomUUID(),
      hours.flatMap((at, ago) =>
        (['rest', 'graphql', 'mcp', 'site', 'test'] as const).map((name, nth) => ({
          ...{
            hour: `${at.toISOString().slice(0, 13)}:00:00Z`,
            interface: name,
            status: nth === 3 ? 404 : 200,
            code: '',
          },
          ...{
            operation: 'search-people-with-a-long-name',
            bucket: (ago * 7 + nth) % 20,
            requests: 100 + ((ago * 37) % 90),
          },
          ...{ items: 400, cacheHits: 150 },
        })),
      ),
      [{ day: hours[0]?.toISOString().slice(0, 10) ?? '', accountId: ada.accountId, limit: 'processor', refusals: 40 }],
    );
  });
  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  it.each(PATHS)('%s is valid, asks no other host, keeps its policy, fits a phone, and passes axe', async (path) => {
    const account = `/operator/accounts/${ada.accountId}`;
    // The limit of an address refills only as the clock moves.
    service.clock.advance(2_000);
    const tab = await visit(browser, service.url);
    await tab.page.context().addCookies([olga.cookie]);
    await tab.page.goto(service.url + (path.startsWith('/') ? path : account));
    if (path === 'confirm') {
      await tab.page.getByLabel('Credits', { exact: true }).fill('250');
      await tab.page.getByLabel('Reason').fill('beta tester');
      await tab.page.getByRole('button', { name: 'Grant…' }).click();
      await tab.page.getByRole('button', { name: 'Grant now' }).waitFor();
    }
    // A script shows it. Until then the browser writes it as `hidden=""`.
    await tab.page.locator('.theme:not([hidden])').waitFor({ state: 'attached' });
    const html = await tab.page.content();
    if (PICTURES !== undefined) await takePictures(tab.page, path, PICTURES);
    const flaws = await flawsOf(tab.page, LOOKS);
    const { results } = await validator.validateString(html);
    const faults = results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => `${ruleId}: ${message}`));
    const { foreign, violations, errors } = tab;
    await tab.close();
    expect({ flaws, foreign, violations, errors, faults }).toEqual({
      ...{ flaws: [], foreign: [], violations: [], errors: [], faults: [] },
    });
  });
});
