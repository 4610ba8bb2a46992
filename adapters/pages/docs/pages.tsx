import { document } from '../kit/layout.js';
import type { Group } from './contents.js';
import type { DocsPage } from './library.js';
import { TYPES, TYPES_GROUP } from './types.js';

const distinctGroups = (pages: readonly DocsPage[]): Group[] => [...new Set(pages.map(({ group }) => group))];

/** Without scripts there would be nothing to search with, and the list is beside it. */
const Search = () => (
  <search class="search">
    <form id="docs-search" class="scripted" action="/docs">
      <label for="docs-query">Search the documentation</label>
      <div class="ask">
        <input id="docs-query" name="q" type="search" maxLength={100} autoComplete="off" spellcheck={false} />
        <button type="submit" class="button">
          Search
        </button>
      </div>
      <p id="docs-found" class="found" role="status" />
      <ul id="docs-hits" class="hits" hidden />
    </form>
  </search>
);

/** The types are many: a page of something else leads to their index. */
const isListed = ({ group, name }: DocsPage, here: string): boolean =>
  group !== TYPES_GROUP || name === TYPES || here.startsWith(TYPES);

const Contents = ({ pages, here }: { pages: readonly DocsPage[]; here: string }) => (
  <nav class="contents" aria-label="Documentation">
    <ul>
      <li>
        <a href="/docs/api">API reference, to try</a>
      </li>
    </ul>
    {distinctGroups(pages).map((group) => (
      <div key={group.title}>
        <p class="group">{group.title}</p>
        <ul>
          {pages
            .filter((page) => page.group === group && isListed(page, here))
            .map(({ name, title }) => (
              <li key={name}>
                <a href={`/docs/${name}`} {...(name === here ? { 'aria-current': 'page' as const } : {})}>
                  {title}
                </a>
              </li>
            ))}
        </ul>
      </div>
    ))}
  </nav>
);

const LOOK = { here: '/docs', style: 'docs.css', script: 'docs-search.js' } as const;

/** `GET /docs`: every page with its first sentence. */
export const docsIndex = (pages: readonly DocsPage[]): string =>
  document(
    { title: 'Documentation · Perch', description: 'Guides and reference of Perch, with a search.', ...LOOK },
    <div class="wrap page docs-index">
      <h1>Documentation</h1>
      <p class="lead">
        How to read profiles, tweets, timelines and lists, what they cost, and how to run this service. Each page is
        Markdown, too: add <code>.md</code> to its address, or start at <a href="/llms.txt">llms.txt</a>. Every REST
        operation can be tried in the <a href="/docs/api">API reference</a>.
      </p>
      <Search />
      {distinctGroups(pages).map((group) => (
        <section key={group.title} class="docs-group">
          <h2>{group.title}</h2>
          <ul class="cards">
            {pages
              .filter((page) => page.group === group && isListed(page, ''))
              .map(({ name, title, summary }) => (
                <li key={name}>
                  <h3>
                    <a href={`/docs/${name}`}>{title}</a>
                  </h3>
                  <p>{summary}</p>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </div>,
  );

const Neighbour = ({ page, label }: { page: DocsPage | undefined; label: string }) =>
  page === undefined ? null : (
    <a href={`/docs/${page.name}`}>
      <span>{label}</span> {page.title}
    </a>
  );

/** `GET /docs/<name>`: one page, between all the others. */
export function docsPage(pages: readonly DocsPage[], page: DocsPage): string {
  const at = pages.indexOf(page);
  return document(
    { title: `${page.title} · Perch docs`, description: page.summary, ...LOOK },
    <div class="wrap docs">
      <div class="docs-side">
        <Search />
        <Contents pages={pages} here={page.name} />
      </div>
      <div class="docs-body">
        <article dangerouslySetInnerHTML={{ __html: page.html }} />
        <p class="as-markdown">
          <a href={`/docs/${page.name}.md`} type="text/markdown">
            This page as Markdown
          </a>
        </p>
        <nav class="neighbours" aria-label="Previous and next page">
          <Neighbour page={pages[at - 1]} label="Previous:" />
          <Neighbour page={pages[at + 1]} label="Next:" />
        </nav>
      </div>
    </div>,
  );
}
