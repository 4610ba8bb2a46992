import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { GROUPS } from '../../adapters/docs/contents.js';
import { llmsText, readDocs, searchRows } from '../../adapters/docs/library.js';
import { hrefOf, renderGuide } from '../../adapters/docs/render.js';
import { README, ROOT } from '../readme/markdown.js';
import { DOCS_PAGES } from './site-fixture.js';

const BASE = 'https://perch.example';
const pages = await readDocs(BASE);
const page = (name: string) => pages.find((each) => each.name === name);

describe('the documentation on the site', () => {
  it('has every file of docs/, in the order of the README', () => {
    const shown = GROUPS.flatMap((group) => group.pages);
    const files = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'));
    expect([...shown].sort()).toEqual(files.map((name) => name.replace('.md', '')).sort());
    const list = README.slice(README.lastIndexOf('- **Using it:**'));
    expect([...list.matchAll(/\]\(docs\/([\w-]+)\.md\)/g)].map(([, name]) => name)).toEqual(shown);
  });

  it('leads only to pages and headings that are on the site', () => {
    const broken = Object.entries(DOCS_PAGES).flatMap(([path, html]) => {
      const targets = [...html.matchAll(/href="((?:\/docs[^"]*)?#[^"]*|\/docs[^"]*)"/g)].map(([, href = '']) => href);
      return targets
        .filter((target) => target !== '#content' && !/\.(?:md|txt)$/.test(target))
        .filter((target) => {
          const [there = '', anchor] = target.split('#');
          const found = DOCS_PAGES[there === '' ? path : there];
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
    const text = llmsText(pages, BASE);
    for (const { name, title } of pages) expect(text).toContain(`- [${title}](${BASE}/docs/${name}.md): `);
  });

  it('has an index for its search that stays small enough to fetch', () => {
    const index = JSON.stringify(searchRows(pages));
    expect(index.length).toBeLessThan(1_000_000);
    expect(gzipSync(index).length).toBeLessThan(250_000);
    const ids = searchRows(pages).map((row) => (row as { id: string }).id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('Markdown', () => {
  it.each([
    '<script>alert(1)</script>',
    'text <b onclick="x()">bold</b>',
    '<!-- a note -->',
    '<picture><img src="https://elsewhere.example/a.png" alt=""></picture>',
  ])('of raw HTML such as %s, nothing reaches the page', (raw) => {
    expect(renderGuide(`# Title\n\n${raw}\n`).html).not.toMatch(/<(?:script|b|img|!--)|elsewhere/);
  });

  it.each([
    ['pricing.md', '/docs/pricing'],
    ['errors.md#rate_limited', '/docs/errors#rate_limited'],
    ['#here', '#here'],
    ['https://elsewhere.example/', 'https://elsewhere.example/'],
    ['../bench/README.md', undefined],
    ['javascript:alert(1)', undefined],
  ])('the link %s leads to %s', (target, href) => {
    expect(hrefOf(target)).toBe(href);
  });
});
