/** `npm run pictures`: takes pictures of the pages. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { consentPage } from '../adapters/oauth/consent-page.js';
import { signInPage } from '../adapters/pages/sign-in/page.js';
import { launchChromium } from '../test/kit/browser/chromium.js';
import { CONSENT } from '../test/pages/dashboard/consent-fixture.js';
import { BUSY, EMPTY, FROZEN, HOSTILE, type Household } from '../test/pages/dashboard/fixture.js';
import { receiptOf, uuid } from '../test/pages/dashboard/fixture-usage.js';
import { type Served, serveHousehold } from '../test/pages/dashboard/stand-ins.js';
import { serveSite } from '../test/pages/site-fixture.js';

const HELP = `npm run pictures [-- --all FOLDER [NAME…]]

Takes the pictures that the documentation shows: the front page, and the overviews of customers and operators on a wide
screen, in both color schemes. --all takes every page with every set of data, in its whole length and also on a phone, and
writes the pictures to FOLDER; with names, only those whose names contain one of them. That takes minutes.`;

const PAGES: Readonly<Record<string, string>> = {
  overview: '/dashboard',
  usage: '/dashboard/usage?from=2026-08-24&to=2026-11-21&group=day,endpoint',
  keys: '/dashboard/keys',
  key: `/dashboard/keys/${uuid(101)}`,
  credits: '/dashboard/credits?paid=cs_test_1',
  purchase: `/dashboard/credits/${uuid(302)}/receipt`,
  receipts: `/dashboard/receipts?request_id=${receiptOf(4).requestId}`,
  alerts: '/dashboard/alerts',
  clients: '/dashboard/clients',
  security: '/dashboard/security',
  account: '/dashboard/account',
  'new-key': '/dashboard/keys',
  'sign-in': '/shown/sign-in',
  consent: '/shown/consent',
};

const HOUSEHOLDS: Readonly<Record<string, Household>> = { busy: BUSY, empty: EMPTY, frozen: FROZEN, hostile: HOSTILE };

const SCREENS = [
  { name: 'narrow', width: 360, height: 780 },
  { name: 'wide', width: 1440, height: 900 },
] as const;

/** The pages on the way to the dashboard, besides its own. */
async function serve(household: Household): Promise<Served> {
  return serveHousehold(household, {
    pages: {
      '/shown/sign-in': signInPage({ state: { kind: 'ask' }, next: null, byMail: true, passkeys: 'here' }),
      '/shown/consent': consentPage(CONSENT),
    },
  });
}

async function open(page: Page, served: Served, name: string, path: string): Promise<void> {
  await page.goto(`${served.url}${path}`, { waitUntil: 'networkidle' });
  if (name !== 'new-key') return;
  await page.getByLabel('Name').fill('Reader');
  await page.getByRole('button', { name: 'Create key' }).click();
}

interface Wanted {
  readonly folder: string;
  readonly fullPage: boolean;
  readonly screens: readonly (typeof SCREENS)[number][];
  readonly titleOf: (household: string, name: string) => string | null;
}

async function shoot({ folder, fullPage, screens, titleOf }: Wanted): Promise<void> {
  for (const [household, facts] of Object.entries(HOUSEHOLDS)) {
    const served = await serve(facts);
    for (const [name, path] of Object.entries(PAGES)) {
      const title = titleOf(household, name);
      if (title === null) continue;
      // A single browser would run out of resources for pictures.
      const browser = await launchChromium();
      for (const colorScheme of ['light', 'dark'] as const) {
        for (const { name: size, ...viewport } of screens) {
          const page = await browser.newPage({ colorScheme, viewport });
          await open(page, served, name, path);
          await page.screenshot({ path: join(folder, `${title}-${size}-${colorScheme}.png`), fullPage });
          await page.close();
        }
      }
      await browser.close();
    }
    await served.close();
  }
}

/** As large as any picture of the README, down to the first reads, so that it does not cut through one. */
async function shootFrontPage(path: string): Promise<void> {
  const server = createServer(serveSite);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const browser = await launchChromium();
  const page = await browser.newPage({ viewport: { width: 1040, height: 650 }, deviceScaleFactor: 18 / 13 });
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { waitUntil: 'networkidle' });
  await page.screenshot({ path });
  await browser.close();
  server.close();
}

const [mode, folder = '', ...names] = process.argv.slice(2);
const isAll = mode === '--all';
if (mode !== undefined && (!isAll || folder === '')) {
  console.log(HELP);
  process.exit(mode === '--help' ? 0 : 2);
}
await mkdir(isAll ? folder : 'docs/dashboard', { recursive: true });
await shootFrontPage(isAll ? join(folder, 'landing.png') : 'docs/landing.png');
await shoot({
  folder: isAll ? folder : 'docs/dashboard',
  fullPage: isAll,
  screens: SCREENS.filter(({ name }) => isAll || name === 'wide'),
  titleOf(household, name) {
    const title = isAll ? `${household}-${name}` : name;
    if (isAll) return names.length === 0 || names.some((part) => title.includes(part)) ? title : null;
    return household === 'busy' && name === 'overview' ? title : null;
  },
});

// The operator's pages need a database. Their own test has one, with everything that they show.
if (!isAll || names.length === 0 || names.some((name) => 'operator'.includes(name))) {
  const words = ['vitest', 'run', '--config', 'test/vitest.config.ts', '--project', 'system'];
  const env = { ...process.env, OPERATOR_PICTURES: isAll ? resolve(folder) : 'docs' };
  const { status } = spawnSync('npx', [...words, 'test/pages/operator/browser.system.test.ts'], {
    stdio: 'inherit',
    env,
  });
  process.exitCode = status ?? 1;
}
