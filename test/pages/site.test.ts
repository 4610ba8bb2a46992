import { describe, expect, it } from 'vitest';
import { changelogFeed, changelogPage } from '../../adapters/pages/docs/changelog.js';
import { siteAssets } from '../../adapters/pages/kit/assets.js';
import { NO_PUBLISHER, withAddress, withPublisher } from '../../adapters/pages/kit/layout.js';
import { notFoundPage } from '../../adapters/pages/kit/not-found.js';
import { landingPage } from '../../adapters/pages/site/landing.js';
import { landingFacts } from '../../adapters/pages/site/landing-facts.js';
import { legalPage } from '../../adapters/pages/site/legal.js';
import { calculate, monthOf, monthRows, pageRows, pricingFacts } from '../../adapters/pages/site/pricing-facts.js';
import { isErrorCode, problemPage, problemsPage } from '../../adapters/pages/site/problems.js';
import { statusPage } from '../../adapters/pages/site/status/status.js';
import { statusFeed } from '../../adapters/pages/site/status/status-history.js';
import { ERROR_CODES, type ErrorCode } from '../../src/domain/errors.js';
import { UNITS } from '../../src/domain/prices.js';
import { PACKS, type Pack, STARTING_QPS } from '../../src/domain/tiers.js';
import { HISTORY, LANDING, NO_HISTORY, PUBLISHER, pricingAt, STATUS, STATUS_ALONE, WHERE } from './site-fixture.js';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];
const LARGEST = PACKS[PACKS.length - 1] as Pack;

/** What a reader sees of a page, without markup. */
const textOf = (page: string): string => page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

describe('assets', () => {
  it('are in one folder named after their content, each with a type (L10)', () => {
    const folders = new Set<string>();
    for (const [path, { type, body }] of siteAssets()) {
      folders.add(path.slice(0, path.lastIndexOf('/')));
      expect(type).toMatch(/^(text\/(css|javascript)|image\/svg\+xml); charset=utf-8$/);
      expect(body.length).toBeGreaterThan(0);
    }
    expect([...folders]).toEqual([expect.stringMatching(/^\/assets\/[A-Za-z0-9]{12,16}$/)]);
  });

  it.each(['landing', 'status', 'problems'])('hold every file that the %s page names', (name) => {
    const pages: Record<string, string> = {
      landing: landingPage(LANDING),
      status: statusPage(STATUS, HISTORY, WHERE),
      problems: problemsPage(),
    };
    const named = [...(pages[name] ?? '').matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map((match) => match[1]);
    expect(named.length).toBeGreaterThan(2);
    for (const path of named) expect([...siteAssets().keys()]).toContain(path);
  });
});

describe('the landing page', () => {
  it('shows the three prices of every unit, taken from the price table', () => {
    const page = landingPage(LANDING);
    for (const { items } of Object.values(UNITS)) expect(page.toLowerCase()).toContain(`${items}</th>`);
    const row =
      '<td data-column="Uncached">0.02</td><td data-column="Cached">0.01</td><td data-column="Fresh">0.04</td>';
    expect(page).toContain(row);
  });

  it('gives a line for the shell and a query, with what they cost', () => {
    const page = landingPage(LANDING);
    expect(page).toContain('https://perch.example/v1/users/harbor_obs');
    expect(page).toContain('1 credit<');
    expect(page).toContain('tweets(first: 20)');
    expect(page).toContain('21 credits');
  });

  it('mentions the demo network only on a demo', () => {
    expect(landingPage(LANDING)).toContain('The demo network');
    expect(landingPage({ ...LANDING, demo: false })).not.toContain('The demo network');
  });

  it('contains a key only if its examples can be run', () => {
    expect(landingPage(LANDING)).toContain('data-run="/v1/users/harbor_obs"');
    const still = landingPage({ ...LANDING, live: null });
    for (const text of ['data-run', 'perch_live_', 'first-reads.js']) expect(still).not.toContain(text);
    expect(still).toContain('/v1/users/harbor_obs');
    expect(JSON.stringify(landingFacts(LANDING))).not.toContain('perch_live_');
  });

  it('names every interface', () => {
    const page = landingPage(LANDING);
    for (const text of ['href="/graphql"', 'href="/openapi.yaml"', 'https://perch.example/mcp']) {
      expect(page).toContain(text);
    }
  });

  it('escapes values that it is given', () => {
    expect(landingPage({ ...LANDING, network: '<script>alert(1)</script>' })).not.toContain('<script>alert');
  });

  it('gives a program the same facts', () => {
    const facts = landingFacts(LANDING);
    expect(facts).toMatchObject({
      name: 'Perch',
      version: '0.3.0',
      links: { graphql: 'https://perch.example/graphql' },
    });
    expect(facts.prices).toContainEqual({
      unit: 'follower_id',
      items: 'follower ids',
      miss: 0.02,
      hit: 0.01,
      bypass: 0.04,
    });
  });
});

describe('the table of monthly costs', () => {
  it('counts every item in full, and names the smallest pack that is enough for a month', () => {
    expect(monthRows().map(({ credits, buy }) => [credits, buy?.pack.name, buy?.count, buy?.months])).toEqual([
      // 840 items a day for 30 days; 55,000 / 25,200 = 2.18.
      [25_200, 'builder', 1, 2.1],
      [3000, 'starter', 1, 3.3],
      [14_400, 'builder', 1, 3.8],
      [2000, 'starter', 1, 5],
    ]);
    const text = textOf(landingPage(LANDING));
    expect(text).toContain('Use Credits a month Pack to buy Lasts');
    expect(text).toContain('25,200 Builder, $50 2.1 months');
    // Only whole packs can be bought.
    expect(text).not.toMatch(/\$\d+\.\d\d(?! )|22,050/);
  });

  it.each([
    [0, undefined],
    [1, ['starter', 1, 10_000]],
    [10_000, ['starter', 1, 1]],
    [10_001, ['builder', 1, 5.4]],
    [LARGEST.credits, [LARGEST.name, 1, 1]],
    [LARGEST.credits + 1, [LARGEST.name, 2, 1.9]],
  ])('names the pack for %i tweets a month', (tweet, expected) => {
    const { buy } = monthOf({ tweet });
    expect(buy?.pack && [buy.pack.name, buy.count, buy.months]).toEqual(expected);
  });
});

describe('the page of prices', () => {
  it('has every pack, every unit and a page of every list', () => {
    const text = textOf(pricingAt('/pricing'));
    for (const part of ['Starter $10 10,000 $1.00 20', 'Scale $600 800,000 $0.75 200', 'Follower ids 0.02 0.01 0.04']) {
      expect(text).toContain(part);
    }
    for (const { title } of pageRows()) expect(text).toContain(title);
    expect(text).toContain('List follower ids 0.02 4 credits for 200 4 credits for 200');
  });

  it('states the rate limit of an account that has paid nothing', () => {
    expect(textOf(pricingAt('/pricing'))).toContain(
      `before the first payment, it is ${STARTING_QPS} request per second.`,
    );
  });

  it('calculates a month from the filled-in fields, and keeps their values', () => {
    const page = pricingAt('/pricing?per=month&tweet=1%2C000&follower_id=50000');
    expect(page).toContain('value="1,000"');
    expect(page).toMatch(/<option value="month" selected>/);
    // 1,000 tweets and 50,000 ids at 0.02.
    expect(textOf(page)).toContain('Credits a month 2,000 Pack to buy Starter, $10 Lasts 5 months');
    expect(textOf(page)).toContain('after a month 8,000 credits');
  });

  it.each(['12.5', '-1', 'many', '1,00', '99999999999', '1 0'])(
    'says beside the field that %s is not a number',
    (text) => {
      const page = pricingAt(`/pricing?tweet=${encodeURIComponent(text)}&profile=5`);
      expect(page).toMatch(/<input id="tweet"[^>]* aria-invalid="true" aria-describedby="tweet-error"/);
      expect(page).toContain(`value="${text}"`);
      expect(textOf(page)).toContain('is not a whole number of items from 0 to 1,000,000,000.');
      expect(textOf(page)).not.toContain('Pack to buy Starter, $10 Lasts');
    },
  );

  it('names several of the largest pack if one is not enough, and no pack for nothing', () => {
    const text = textOf(pricingAt(`/pricing?per=month&tweet=${2.5 * LARGEST.credits}`));
    expect(text.toLowerCase()).toContain(`3 × ${LARGEST.name}, $${(3 * LARGEST.usd).toLocaleString('en')}`);
    expect(textOf(pricingAt('/pricing?tweet=0'))).toContain('Nothing to pay');
  });

  it('names unknown parameters, ten of them at most', () => {
    expect(textOf(pricingAt('/pricing?tweets=480'))).toContain('Unknown parameter tweets was ignored.');
    expect(pricingFacts(calculate({ tweets: '480' })).warnings).toEqual(['Unknown parameter tweets was ignored.']);
    expect(pricingFacts(calculate({ per: 'day', tweet: '1' }))).not.toHaveProperty('warnings');
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`x${n}`, '1']));
    expect(calculate(many).warnings).toHaveLength(11);
  });

  it('gives a program the same figures', () => {
    const { month, packs } = pricingFacts(calculate({ per: 'day', tweet: '480' }));
    expect(month).toEqual({ credits: 14_400, buy: { pack: 'builder', count: 1, months: 3.8 } });
    expect(packs[0]).toEqual({
      ...{ name: 'starter', usd: 10, credits: 10_000, usd_per_1000: 1, requests_per_second: 20 },
    });
  });
});

describe('contact and policies of the operator', () => {
  it('are linked from the page on terms, which says what is missing', () => {
    const given = legalPage({ ...PUBLISHER, privacy: null, contact: null });
    expect(given).toContain('href="https://perch.example/terms"');
    expect(given).toContain('has not published a privacy policy');
    expect(given).toContain('has not published a contact');
    expect(given).toContain('Permission is hereby granted, free of charge');
  });

  it('are in the footer of a page, which has nothing if none are set', () => {
    const page = problemsPage();
    expect(withPublisher(page, NO_PUBLISHER)).toBe(page);
    const whole = withPublisher(page, PUBLISHER);
    const footer = whole.slice(whole.lastIndexOf('<footer'));
    for (const href of ['mailto:help@perch.example', PUBLISHER.terms, PUBLISHER.privacy, PUBLISHER.refunds]) {
      expect(footer).toContain(`href="${href}"`);
    }
  });

  it.each([
    ['https://help.example/perch', 'href="https://help.example/perch"'],
    ['the desk <on the ground floor>', '<bdi>the desk &lt;on the ground floor></bdi>'],
  ])('show a contact such as %s', (contact, expected) => {
    expect(withPublisher(problemsPage(), { ...NO_PUBLISHER, contact })).toContain(expected);
  });

  it('leave each page with an address for search engines and previews', () => {
    const page = withAddress(landingPage(LANDING), { url: 'https://perch.example/', picture: '/x.png' });
    const head = page.slice(0, page.indexOf('</head>'));
    for (const tag of [
      '<link rel="canonical" href="https://perch.example/"',
      '<meta property="og:url" content="https://perch.example/"',
      '<meta property="og:image" content="/x.png"',
      '<meta property="og:title" content="Perch: public social data, paid by the item"',
    ]) {
      expect(head).toContain(tag);
    }
  });
});

describe('the status page', () => {
  it('promises no availability that the terms do not', () => {
    expect(statusPage(STATUS, HISTORY, WHERE)).toContain(`beyond what <a href="${WHERE.terms}">the terms</a> say`);
    expect(textOf(statusPage(STATUS, HISTORY, { ...WHERE, terms: null }))).toContain('No availability is promised.');
    expect(textOf(legalPage({ ...PUBLISHER, terms: null }))).toContain('Availability None is promised');
  });

  it('shows state, wait, hit rate and last incident of each family', () => {
    const page = statusPage(STATUS, HISTORY, WHERE);
    for (const text of ['Some reads are slow or fail', '1,840 ms', '73.1%', 'no reads yet', 'none since the start']) {
      expect(page).toContain(text);
    }
    expect(page).toContain('href="/problems/upstream_error"');
  });

  it('shows what no session can read, and for how long', () => {
    const until = '2026-11-21T11:42:13.000Z';
    const closed = [{ kind: 'search:Top', why: 'refused' as const, until }];
    const both = [
      { name: 'token 1', state: 'limited' as const, closed },
      {
        name: 'token 2',
        state: 'limited' as const,
        closed: [...closed, { kind: 'followers', why: 'refused' as const, until }],
      },
    ];
    const text = textOf(statusPage({ ...STATUS, sessions: both }, HISTORY, WHERE));
    expect(text).toContain('Closed by the network Limited');
    expect(text).toContain('search Top until 2026-11-21 11:42:13 UTC');
    expect(text).not.toContain('followers until');
    expect(textOf(statusPage(STATUS, HISTORY, WHERE))).not.toContain('Closed by the network');
  });

  it('hides what only the operator can act on', () => {
    for (const page of [statusPage(STATUS, HISTORY, WHERE), statusPage(STATUS_ALONE, null, WHERE)]) {
      expect(textOf(page)).not.toMatch(/token \d|session|BLUESKY_|Redis|process|Refused|Fast reads|Slow reads/);
    }
  });

  it('keeps reads working while the shared cache is away', () => {
    const page = statusPage(STATUS_ALONE, null, WHERE);
    expect(page).toContain('Reads work, some more slowly');
    expect(page).toContain('unreachable since');
  });

  it('shows downtime for 90 days, and "no data" for a day without a process', () => {
    const page = statusPage(STATUS, HISTORY, WHERE);
    const classes = [...page.matchAll(/<rect class="(\w+)"/g)].map(([, level]) => level);
    expect(classes).toHaveLength(180);
    const counts = (level: string) => classes.filter((each) => each === level).length;
    // Each family has 88 days. One was degraded; on another, a hundredth of the minutes were down.
    expect(['none', 'ok', 'degraded', 'down'].map(counts)).toEqual([4, 174, 1, 1]);
    const text = page.replaceAll(/<[^>]+>/g, '');
    // 15 of 126,720 minutes: rounded down.
    expect(text).toContain('99.98% available since 2026-08-26 · 250 ms to read the network · 75% from the cache');
    expect(text).toContain('2026-11-19: 15 minutes down in 1,440 minutes');
    expect(text).toContain('2026-11-20: 5 degraded in 1,440 minutes');
    expect(text).toMatch(
      /Degraded Profiles, tweets and timelines, for 5 minutes from 2026-11-20 09:00:00 UTC\. 8 of 40 reads of the network failed\. Failed reads were free./,
    );
    expect(text).toMatch(/Down Search and all other lists, for 15 minutes .*\. Nothing could be read\./);
  });

  it('says that the history can’t be read, or that there has been no incident', () => {
    expect(statusPage(STATUS, null, WHERE)).toContain('can’t be read right now');
    const calm = { ...HISTORY, incidents: [] };
    expect(statusPage(STATUS, calm, WHERE)).toContain('None since 2026-08-26, the first day with data.');
    expect(statusPage(STATUS, { ...calm, fromDay: '2026-08-26' }, WHERE)).toContain('None in the last 90 days');
    expect(statusPage(STATUS, NO_HISTORY, WHERE)).not.toContain('None in the last 90 days');
  });

  it('claims no availability for days without data', () => {
    const [first] = HISTORY.days.filter(({ family, day }) => family === 'fast' && day === '2026-11-21');
    const oneDay = textOf(statusPage(STATUS, { ...NO_HISTORY, days: first ? [first] : [] }, WHERE));
    expect(oneDay).toContain('Profiles, tweets and timelines 100% available since 2026-11-21 ·');
    expect(oneDay).toContain('Search and all other lists no data yet');
    expect(oneDay).not.toMatch(/100% available in the last/);
    const days = HISTORY.days.filter(({ day }) => day < '2026-09-01' || day > '2026-09-10');
    expect(textOf(statusPage(STATUS, { ...HISTORY, days }, WHERE))).toContain(
      'available since 2026-08-26, in 78 of 88 days with data',
    );
  });

  it('has a feed with an entry for each incident, whose id stays while it lasts', () => {
    const page = statusPage(STATUS, HISTORY, WHERE);
    expect(page).toMatch(/<link rel="alternate" type="application\/atom\+xml" href="\/status\.atom"/);
    expect(page).toContain('<a href="/status.atom">The Atom feed</a>');
    for (const line of ['/feed subscribe', 'r2e add perch']) {
      expect(page).toContain(`<code>${line} ${WHERE.baseUrl}/status.atom`);
    }
    const feed = statusFeed(HISTORY, 'https://perch.example');
    expect(feed).toMatch(
      /^<\?xml version="1\.0" encoding="utf-8"\?>\n<feed xmlns="http:\/\/www\.w3\.org\/2005\/Atom">/,
    );
    expect([...feed.matchAll(/<entry><id>([^<]*)<\/id><title>([^<]*)<\/title>/g)].map(([, ...found]) => found)).toEqual(
      [
        ['https://perch.example/status#fast-2026-11-20T09:00:00.000Z', 'Degraded: Profiles, tweets and timelines'],
        ['https://perch.example/status#slow-2026-11-19T22:10:00.000Z', 'Down: Search and all other lists'],
      ],
    );
    expect(feed).toContain('<updated>2026-11-20T09:05:00.000Z</updated>');
    expect(feed).toContain('8 of 40 reads of the network failed.');
    expect(statusFeed(NO_HISTORY, 'https://perch.example')).toContain('<updated>2026-08-24T00:00:00.000Z</updated>');
  });

  it('says so when the database does not answer', () => {
    expect(statusPage({ ...STATUS, status: 'down', database: { ok: false } }, null, WHERE)).toContain(
      'No key can be checked',
    );
  });
});

describe('the changelog', () => {
  it('is a page with links into the documentation', () => {
    const page = changelogPage();
    expect(page).toContain('<h1 id="changelog">Changelog</h1>');
    expect(page).toContain('href="/docs/limits"');
    expect(textOf(page)).toContain('0.3.0, 2026-11-21 Added');
    expect(page).not.toMatch(/href="(?:docs\/)?[\w-]+\.md/);
  });

  it('has a feed with an entry for each release, and none for unreleased changes', () => {
    const feed = changelogFeed('https://perch.example');
    const titles = [...feed.matchAll(/<entry><id>[^<]*<\/id><title>([^<]*)<\/title>/g)].map(([, title]) => title);
    expect(titles.at(-1)).toBe('Perch 0.3.0');
    expect(titles).not.toContain('Perch Unreleased');
    expect(feed).toContain('<id>https://perch.example/changelog#0.3.0</id>');
    expect(feed).toContain('<published>2026-11-21T00:00:00Z</published>');
    expect(feed).not.toContain('href=&quot;/');
  });
});

describe('the pages of the error codes (H2)', () => {
  it.each(CODES)('%s: title, status, meaning, what to do, and that it is free', (code) => {
    const page = problemPage(code);
    expect(page).toContain(`<h1>${ERROR_CODES[code].title}</h1>`);
    expect(page).toContain(`<dd>${ERROR_CODES[code].status}</dd>`);
    expect(page).toContain('What to do');
    expect(page.includes('Nothing, ever')).toBe(code !== 'upstream_error');
    expect(page.includes('Not sent')).toBe(!('retryAfter' in ERROR_CODES[code]));
  });

  it('name the exception where a call may have been charged', () => {
    const exception = 'with <a href="/docs/errors#an-unknown-charge">one exception</a>';
    expect(problemPage('upstream_error')).toContain(`<dd>Nothing, ${exception}</dd>`);
    expect(problemsPage()).toContain(`none is charged, ${exception}`);
  });

  it('are all linked from the index', () => {
    const index = problemsPage();
    for (const code of CODES) expect(index).toContain(`href="/problems/${code}"`);
  });

  it.each(['', 'nonsense', 'toString', '__proto__', 'MISSING_KEY'])('has no page for the code %j', (text) => {
    expect(isErrorCode(text)).toBe(false);
  });
});

it('links to the home page from the page of an unknown address', () => {
  expect(notFoundPage()).toContain('href="/"');
});
