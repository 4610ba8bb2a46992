import { readFileSync } from 'node:fs';
import { buildSchema, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { graphiqlAssets } from '../../adapters/pages/graphiql/assets.js';
import { type ExampleSubjects, examples } from '../../adapters/pages/graphiql/examples.js';
import { graphiqlPage } from '../../adapters/pages/graphiql/page.js';
import { siteAssets } from '../../adapters/pages/kit/assets.js';
import { NAVIGATION } from '../../adapters/pages/kit/layout.js';

const schema = buildSchema(readFileSync(new URL('../../schema/schema.graphql', import.meta.url), 'utf8'));
const MODEL = { demoKey: null, baseUrl: 'https://perch.example' };

const dataOf = (page: string): { demoKey: string | null; problems: Record<string, unknown> } =>
  JSON.parse(/<script type="application\/json" id="perch-page">(.*?)<\/script>/.exec(page)?.[1] ?? '');

describe.each<[string, ExampleSubjects]>([
  ['with a known tweet', { handle: 'harbor_obs', tweetId: '70', otherHandles: ['night_ferry'], postsOften: 'bell' }],
  ['with a handle alone', { handle: 'harbor_obs', tweetId: null, otherHandles: [] }],
])('the examples %s', (_, subjects) => {
  it('begin with a profile and its timeline, and say their price', () => {
    const [first, ...others] = examples(subjects);
    expect(first?.query).toMatch(/^# At most 21 credits: /);
    expect(first?.query).toContain('tweets(first: 20)');
    for (const { query } of others) expect(query).toMatch(/^# (At most [\d.]+ credits|1 credit each|Free): /);
  });

  it.each(examples(subjects))('$title is valid in the schema', ({ query }) => {
    expect(validate(schema, parse(query)).map(({ message }) => message)).toEqual([]);
  });
});

describe('the page', () => {
  it('names only files that are served, and no other address', () => {
    const page = graphiqlPage(MODEL);
    const named = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map((match) => match[1] ?? '');
    const linked = ['/docs/graphql', '/docs/clients/typescript', ...NAVIGATION.map(({ href }) => href)];
    const known = [...linked, ...graphiqlAssets().keys(), ...siteAssets().keys(), '/'];
    expect(named.length).toBeGreaterThan(8);
    for (const path of named) expect(known).toContain(path);
  });

  it('holds the demo key only on a demo start', () => {
    expect(dataOf(graphiqlPage(MODEL)).demoKey).toBeNull();
    expect(graphiqlPage(MODEL)).not.toContain('Use the demo key');
    const demo = graphiqlPage({ ...MODEL, demoKey: 'perch_live_x' });
    expect(dataOf(demo).demoKey).toBe('perch_live_x');
    expect(demo).toContain('Use the demo key');
  });

  it('escapes data so that it cannot leave its script element', () => {
    const handle = '</script><script>alert(1)</script>';
    const page = graphiqlPage({ ...MODEL, subjects: { handle, tweetId: null, otherHandles: [] } });
    expect(page).not.toContain('<script>alert');
    expect(JSON.stringify(dataOf(page))).toContain('alert(1)');
  });

  it('gives no advice about REST paths or headers', () => {
    const { not_found, invalid_key, missing_key } = dataOf(graphiqlPage(MODEL)).problems;
    expect(JSON.stringify([not_found, invalid_key, missing_key])).not.toMatch(/\/v1|x-api-key/);
  });

  it('explains every error code in words', () => {
    expect(Object.keys(dataOf(graphiqlPage(MODEL)).problems)).toHaveLength(15);
  });
});
