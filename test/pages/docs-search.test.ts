/** What customers and operators type into the search of the documentation, and which section answers it. */
import MiniSearch from 'minisearch';
import { describe, expect, it } from 'vitest';
import { apiEntries } from '../../adapters/pages/docs/api/model.js';
import { entriesOf, GROUPS } from '../../adapters/pages/docs/contents.js';
import { readDocs, type SearchRow, searchRows } from '../../adapters/pages/docs/library.js';
import { describedAt, OPTIONS } from '../interfaces/openapi/subject.js';

const BASE = 'https://perch.example';
const pages = await readDocs(BASE, OPTIONS.schema);
const entries = apiEntries({ document: describedAt(BASE), operations: OPTIONS.operations, baseUrl: BASE });
const rows = searchRows(pages, entries);

// Runs as in a browser: the script that the site serves, over the rows that it serves.
const RANKING = new URL('../../adapters/pages/docs/files/docs-ranking.js', import.meta.url).href;
const { createSearch } = (await import(RANKING)) as {
  createSearch: (
    library: typeof MiniSearch,
    rows: readonly SearchRow[],
  ) => (query: string) => { readonly id: string }[];
};
const search = createSearch(MiniSearch, JSON.parse(JSON.stringify(rows)));
const idsFor = (query: string): string[] => search(query).map(({ id }) => id);

/** The page and the section that must come first, by what is typed. */
const CUSTOMERS: Readonly<Record<string, string>> = {
  quickstart: '/docs/quickstart',
  'getting started': '/docs/quickstart',
  authentication: '/docs/authentication',
  'api key': '/docs/authentication#get-a-key',
  'bearer token': '/docs/authentication#send-the-key',
  'how do I get an API key': '/docs/authentication#get-a-key',
  'rotate key': '/docs/authentication#keep-it-secret',
  oauth: '/docs/authentication#oauth-for-apps-that-cannot-hold-a-key',
  pagination: '/docs/cursors',
  'next page': '/docs/cursors',
  cursor: '/docs/cursors',
  'only new tweets': '/docs/cursors#only-what-is-new',
  polling: '/docs/cursors#only-what-is-new',
  streaming: '/docs/live',
  realtime: '/docs/live',
  monitor: '/docs/live',
  subscriptions: '/docs/live#in-graphql',
  pricing: '/docs/pricing',
  'how much does a tweet cost': '/docs/pricing',
  'rate limit': '/docs/pricing#rate-limits',
  'requests per second': '/docs/pricing#rate-limits',
  refund: '/docs/pricing#payments-and-refunds',
  estimate: '/docs/pricing#before-you-pay',
  budget: '/docs/pricing#budgets-and-caps',
  'what happens when I run out of credits': '/docs/errors#no_credits',
  'do credits expire': '/docs/pricing#packs',
  'what is free': '/docs/pricing#what-is-free',
  receipt: '/docs/pricing#when-you-are-charged',
  429: '/docs/errors#rate_limited',
  'too many requests': '/docs/errors#rate_limited',
  missing_key: '/docs/errors#missing_key',
  'error codes': '/docs/errors',
  python: '/docs/clients/python',
  typescript: '/docs/clients/typescript',
  sdk: '/docs/clients',
  retry: '/docs/clients#repeating-calls',
  postman: '/docs/clients#postman',
  mcp: '/docs/agents',
  claude: '/docs/agents#connect',
  sandbox: '/docs/testing',
  'test key': '/docs/testing',
  webhook: '/docs/accounts#alerts',
  graphql: '/docs/graphql',
  apollo: '/docs/graphql#client-caches',
  'persisted queries': '/docs/graphql#persisted-operations',
  openapi: '/docs/api',
  followers: '/docs/api/followers',
  search: '/docs/search',
  'search operators': '/docs/search#operators',
  'breaking changes': '/docs/interface#92-what-may-change',
  calculator: '/pricing',
  changelog: '/changelog',
  sla: '/status',
  'privacy policy': '/legal',
};

const OPERATORS: Readonly<Record<string, string>> = {
  tls: '/docs/going-to-production#tls',
  https: '/docs/going-to-production#tls',
  nginx: '/docs/going-to-production#tls',
  upgrade: '/docs/deploying#upgrading',
  failover: '/docs/deploying#fail-over',
  patroni: '/docs/deploying#three-machines-with-patroni',
  kubernetes: '/docs/deploying#kubernetes',
  'point-in-time recovery': '/docs/deploying#backups-and-point-in-time-recovery',
  backup: '/docs/going-to-production#backups',
  smtp: '/docs/going-to-production#mail',
  stripe: '/docs/going-to-production#payments',
  postgres: '/docs/going-to-production#postgres',
  redis: '/docs/deploying#many-processes-many-machines',
  prometheus: '/docs/going-to-production#metrics',
  docker: '/docs/going-to-production#with-docker-compose',
  PERCH_BASE_URL: '/docs/environment#server',
  bluesky: '/docs/live-networks',
  'import data': '/docs/importing',
  'grant credits': '/docs/command-line#wallet-credit',
  'admin pages': '/docs/operator',
  'report a vulnerability': '/docs/security#report-a-problem',
};

describe('the search of the documentation', () => {
  it.each(Object.entries({ ...CUSTOMERS, ...OPERATORS }))('answers "%s" with %s first', (query, answer) => {
    expect(idsFor(query)[0], idsFor(query).slice(0, 5).join(' ')).toBe(answer);
  });

  it('finds a word while it is typed', () => {
    expect(idsFor('pagin')[0]).toBe('/docs/cursors');
    expect(idsFor('webho')[0]).toBe('/docs/accounts#alerts');
    expect(idsFor('authenticat')[0]).toBe('/docs/authentication');
    expect(idsFor('PERCH_BASE')[0]).toBe('/docs/environment#server');
  });

  it.each([
    ['GET /v1/me', ['/docs/api/me']],
    ['/v1/me', ['/docs/api/me']],
    [' v1/users/{handle} ', ['/docs/api/user']],
    ['post /v1/tweets/batch', ['/docs/api/tweetsBatch']],
    ['/v1/users/batch', ['/docs/api/usersBatchGet', '/docs/api/usersBatch']],
  ])('answers the path %s with its operations first, each once', (query, operations) => {
    const ids = idsFor(query);
    expect(ids.slice(0, operations.length).toSorted()).toEqual(operations.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('finds a word that is misspelt', () => {
    expect(idsFor('pagintion')[0]).toBe('/docs/cursors');
    expect(idsFor('authentification')[0]).toBe('/docs/authentication');
  });

  it.each([
    ['e-mail', 'email'],
    ['web-hook', 'webhook'],
    ['web\u2010hook', 'webhook'],
    ['rate-limit', 'rate limit'],
    ['ｅｍａｉｌ', 'email'],
    ['ＡＰＩ　ｋｅｙ', 'api key'],
    ['Ｅ－ｍａｉｌ', 'email'],
    ['ＧＥＴ　／ｖ１／ｍｅ', 'GET /v1/me'],
  ])('finds for %s what it finds for %s', (query, other) => {
    expect(idsFor(query)).toEqual(idsFor(other));
  });

  it('ranks whole words before words that only begin with them', () => {
    const [first = ''] = idsFor('sla');
    expect(rows.find(({ id }) => id === first)?.words.split(' ')).toContain('sla');
  });

  it('lists pages for contributors after pages for everybody else', () => {
    expect(idsFor('decisions')[0]).toBe('/docs/decisions');
    const groupOf = (id: string) =>
      pages.find(({ name }) => id === `/docs/${name}` || id.startsWith(`/docs/${name}#`))?.group;
    for (const query of Object.keys({ ...CUSTOMERS, ...OPERATORS })) {
      expect([query, groupOf(idsFor(query)[0] ?? '')?.id]).not.toContain('contribute');
    }
  });

  it('says that nothing is found for a word that no page has', () => {
    expect(idsFor('xylophone')).toEqual([]);
  });

  it('has extra words only for existing pages and sections', () => {
    const ids = new Set(rows.map(({ id }) => id));
    const named = GROUPS.flatMap(entriesOf).flatMap(({ name, finds = {} }) =>
      Object.keys(finds).map((anchor) => (anchor === '' ? `/docs/${name}` : `/docs/${name}#${anchor}`)),
    );
    expect(named.filter((id) => !ids.has(id))).toEqual([]);
  });
});
