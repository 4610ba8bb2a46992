import { expect, test } from 'vitest';
import { anAccount, anInstance, aStatus } from './fixtures.js';
import { context, type Script, scripted } from './scripted.js';

const LOOKUP = '/api/v1/accounts/lookup';
const SEARCH = '/api/v2/search';
const INSTANCE = '/api/v2/instance';

async function check(answers: Script['answers'], tokens: string[] = []) {
  const { network, requests } = await scripted({
    tokens,
    answers: { [INSTANCE]: { body: anInstance() }, [LOOKUP]: { body: anAccount() }, ...answers },
  });
  const report = await network.selfCheck?.(context());
  const said = (report?.findings ?? []).map(({ ok, what }) => `${ok ? 'yes' : 'no'}: ${what}`);
  return { ok: report?.ok, said, requests };
}

test('says without a token what is public and what needs one', async () => {
  const { ok, said, requests } = await check({});
  expect(ok).toBe(true);
  expect(said).toEqual([
    expect.stringMatching(/^yes: server\.example runs Mastodon 4\.5\.2/),
    expect.stringContaining('https://server.example/terms'),
    expect.stringMatching(/^yes: anonymous: profiles, tweets/),
    expect.stringMatching(/^no: anonymous: no tweet search, no quotes.*MASTODON_TOKENS/),
  ]);
  expect(requests).toHaveLength(2);
});

test('tries each token', async () => {
  const { ok, said, requests } = await check({ [SEARCH]: { body: { statuses: [aStatus()] } } }, ['one', 'two']);
  expect(ok).toBe(true);
  expect(said.filter((line) => line.startsWith('no'))).toEqual([]);
  expect(said).toContain('yes: token 2: tweets can be searched.');
  expect(said).toContain('yes: token 1: quotes can be read.');
  expect(requests).toHaveLength(5);
});

test.each<[what: string, answers: Script['answers'], ok: boolean, said: RegExp]>([
  [
    'a token that does not work',
    { [LOOKUP]: { status: 401, body: { error: 'The access token is invalid' } } },
    false,
    /token 1: profiles cannot be read: .*MASTODON_TOKENS/,
  ],
  [
    'a scope that is missing',
    { [SEARCH]: { status: 403, body: { error: 'outside the authorized scopes' } } },
    true,
    /token 1: tweets cannot be searched: .*read:search/,
  ],
  ['no full-text search', { [SEARCH]: { body: { statuses: [] } } }, true, /no full-text search/],
  [
    'before quotes',
    { [INSTANCE]: { body: anInstance({ version: '4.4.1', api_versions: { mastodon: 6 } }) } },
    true,
    /no quotes: they require Mastodon 4\.5/,
  ],
  [
    'before batches',
    { [INSTANCE]: { body: anInstance({ version: '4.2.10', api_versions: undefined }) } },
    false,
    /4\.3 or later is required/,
  ],
  [
    'closed federation',
    { [INSTANCE]: { body: anInstance({ configuration: { limited_federation: true } }) } },
    true,
    /only with selected servers/,
  ],
  ['GoToSocial', { [INSTANCE]: { body: anInstance({ version: '0.19.1+git-abc' }) } }, false, /not Mastodon/],
  [
    'Akkoma',
    { [INSTANCE]: { body: anInstance({ version: '4.2.0 (compatible; Akkoma 3.13.2)' }) } },
    false,
    /not Mastodon/,
  ],
  [
    'ids that are no numbers',
    { [INSTANCE]: { body: anInstance({ contact: { account: { id: '01F8M', acct: 'a' } } }) } },
    false,
    /not Mastodon/,
  ],
  [
    'another server altogether',
    { [INSTANCE]: { body: '<html>Hello</html>' } },
    false,
    /does not respond like Mastodon/,
  ],
])('describes %s in a sentence', async (_what, answers, ok, pattern) => {
  const report = await check({ [SEARCH]: { body: { statuses: [aStatus()] } }, ...answers }, ['t']);
  expect(report.said.join('\n')).toMatch(pattern);
  expect(report.ok).toBe(ok);
});

test('reports an unreachable server without throwing', async () => {
  const { network } = await scripted({ answers: {} });
  await network.close?.();
  expect(await network.selfCheck?.(context())).toMatchObject({ ok: false, findings: [{ ok: false }] });
});

test.each([
  ['server.example', ['weaver@server.example', 'Weaver@SERVER.example', 'weaver'], ['weaver', 'Weaver', 'weaver']],
  ['server.example', ['weaver@social.server.example'], ['weaver@social.server.example']],
  ['baw\u00FC.example', ['weaver@xn--baw-joa.example'], ['weaver']],
])('knows from then on that handles on %s are its own, and no others', async (domain, handles, canonical) => {
  const { network } = await scripted({ answers: { [INSTANCE]: { body: anInstance({ domain }) } } });
  const all = () => handles.map((handle) => network.canonicalHandle?.(handle));
  // The domain of the API says nothing of handles.
  expect(all()).toEqual(handles);
  await network.selfCheck?.(context());
  expect(all()).toEqual(canonical);
});
