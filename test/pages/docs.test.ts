import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildSchema, isEnumType, isIntrospectionType, isObjectType, parse, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { TOOLS } from '../../adapters/mcp/tools.js';
import { apiEntries } from '../../adapters/pages/docs/api/model.js';
import { apiIndex, apiPage } from '../../adapters/pages/docs/api/pages.js';
import { entriesOf, filesOf, GROUPS } from '../../adapters/pages/docs/contents.js';
import { llmsText, readDocs, searchRows } from '../../adapters/pages/docs/library.js';
import { renderGuide, resolveHref } from '../../adapters/pages/docs/render.js';
import { colouredParts, shellLines } from '../../adapters/pages/kit/files/code.js';
import type { JsonSchema } from '../../adapters/rest/openapi/types.js';
import { ROUTES } from '../../adapters/rest/routes.js';
import { README, ROOT } from '../docs/readme/markdown.js';
import { describedAt, OPTIONS } from '../interfaces/openapi/subject.js';
import { API_PAGES, DOCS_PAGES } from './site-fixture.js';

const BASE = 'https://perch.example';
const pages = await readDocs(BASE, OPTIONS.schema);
const entries = apiEntries({ document: describedAt(BASE), operations: OPTIONS.operations, baseUrl: BASE });
const page = (name: string) => pages.find((each) => each.name === name);

describe('the documentation on the site', () => {
  it('has every file of docs/, in the order of the README', () => {
    const shown = GROUPS.flatMap(filesOf).map(({ name }) => name);
    const files = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
    const guides = [...files.map((name) => name.replace('.md', '')), 'clients/typescript', 'clients/python'];
    expect([...shown].sort()).toEqual(guides.sort());
    const list = README.slice(README.lastIndexOf('- **Using Perch:**'));
    const listed = [...list.matchAll(/\]\((?:docs\/([\w-]+)\.md|(clients\/\w+)\/README\.md)\)/g)];
    expect(listed.map(([, page, client]) => page ?? client)).toEqual(shown);
  });

  it('has a list of pages for each kind of reader beside their pages, without those for others', () => {
    for (const { name, group } of pages.filter((each) => GROUPS.includes(each.group))) {
      const html = DOCS_PAGES[`/docs/${name}`] ?? '';
      const list = html.slice(
        html.indexOf('aria-label="Documentation"'),
        html.indexOf('</nav>', html.indexOf('aria-label="Documentation"')),
      );
      const shown = [...list.matchAll(/href="\/docs\/([\w/-]+)"/g)].map(([, each]) => each);
      expect([name, shown]).toEqual([name, entriesOf(group).map((entry) => entry.name)]);
      for (const other of GROUPS.filter((each) => each !== group)) expect(list).toContain(`href="/docs#${other.id}"`);
    }
  });

  it('has a card for each page with a sentence written for it', () => {
    const index = DOCS_PAGES['/docs'] ?? '';
    const summaries = GROUPS.flatMap(entriesOf).map(({ summary }) => summary);
    for (const summary of summaries) {
      expect(summary).toMatch(/^[A-Z].{25,125}\.$/);
      expect(index).toContain(`<p>${summary}</p>`);
    }
    expect(new Set(summaries).size).toBe(summaries.length);
  });

  it('has an outline of each page in place of its own list of sections', () => {
    const html = DOCS_PAGES['/docs/deploying'] ?? '';
    expect(html).toMatch(/id="docs-outline">.*href="#upgrading">Upgrading</s);
    expect(page('deploying')?.markdown).toContain('- [Upgrading](#upgrading)');
    expect(page('deploying')?.html).not.toContain('href="#upgrading">Upgrading</a></li>');
  });

  it('links only to pages and headings that are on the site', () => {
    const broken = Object.entries({ ...DOCS_PAGES, ...API_PAGES }).flatMap(([path, html]) => {
      const targets = [...html.matchAll(/href="((?:\/docs[^"]*)?#[^"]*|\/docs[^"]*)"/g)].map(([, href = '']) => href);
      return targets
        .filter((target) => target !== '#content' && !/\.(?:md|txt|yaml)$/.test(target))
        .filter((target) => {
          const [there = '', anchor] = target.split('#');
          const found = { ...DOCS_PAGES, ...API_PAGES }[there === '' ? path : there];
          return found === undefined || (anchor !== undefined && !found.includes(`id="${anchor}"`));
        });
    });
    expect(broken).toEqual([]);
  });

  it('shows the address of the service in examples for callers, and the default one to operators', () => {
    expect(page('pricing')?.html).toContain(`${BASE}/v1/users/harbor_obs`);
    expect(page('pricing')?.markdown).not.toContain('127.0.0.1');
    expect(page('environment')?.markdown).not.toContain(BASE);
  });

  it('shows pictures in both schemes with their size', () => {
    expect(page('accounts')?.html).toMatch(/<source media="\(prefers-color-scheme: dark\)" srcset="\/docs\/pictures\//);
    expect(page('accounts')?.html).toMatch(
      /<img src="\/docs\/pictures\/[^"]+" width="1440" height="\d+" alt="The dashb/,
    );
  });

  it('lists each page for programs, as Markdown', () => {
    const text = llmsText(pages, entries, BASE);
    for (const { name, title } of pages) expect(text).toContain(`- [${title}](${BASE}/docs/${name}.md): `);
  });

  it('has the operations and types of the API reference in its search, and lists them for programs', () => {
    const ids = searchRows(pages, entries).map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(['/docs/api/followers', '/docs/types/User', '/docs/types/User#tweets']));
    const text = llmsText(pages, entries, BASE);
    for (const { id } of entries) expect(text).toContain(`(${BASE}/docs/api/${id})`);
    expect(text).toContain(`- [User](${BASE}/docs/types/User.md): `);
  });

  it('has an index for its search that stays small enough to fetch', () => {
    const index = JSON.stringify(searchRows(pages, entries));
    expect(index.length).toBeLessThan(1_000_000);
    expect(gzipSync(index).length).toBeLessThan(250_000);
    const ids = searchRows(pages, entries).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('the types of the schema', () => {
  // The printed schema, parsed again, has only what clients see of it.
  const printed = buildSchema(readFileSync(join(ROOT, 'schema/schema.graphql'), 'utf8'));
  const types = Object.values(printed.getTypeMap()).filter((type) => !isIntrospectionType(type));

  it('have a page each, which the index lists, with a row or a section for each field, argument and value', () => {
    const index = page('types')?.html ?? '';
    for (const type of types) {
      const { markdown = '' } = page(`types/${type.name}`) ?? {};
      expect(index).toContain(`href="/docs/types/${type.name}"`);
      const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
      const values = isEnumType(type) ? type.getValues().map(({ name }) => name) : [];
      const isDocumented = (name: string, part: string): boolean =>
        part.includes(`| \`${name}\` |`) || part.startsWith(`${name}\n`);
      const parts = markdown.split(/^## /m);
      for (const name of [...fields.map((field) => field.name), ...values]) {
        expect([type.name, name, parts.some((part) => isDocumented(name, part))]).toContain(true);
      }
      for (const { name, args } of fields) {
        const own = parts.find((part) => part.startsWith(`${name}\n`)) ?? '';
        for (const arg of args) expect([type.name, name, arg.name, isDocumented(arg.name, own)]).toContain(true);
      }
    }
  });

  it('show the price of each paid field, as the directive has it, and no other price', () => {
    for (const type of types.filter(isObjectType)) {
      const { markdown = '' } = page(`types/${type.name}`) ?? {};
      const documented = markdown.split(/^## /m).flatMap((text) => {
        const name = text.slice(0, text.indexOf('\n'));
        const [, credits] = /Price: ([\d.]+) credits? per /.exec(text) ?? [];
        return credits === undefined ? [] : [[name, Number(credits)]];
      });
      const priced = Object.values(type.getFields()).flatMap(({ name, astNode }) => {
        const directive = astNode?.directives?.find((each) => each.name.value === 'price');
        const credits = directive?.arguments?.find((each) => each.name.value === 'credits')?.value;
        return credits && 'value' in credits ? [[name, Number(credits.value)]] : [];
      });
      expect([type.name, documented]).toEqual([type.name, priced]);
    }
  });

  it('show the default of each argument as it is written in a query', () => {
    expect(page('types/Query')?.markdown).toContain('| `product` | [Product](/docs/types/Product) | `Latest` |');
  });
});

describe('Markdown', () => {
  it('lets long names in a table break at their punctuation', () => {
    const { html } = renderGuide(
      '# Title\n\n`GET /v1/users/{handle}`\n\n| A |\n|---|\n| [`GET /v1/users/{handle}`](https://perch.example/v1/users) `LOG_LEVEL` a PERCH_PRIVACY_URL |\n',
    );
    expect(html).toContain('<code>GET /<wbr>v1/<wbr>users/<wbr>{handle}</code></a> <code>LOG_LEVEL</code>');
    expect(html).toContain('a PERCH_<wbr>PRIVACY_<wbr>URL');
    expect(html).toContain('"https://perch.example/v1/users"');
    expect(html).toContain('<p><code>GET /v1/users/{handle}</code></p>');
  });

  it.each([
    '<script>alert(1)</script>',
    'text <b onclick="x()">bold</b>',
    '<!-- a note -->',
    '<picture><img src="https://elsewhere.example/a.png" alt=""></picture>',
  ])('removes raw HTML such as %s', (raw) => {
    expect(renderGuide(`# Title\n\n${raw}\n`).html).not.toMatch(/<(?:script|b|img|!--)|elsewhere/);
  });

  it.each([
    ['pricing.md', '/docs/pricing'],
    ['errors.md#rate_limited', '/docs/errors#rate_limited'],
    ['#here', '#here'],
    ['../clients/typescript/README.md#errors', '/docs/clients/typescript#errors'],
    ['https://elsewhere.example/', 'https://elsewhere.example/'],
    ['../compose.yaml', '/docs/compose.yaml'],
    ['../bench/README.md', undefined],
    ['javascript:alert(1)', undefined],
  ])('turns the link %s into %s', (target, href) => {
    expect(resolveHref(target)).toBe(href);
  });
});

describe('code on the site', () => {
  const blocks = GROUPS.flatMap(filesOf).flatMap(({ name }) =>
    [
      ...readFileSync(join(ROOT, name.includes('/') ? `${name}/README.md` : `docs/${name}.md`), 'utf8').matchAll(
        /^( *)```(\w+)\n([\s\S]*?)\n\1```$/gm,
      ),
    ].map(([, , language = '', text = '']) => ({ name, language, text })),
  );
  const commands = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);
  /** Commands as one line, so that line breaks make no difference. */
  const flat = (text: string): string => text.replaceAll(/\s*\\\n\s*/g, ' ').replaceAll(/[ \t]+/g, ' ');

  it('keeps the words of each command, and puts its price on a line of its own', () => {
    expect(commands.length).toBeGreaterThan(20);
    for (const text of commands) {
      const lines = shellLines(text);
      const shown = lines.flatMap((line) => ('text' in line ? [line.text] : [])).join('\n');
      expect(flat(shown)).toBe(flat(text.replaceAll(/ # [\d.]+ credits?$/gm, '')));
      const prices = lines.flatMap((line) => ('aside' in line ? [line.aside] : []));
      expect(prices).toEqual([...text.matchAll(/ # ([\d.]+ credits?)$/gm)].map(([, price]) => price));
    }
  });

  it('breaks lines of more than 76 columns, unless they are one word', () => {
    const lines = commands.flatMap(shellLines).flatMap((line) => ('text' in line ? [line.text] : []));
    const words = (line: string) =>
      line
        .replaceAll(/'[^']*'|"(?:[^"\\]|\\.)*"/g, 'x')
        .trim()
        .split(/\s+/);
    const long = lines.filter((line) => line.length > 76 && words(line.replace(/ \\$/, '')).length > 2);
    expect(long).toEqual([]);
  });

  it('leaves a command with a quote over several lines as it is', () => {
    const text = `curl -d '{\n  "a": 1, ${'"b": 2, '.repeat(20)}\n}' http://127.0.0.1:4000`;
    expect(shellLines(text).map((line) => 'text' in line && line.text)).toEqual(text.split('\n'));
  });

  it('colours strings, comments and words of the language, and loses no character', () => {
    const samples = entries.flatMap((entry) => entry.samples);
    for (const { language, text } of [...blocks, ...samples]) {
      const parts = colouredParts(text, language);
      expect(parts.map((part) => part.text).join('')).toBe(text);
    }
    expect(colouredParts('const a = "#1"; // two', 'ts').filter(({ kind }) => kind)).toEqual([
      { text: 'const', kind: 'word' },
      { text: '"#1"', kind: 'string' },
      { text: '// two', kind: 'comment' },
    ]);
    for (const { label, language, text } of samples) {
      expect([label, colouredParts(text, language).some(({ kind }) => kind !== undefined)]).toEqual([label, true]);
    }
  });
});

describe('the API reference', () => {
  const sample = (entry: (typeof entries)[number], label: string) =>
    entry.samples.find((each) => each.label === label)?.text ?? '';

  it('has a page for every operation of /v1, with its price and an example of each status', () => {
    expect(entries.length).toBe(ROUTES.length);
    for (const entry of entries) {
      expect(API_PAGES['/docs/api']).toContain(`href="/docs/api/${entry.id}"`);
      for (const answer of [entry.success, ...entry.failures])
        expect([entry.id, answer.status, answer.examples.length > 0]).toContain(true);
    }
    expect(API_PAGES['/docs/api/followers']).toContain('0.1 credits per follower or following profile');
  });

  it('says the name, type and meaning of every parameter, member of a body and field of a response', () => {
    const document = describedAt(BASE);
    const { schemas, parameters } = document.components;
    const nameIn = (reference: string): string => reference.split('/').at(-1) ?? '';
    const isDocumented = (html: string, name: string, schema: JsonSchema): boolean => {
      const type = schema.$ref ? nameIn(schema.$ref) : schema.type === 'array' ? 'array of ' : String(schema.type);
      const terms = [...html.matchAll(/<dt><code>(\w[\w.-]*)<\/code>(.*?)<\/dt>/g)];
      return terms.some(([, term, rest = '']) => term === name && rest.includes(type));
    };
    const checkMembers = (html: string, given: JsonSchema, path: string, inside = ''): void => {
      const schema = given.$ref ? (schemas[nameIn(given.$ref)] ?? {}) : given;
      for (const part of [...(schema.allOf ?? []), ...(schema.anyOf ?? [])]) checkMembers(html, part, path, inside);
      for (const [name, member] of Object.entries(schema.properties ?? {})) {
        expect([path, name, isDocumented(html, `${inside}${name}`, member)]).toEqual([path, name, true]);
        // Members of an unnamed object are documented with their parent's name in front.
        checkMembers(html, member.items ?? member, `${path}.${name}`, member.properties ? `${name}.` : '');
      }
    };
    for (const { method, path } of ROUTES) {
      const operation = document.paths[path]?.[method.toLowerCase()];
      const html = API_PAGES[`/docs/api/${operation?.operationId}`] ?? '';
      for (const each of operation?.parameters ?? []) {
        const parameter = '$ref' in each ? parameters[nameIn(each.$ref)] : each;
        if (parameter === undefined) throw new Error(`${path} has an unknown parameter.`);
        const { name, schema } = parameter;
        expect([path, name, isDocumented(html, name, schema)]).toEqual([path, name, true]);
        for (const value of schema.enum ?? []) expect(html).toContain(`<code>${value}</code>`);
        if (schema.maximum !== undefined) expect(html).toContain(`${schema.minimum} to ${schema.maximum}`);
      }
      checkMembers(html, operation?.requestBody?.content['application/json']?.schema ?? {}, `${path} body`);
      const success = operation?.responses['200'];
      const content = success && 'content' in success ? success.content : undefined;
      expect([path, content?.['application/json']?.schema]).not.toContain(undefined);
      checkMembers(html, content?.['application/json']?.schema ?? {}, path);
    }
  });

  it('says what each value of a parameter means, where the schema does', () => {
    expect(API_PAGES['/docs/api/search']).toContain(
      '<code>Top</code> Tweets by relevance, where the network serves it.',
    );
  });

  it('has backticks only in code', () => {
    for (const [path, html] of Object.entries(API_PAGES)) {
      const words = html.replaceAll(/<pre[\s\S]*?<\/pre>|<[^>]*>/g, '');
      expect([path, words.includes('`')]).toEqual([path, false]);
    }
  });

  it('has GraphQL samples that are valid, and are given what they require', () => {
    for (const entry of entries) {
      const document = parse(sample(entry, 'GraphQL'));
      expect([entry.id, validate(OPTIONS.schema, document)]).toEqual([entry.id, []]);
      const [operation] = document.definitions.filter((each) => each.kind === 'OperationDefinition');
      const required = operation?.variableDefinitions?.filter(({ type }) => type.kind === 'NonNullType') ?? [];
      for (const { variable } of required) expect(sample(entry, 'GraphQL')).toContain(`"${variable.name.value}":`);
    }
  });

  it('names only methods of the Python client and tools of MCP in its samples', () => {
    const client = readFileSync(join(ROOT, 'clients/python/src/perch_client/_client.py'), 'utf8');
    for (const entry of entries) {
      const [, method] = /answer = perch\.(\w+)\(/.exec(sample(entry, 'Python')) ?? [];
      expect(client).toContain(`    def ${method}(`);
    }
    const names = entries.flatMap((entry) =>
      sample(entry, 'MCP') === '' ? [] : JSON.parse(sample(entry, 'MCP')).params.name,
    );
    expect(new Set(names)).toEqual(new Set(TOOLS.map(({ name }) => name)));
  });

  it('titles every operation with a verb in the imperative', () => {
    const verbs = new Set(entries.map(({ title }) => title.split(' ', 1)[0]));
    expect(verbs).toEqual(
      new Set(['Show', 'List', 'Read', 'Search', 'Open', 'Create', 'Pause', 'Resume', 'End', 'Send']),
    );
  });

  it('lists reads before the account, and has the search beside each page', () => {
    const [entry] = entries;
    if (entry === undefined) throw new Error('There are no operations.');
    for (const page of [apiIndex(entries, [], BASE), apiPage(entries, entry, null)]) {
      const groups = [...page.matchAll(/<p class="group">(\w+)</g)].map(([, group]) => group);
      expect(groups).toEqual(['Users', 'Tweets', 'Account', 'Watches']);
      expect(page).toContain('id="docs-search"');
    }
  });

  it('contains a key only on a demo', () => {
    const [entry] = entries;
    if (entry === undefined) throw new Error('There are no operations.');
    expect(apiPage(entries, entry, null)).not.toContain('perch_live_0');
    expect(apiPage(entries, entry, { key: 'perch_live_0' })).toContain('data-demo-key="perch_live_0"');
  });
});

describe('names in the samples of the reference', () => {
  const sources = { document: describedAt(BASE), operations: OPTIONS.operations, baseUrl: BASE };
  it.each([
    [
      'an account without a tweet that is known',
      { handle: 'bsky.app', tweetId: null },
      /^Test keys read/,
      /^Only test keys .* id/,
    ],
    ['an account and a tweet', { handle: 'own', tweetId: '77' }, /^Test keys read/, /^Test keys read/],
    [
      'no account that is certain to exist',
      { handle: 'harbor_obs', tweetId: null },
      /^Only test keys .* a handle/,
      /^Only test keys .* id/,
    ],
    ['no account at all', null, /^Nothing was imported/, /^Nothing was imported/],
  ])('is said for %s', (_what, sample, ofUser, ofTweet) => {
    const named = new Map(apiEntries({ ...sources, sample }).map((entry) => [entry.id, entry.named]));
    expect([named.get('user'), named.get('tweet')]).toEqual([
      expect.stringMatching(ofUser),
      expect.stringMatching(ofTweet),
    ]);
    expect(named.get('me')).toBeNull();
  });

  it('needs no word on the demo network', () => {
    expect(entries.filter(({ named }) => named !== null)).toEqual([]);
  });
});
