/** Four people walk through two services in both browsers. Every page is checked on a phone, a tablet and a desktop. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadCorpus } from '../../../adapters/networks/corpus/import/load.js';
import { Cli } from '../../cli/support/support.js';
import { flawsAtWidths, WIDTHS } from '../../kit/browser/looks.js';
import { BROWSERS, type People, type Tab } from '../../kit/browser/tab.js';
import { createClient } from '../../kit/client.js';
import { startMailServer } from '../../kit/mail-server.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';
import { until } from '../../kit/time/until.js';

const SLOW_MS = 120_000;
const CONTACT = 'help@perch.example';
/** Each person has another address in each browser. */
const addressIn = (browser: string, who: string): string => `${who}-${browser.toLowerCase()}@harbour.example`;
const OPERATORS = BROWSERS.map(({ name }) => addressIn(name, 'olga')).join(',');
const TEST_KEY = /perch_test_[0-9A-Za-z]{32}/;

/** What a person does, the path of the page that it leads to (null: it is not known before), and a text on that page. */
type Step = readonly [does: string, act: (tab: Tab) => Promise<unknown>, at: string | null, says: string];

const goes = (path: string) => (tab: Tab) => tab.goto(path);
const presses = (name: string) => (tab: Tab) => tab.click('button', name);
const follows = (name: string) => (tab: Tab) => tab.click('link', name);

/** Opens the menu of that name if the window is too narrow to show it beside the page. */
async function opens(menu: string, tab: Tab): Promise<void> {
  const button = menu === 'Main' ? 'Menu' : menu;
  const shown = `[...document.querySelectorAll('.menu-button')].filter((each) => each.checkVisibility()).map((each) => each.innerText.trim())`;
  if ((await tab.run<string[]>(shown)).includes(button)) await tab.click('button', button);
}

const turns = (menu: string, name: string) => async (tab: Tab) => {
  await opens(menu, tab);
  await tab.click('link', name, menu);
};

/** How many links were requested. Each is requested from another address, because one alone would exceed its rate limit. */
let requested = 0;

// Requests each link once per person: the session storage remembers those that were requested.
const DEAD_LINKS = `(async () => {
  const known = new Set(JSON.parse(sessionStorage.getItem('walked') ?? '[]'));
  const links = [...document.links].map((link) => new URL(link.href)).filter((url) => url.origin === location.origin);
  const fresh = [...new Set(links.map((url) => url.pathname + url.search))].filter((path) => !known.has(path));
  sessionStorage.setItem('walked', JSON.stringify([...known, ...fresh]));
  const statuses = await Promise.all(fresh.map(async (path, nth) => {
    const headers = { accept: 'text/html', 'x-forwarded-for': '10.1.' + ((FIRST + nth) >> 8) + '.' + ((FIRST + nth) & 255) };
    return [path, (await fetch(path, { headers })).status];
  }));
  const here = links.filter((url) => url.hash !== '' && url.pathname === location.pathname && url.search === location.search);
  return {
    asked: fresh.length,
    dead: [
      ...statuses.filter(([, status]) => status >= 400).map(([path, status]) => status + ' ' + path),
      ...here.map((url) => decodeURIComponent(url.hash.slice(1))).filter((id) => document.getElementById(id) === null).map((id) => 'no #' + id),
    ],
  };
})()`;

/** What is wrong with a page at any width, with its links, and what went wrong since the page before. */
async function flawsOf(tab: Tab, widths: readonly number[]): Promise<string[]> {
  const seen = await flawsAtWidths(tab, widths);
  const links = await tab.run<{ asked: number; dead: string[] }>(DEAD_LINKS.replaceAll('FIRST', String(requested)));
  requested += links.asked;
  return [...seen, ...links.dead, ...tab.troubles()];
}

/** Takes the steps, each at another width, and checks every page that they lead to at all widths. */
async function walk(tab: Tab, first: number, steps: readonly Step[]): Promise<void> {
  const flaws: string[] = [];
  for (const [nth, [does, act, at, says]] of steps.entries()) {
    const turn = (first + nth) % WIDTHS.length;
    const widths = [...WIDTHS.slice(turn), ...WIDTHS.slice(0, turn)];
    try {
      await tab.resize(widths[0] ?? 0);
      await act(tab);
      if (at !== null) await tab.isAt(at);
      await tab.sees(says);
    } catch (cause) {
      throw new Error(`${does}, at ${widths[0]}: ${cause}\n${(await tab.words('body')).slice(0, 1500)}`);
    }
    flaws.push(...(await flawsOf(tab, widths)).map((flaw) => `${does}: ${flaw}`));
  }
  expect(flaws).toEqual([]);
}

/** A page that has every kind of flaw. */
const PLANTED = `<h3>No first heading</h3>
<p data-style="width: 500px; white-space: nowrap">Wider than a phone is what this says to everybody who reads it until here, on and on</p>
<p data-style="width: 60px; overflow: hidden; white-space: nowrap">Hidden beyond its box</p>
<p data-style="width: 60px; overflow: auto; white-space: nowrap" tabindex="0">Scrolls, and does not show it</p>
<p><button data-style="width: 9px; height: 9px; padding: 0">a</button><button data-style="width: 9px; height: 9px; padding: 0">b</button></p>
<p><a href="/docs/nowhere">Leads nowhere</a> <a href="#nowhere">nor does this</a></p>`;
const FLAWS_OF_PLANTED = [
  /at 360: wider than the window/,
  /at 1440: cut off Hidden beyond/,
  /at 1440: scrolls to a side without a hint/,
  /page-has-heading-one/,
  /target-size/,
  /404 \/docs\/nowhere/,
  /no #nowhere/,
  /404 http:.*\/missing/,
  /planted/,
];

let mail: Awaited<ReturnType<typeof startMailServer>>;
/** A hosted service without payments, and one that is not yet fully set up. */
let hosted: TestPerch;
let unfinished: TestPerch;

beforeAll(async () => {
  mail = await startMailServer();
  const env = { SMTP_URL: mail.url, PERCH_TRUST_PROXY: '127.0.0.1', PERCH_OPERATORS: OPERATORS };
  const user = { id: '1', handle: 'harbor_obs', name: 'Harbour Observatory' };
  [hosted, unfinished] = await Promise.all([
    startPerch({
      env: { ...env, PERCH_CONTACT: CONTACT },
      async prepare({ sql }) {
        await loadCorpus(sql, [{ kind: 'user', user }]);
        await loadCorpus(sql, [{ kind: 'user', user }], { tables: 'invented' });
      },
    }),
    startPerch({ env }),
  ]);
}, SLOW_MS);

afterAll(async () => {
  await Promise.all([hosted?.close(), unfinished?.close()]);
  await mail?.close();
});

/** The newest link in the mails to an address. Waits until there is one that differs from `before`. */
async function mailed(to: string, link: RegExp, before?: string): Promise<string> {
  const newest = () => mail.received.filter((one) => one.to === to && link.test(one.source)).at(-1);
  const path = () => link.exec(newest()?.source ?? '')?.[0];
  await until(`a link is mailed to ${to}`, () => path() !== undefined && path() !== before);
  return path() ?? '';
}

const asksForLink = (email: string) => async (tab: Tab) => {
  await tab.fill('Email address', email);
  await tab.click('button', 'Email me a link');
  await tab.sees('Check your email');
};
const opensLink = (email: string) => async (tab: Tab) => {
  await tab.goto(await mailed(email, /\/sign-in\S*#[\w-]{43}/));
  await tab.sees('It works once');
};
const signsIn = (email: string) => async (tab: Tab) => {
  await asksForLink(email)(tab);
  await opensLink(email)(tab);
  await tab.click('button', 'Sign in');
};

for (const [nth, { name, describeIn, launch }] of BROWSERS.entries()) {
  describeIn(`in ${name}, at ${WIDTHS.join(', ')} px,`, () => {
    let people: People;
    beforeAll(async () => {
      people = await launch();
    }, SLOW_MS);
    afterAll(async () => {
      await people?.close();
    });
    const addressOf = (who: string): string => addressIn(name, who);

    it('finds each flaw that is planted in a page', { timeout: SLOW_MS }, async () => {
      const tab = await people.person(hosted.url);
      await tab.goto('/legal');
      await tab.run(`document.querySelector('main').innerHTML = ${JSON.stringify(PLANTED)}`);
      // The policy of the pages keeps styles out of the markup.
      await tab.run(
        `document.querySelectorAll('[data-style]').forEach((each) => { each.style.cssText = each.dataset.style; })`,
      );
      await tab.run(`fetch('/missing').then(() => console.error('planted'))`);
      await until('the request has failed', () =>
        tab.run(`performance.getEntriesByName(location.origin + '/missing').length > 0`),
      );
      const flaws = (await flawsOf(tab, [360, 1440])).join('\n');
      await tab.close();
      for (const flaw of FLAWS_OF_PLANTED) expect(flaws).toMatch(flaw);
    });

    it('shows a visitor what the service is, what it costs and whom to ask', { timeout: SLOW_MS }, async () => {
      const tab = await people.person(hosted.url);
      await walk(tab, nth, [
        ['opens the front page', goes('/'), '/', 'Public social data'],
        ['opens the documentation', turns('Main', 'Docs'), '/docs', 'Quickstart'],
        [
          'searches it',
          async (visitor) => {
            await visitor.fill('Search the documentation', 'pagination');
            await visitor.sees('sections');
          },
          null,
          'Pagination with cursors',
        ],
        ['reads the quickstart', goes('/docs/quickstart'), '/docs/quickstart', 'Quickstart'],
        ['opens the reference', turns('Footer', 'API reference'), '/docs/api', 'API reference'],
        [
          'opens an operation',
          (visitor) => visitor.click('link', 'GET /v1/users/{user}/tweets'),
          '/docs/api/userTweets',
          'count',
        ],
        ['opens the prices', turns('Main', 'Pricing'), '/pricing', 'Packs of credits'],
        [
          'calculates a month',
          async (visitor) => {
            await visitor.fill('Tweets', '3000');
            await visitor.click('button', 'Calculate');
            await visitor.sees('Growth, $200');
          },
          null,
          'Pack to buy',
        ],
        ['looks at the status', turns('Main', 'Status'), '/status', 'Status'],
        ['looks at what changed', turns('Footer', 'Changelog'), '/changelog', 'Keep a Changelog'],
        ['looks for whom to ask', turns('Footer', 'Licence and terms'), '/legal', CONTACT],
      ]);
      await tab.close();
    });

    it('leads a customer without credits from a mail to a successful call', { timeout: SLOW_MS }, async () => {
      const tab = await people.person(hosted.url);
      let key = '';
      await walk(tab, nth + 1, [
        ['asks for the dashboard', goes('/dashboard'), '/sign-in?next=%2Fdashboard', 'Email address'],
        ['asks for a link by mail', asksForLink(addressOf('carla')), null, 'Check your email'],
        ['opens the link', opensLink(addressOf('carla')), null, 'It works once'],
        ['signs in', presses('Sign in'), '/dashboard', 'The wallet is empty.'],
        [
          'creates a test key from the list of first steps',
          async (customer) => {
            await customer.click('button', 'Create a test key');
            await customer.sees('Copy the key now');
            [key = ''] = TEST_KEY.exec(await customer.words()) ?? [];
          },
          null,
          'First test key',
        ],
        ['has copied it', follows('I have copied it'), '/dashboard', 'No requests with a test key yet.'],
        [
          'sends a call, which arrives without a reload',
          async (customer) => {
            const { status } = await createClient(hosted.url, key).get('/v1/users/harbor_obs?fresh=true');
            expect(status).toBe(200);
            await until('the step is ticked', () =>
              customer.run(`document.querySelector('#live-step-2.done') !== null`),
            );
          },
          '/dashboard',
          '9,998 play credits',
        ],
        [
          'reads its log, which is written every few seconds',
          async (customer) => {
            await turns('Dashboard', 'Requests')(customer);
            await until('the call is in the log', async () => {
              await sleep(500);
              await customer.goto('/dashboard/usage/requests');
              return (await customer.words()).includes('harbor_obs');
            });
          },
          '/dashboard/usage/requests',
          'harbor_obs',
        ],
        ['connects an agent', turns('Dashboard', 'Connect an agent'), '/dashboard/connect', 'Claude Code'],
        [
          'asks for credits',
          turns('Dashboard', 'Credits'),
          '/dashboard/credits',
          `Ask the operator for credits: ${CONTACT}`,
        ],
        [
          'leaves',
          async (customer) => {
            await opens('Dashboard', customer);
            await customer.click('button', 'Sign out');
          },
          '/',
          'Public social data',
        ],
      ]);
      await tab.close();
    });

    it('shows a read-only member, who joins by mail, why nothing can be changed', { timeout: SLOW_MS }, async () => {
      const [owner, member, email] = [
        await people.person(hosted.url),
        await people.person(hosted.url),
        addressOf('grace'),
      ];
      const invitation = /\/dashboard\/invitations\/[\w-]{43}/;
      let link = '';
      const invites = async (who: Tab): Promise<void> => {
        await who.goto('/dashboard/members');
        await who.fill('Email address', email);
        await who.choose('Role', 'Read only');
        await who.click('button', 'Send invitation');
        await who.sees('Invitation sent.');
        link = await mailed(email, invitation, link);
      };
      await walk(owner, nth, [
        ['asks for the members', goes('/dashboard/members'), '/sign-in?next=%2Fdashboard%2Fmembers', 'Email address'],
        ['signs in', signsIn(addressOf('ada')), '/dashboard/members', 'Invite a member'],
        ['invites', invites, '/dashboard/members?done=member-invited', email],
        ['opens the link of somebody else', (who) => who.goto(link), null, 'for another email address than yours'],
      ]);
      await walk(member, nth + 2, [
        ['opens the invitation', (who) => who.goto(link), null, 'Email address'],
        ['signs in', signsIn(email), null, 'Your role would be read only.'],
        [
          'comes a week late',
          async (who) => {
            await hosted.database.sql`update invitations set expires_at = now() where email = ${email}`;
            await who.goto(link);
          },
          null,
          'This invitation has expired',
        ],
        [
          'joins with a new one',
          async (who) => {
            await invites(owner);
            await who.goto(link);
            await who.click('button', 'Join this account');
          },
          '/dashboard?done=joined',
          'You are now a member of this account.',
        ],
        ['opens the used link', (who) => who.goto(link), null, 'has already been accepted'],
        [
          'cannot create a key',
          turns('Dashboard', 'Keys'),
          '/dashboard/keys',
          'Your role on this account is read only. Only the owner and developers can create, change and revoke keys.',
        ],
        [
          'cannot set an alert',
          turns('Dashboard', 'Alerts'),
          '/dashboard/alerts',
          'Your role on this account is read only.',
        ],
        [
          'cannot invite',
          turns('Dashboard', 'Members'),
          '/dashboard/members',
          'Your role on this account is read only.',
        ],
        [
          'sees both accounts',
          async (who) => {
            await opens('Dashboard', who);
            await who.click('link', 'Switch account');
          },
          '/dashboard/accounts',
          'Shown now',
        ],
      ]);
      const isLocked = `[...document.querySelectorAll('form[action="/dashboard/keys"] fieldset.locked')].every((each) => each.disabled)`;
      await member.goto('/dashboard/keys');
      expect(await member.run(isLocked)).toBe(true);
      await member.run(`document.querySelectorAll('fieldset').forEach((each) => { each.disabled = false; })`);
      await member.fill('Name', 'mine');
      await member.click('button', 'Create key');
      await member.sees('Only the owner and developers can create, change and revoke keys.');
      // The browser reports the response some time later.
      const troubles: string[] = [];
      await until('the refusal is reported', () => troubles.push(...member.troubles()) > 0);
      expect(troubles).toEqual([`403 ${hosted.url}/dashboard/keys`]);
      await Promise.all([owner.close(), member.close()]);
    });

    it('shows an operator what is missing before the launch', { timeout: SLOW_MS }, async () => {
      const tab = await people.person(unfinished.url);
      await walk(tab, nth + 1, [
        ['opens the front page', goes('/'), '/', 'This service has no data yet'],
        [
          'looks at what customers are told',
          turns('Footer', 'Licence and terms'),
          '/legal',
          'has not published terms of use',
        ],
        ['looks at the prices', turns('Main', 'Pricing'), '/pricing', 'has not published a refund policy'],
        ['goes to the dashboard', turns('Main', 'Dashboard'), '/sign-in?next=%2Fdashboard', 'Email address'],
        ['signs in', signsIn(addressOf('olga')), '/dashboard', 'The wallet is empty.'],
        [
          'looks at what is sold',
          turns('Dashboard', 'Credits'),
          '/dashboard/credits',
          'does not say how to reach them',
        ],
        ['opens the operator pages', turns('Dashboard', 'Operator'), '/operator', 'Newest accounts'],
        ['looks at the accounts', turns('Operator', 'Accounts'), '/operator/accounts', addressOf('olga')],
        ['looks at the account', follows(addressOf('olga')), null, 'Freeze this account'],
        ['looks at the money', turns('Operator', 'Money'), '/operator/money', 'What customers paid'],
        ['looks at the traffic', turns('Operator', 'Traffic'), '/operator/traffic', 'Requests'],
        ['looks at the reads', turns('Operator', 'Reads'), '/operator/reads', 'What was read'],
        ['looks at the actions', turns('Operator', 'Actions'), '/operator/actions', 'Actions'],
        [
          'reads what doctor names',
          goes('/docs/going-to-production'),
          '/docs/going-to-production',
          'perch doctor --production',
        ],
      ]);
      await tab.close();
    });
  });
}

it('names in perch doctor the settings that the pages of that operator lack', async () => {
  const cli = await Cli.open();
  const { stdout } = await cli.start(['doctor', '--production'], {
    env: { PERCH_DEMO: 'off', PERCH_OPERATORS: OPERATORS },
  }).end;
  await cli.close();
  const lack =
    'lack contact, terms, privacy, refunds: set PERCH_CONTACT, PERCH_TERMS_URL, PERCH_PRIVACY_URL, PERCH_REFUNDS_URL';
  expect(stdout).toContain(lack);
  expect(stdout).toContain('docs/going-to-production');
});
