import { document, MenuButton, MenuClose } from '../kit/layout.js';
import { type Entry, entriesOf, GROUPS, type Group } from './contents.js';
import type { DocsPage } from './library.js';
import { TYPES_GROUP } from './types.js';

/** Hidden without scripts, which the search needs; the list of pages is beside it. */
export const Search = () => (
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

const Item = ({ name, label, here }: { name: string; label: string; here: string }) => (
  <li>
    <a href={`/docs/${name}`} {...(name === here ? { 'aria-current': 'page' as const } : {})}>
      {label}
    </a>
  </li>
);

interface ListProps {
  readonly pages: readonly DocsPage[];
  readonly page: DocsPage;
}

const labelOf = (pages: readonly DocsPage[], { name, title }: Entry): string =>
  title ?? pages.find((page) => page.name === name)?.label ?? name;

/** The pages for the same kind of reader, and links to the other groups. Types are listed only beside a type. */
const Contents = ({ pages, page }: ListProps) => {
  const [first] = GROUPS;
  const shown = page.group === TYPES_GROUP ? first : page.group;
  const types = page.group === TYPES_GROUP ? pages.filter(({ group }) => group === TYPES_GROUP) : [];
  const others = GROUPS.filter((group) => group !== shown);
  return (
    <nav class="contents" aria-label="Documentation">
      <a class="group-title" href="/docs">
        {shown?.title}
      </a>
      {shown?.parts.map(({ title, entries }) => (
        <div key={title}>
          <p class="group">{title}</p>
          <ul>
            {entries.map((entry) => (
              <Item key={entry.name} name={entry.name} label={labelOf(pages, entry)} here={page.name} />
            ))}
          </ul>
        </div>
      ))}
      {types.length === 0 ? null : (
        <div>
          <p class="group">{TYPES_GROUP.title}</p>
          <ul>
            {types.slice(1).map(({ name, label }) => (
              <Item key={name} name={name} label={label} here={page.name} />
            ))}
          </ul>
        </div>
      )}
      <ul class="elsewhere">
        {others.map(({ id, title }) => (
          <li key={id}>
            <a href={`/docs#${id}`}>{title}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
};

const LOOK = { here: '/docs', style: 'docs.css', script: 'docs-search.js' } as const;

const Cards = ({ pages, entries }: { pages: readonly DocsPage[]; entries: readonly Entry[] }) => (
  <ul class="cards">
    {entries.map((entry) => (
      <li key={entry.name}>
        <h4>
          <a href={`/docs/${entry.name}`}>{labelOf(pages, entry)}</a>
        </h4>
        <p>{entry.summary}</p>
      </li>
    ))}
  </ul>
);

const GroupSection = ({ pages, group }: { pages: readonly DocsPage[]; group: Group }) => (
  <section class="docs-group" aria-labelledby={group.id}>
    <h2 id={group.id}>{group.title}</h2>
    <p class="lead">{group.lead}</p>
    {group.parts.map(({ title, entries }) => (
      <div key={title}>
        <h3>{title}</h3>
        <Cards pages={pages} entries={entries} />
      </div>
    ))}
  </section>
);

/** `GET /docs`: every page with its purpose. */
export const docsIndex = (pages: readonly DocsPage[]): string =>
  document(
    { title: 'Documentation · Perch', description: 'Guides and reference of Perch, with a search.', ...LOOK },
    <div class="wrap page docs-index">
      <h1>Documentation</h1>
      <p class="lead">
        How to read profiles, tweets, timelines and lists over GraphQL, REST and MCP, and what that costs. You can also{' '}
        <a href="#run-your-own">run your own Perch</a> or <a href="#contribute">contribute to it</a>.
      </p>
      <Search />
      {GROUPS.map((group) => (
        <GroupSection key={group.id} pages={pages} group={group} />
      ))}
      <p class="as-markdown">
        Every page is also Markdown: add <code>.md</code> to its address, or start at <a href="/llms.txt">llms.txt</a>.
      </p>
    </div>,
  );

const Neighbour = ({ page, label }: { page: DocsPage | undefined; label: string }) =>
  page === undefined ? null : (
    <a href={`/docs/${page.name}`}>
      <span>{label}</span> {page.label}
    </a>
  );

/** The pages before and after this one in the same group. */
function neighbours(pages: readonly DocsPage[], page: DocsPage): (DocsPage | undefined)[] {
  const names =
    page.group === TYPES_GROUP ? pages.map(({ name }) => name) : entriesOf(page.group).map(({ name }) => name);
  const same = pages
    .filter(({ name, group }) => group === page.group && names.includes(name))
    .sort((one, other) => names.indexOf(one.name) - names.indexOf(other.name));
  const at = same.indexOf(page);
  return [same[at - 1], same[at + 1]];
}

const DEEPEST = 3;

/** The sections of the page; collapsed if there is no separate column for them. */
const Outline = ({ sections }: DocsPage) => {
  const shown = sections.filter(({ level }) => level > 1 && level <= DEEPEST);
  if (shown.length < 2) return null;
  return (
    <details class="outline" id="docs-outline">
      <summary>On this page</summary>
      <nav aria-label="On this page">
        <ul>
          {shown.map(({ anchor, heading, level }) => (
            <li key={anchor} class={`level-${level}`}>
              <a href={`#${anchor}`}>{heading}</a>
            </li>
          ))}
        </ul>
      </nav>
    </details>
  );
};

/** `GET /docs/<name>`: one page, with links to those before and after it. */
export function docsPage(pages: readonly DocsPage[], page: DocsPage): string {
  const [previous, next] = neighbours(pages, page);
  return document(
    { title: `${page.title} · Perch docs`, description: page.summary, ...LOOK },
    <div class="wrap docs">
      <div class="menu-row">
        <MenuButton target="docs-menu" text="Documentation" />
      </div>
      <div class="docs-side menu" id="docs-menu" popover="auto">
        <MenuClose target="docs-menu" />
        <Search />
        <Contents pages={pages} page={page} />
      </div>
      <Outline {...page} />
      <div class="docs-body">
        <article dangerouslySetInnerHTML={{ __html: page.html }} />
        <p class="as-markdown">
          <a href={`/docs/${page.name}.md`} type="text/markdown">
            This page as Markdown
          </a>
        </p>
        <nav class="neighbours" aria-label="Previous and next page">
          <Neighbour page={previous} label="Previous:" />
          <Neighbour page={next} label="Next:" />
        </nav>
      </div>
    </div>,
  );
}
