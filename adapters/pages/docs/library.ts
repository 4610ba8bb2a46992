import { setImmediate } from 'node:timers/promises';
import type { GraphQLSchema } from 'graphql';
import type { ApiEntry } from './api/model.js';
import { API, entriesOf, GROUPS, type Group, SITE_ENTRIES } from './contents.js';
import { type Guide, renderGuide } from './render.js';
import { forPrograms, type PageSource, sourcesFor } from './sources.js';
import { typeSources } from './types.js';

/** A page of the documentation as HTML, as Markdown, and in sections for the search. */
export interface DocsPage extends Guide, Omit<PageSource, 'title'> {
  /** The name in side bars and on cards: the page's title, unless that does not fit there. */
  readonly label: string;
}

/**
 * All pages in reading order, those of the schema's types last. Takes 0.2 s in all, and lets other work run after each
 * page. Examples call `baseUrl`.
 */
export async function readDocs(baseUrl: string, schema: GraphQLSchema): Promise<DocsPage[]> {
  const pages: DocsPage[] = [];
  for (const { title, ...source } of [...sourcesFor(baseUrl), ...typeSources(schema)]) {
    const guide = renderGuide(source.markdown);
    pages.push({ ...source, ...guide, label: title ?? guide.title, markdown: forPrograms(source.markdown) });
    await setImmediate();
  }
  return pages;
}

/** `/llms.txt`: the list of pages for programs, in the format of llmstxt.org. */
export function llmsText(pages: readonly DocsPage[], entries: readonly ApiEntry[], baseUrl: string): string {
  const groups = [...new Set(pages.map(({ group }) => group))];
  const rows = (group: Group) =>
    pages
      .filter((page) => page.group === group)
      .map(({ name, title, summary }) => `- [${title}](${baseUrl}/docs/${name}.md): ${summary}`);
  return [
    '# Perch',
    '',
    '> Read-only, credit-metered access to public data of a social network: GraphQL, REST and MCP at the same prices.',
    '',
    `GraphQL is at ${baseUrl}/graphql, REST at ${baseUrl}/v1 and MCP at ${baseUrl}/mcp. The key goes into the header \`x-api-key\`.`,
    `[OpenAPI 3.1](${baseUrl}/openapi.yaml) describes REST, with the price of each operation as \`x-price\`.`,
    ...groups.flatMap((group) => ['', `## ${group.title}`, '', ...rows(group)]),
    '',
    '## REST operations',
    '',
    ...entries.map(({ id, method, path, summary }) => `- [${method} ${path}](${baseUrl}/docs/api/${id}): ${summary}`),
    '',
  ].join('\n');
}

/** What the search compares, and what it shows of a result. */
export interface SearchRow {
  /** The address, which is unique. */
  readonly id: string;
  readonly title: string;
  /** The page that a section belongs to, and its part of the documentation, unless that is the customers' part. */
  readonly of: string;
  /** Other words that find it. */
  readonly words: string;
  /** The names that its tables explain. */
  readonly defines: string;
  readonly text: string;
  readonly weight: number;
}

/** Ranks a whole page above those of its sections that match equally well. */
const WHOLE = 1.15;
/** Ranks operations lower: readers look for them by name, and the guides explain what they have in common. */
const OPERATION = 0.6;

/** `/docs/search.json`: each section, and each operation of the API reference, for the search in the browser. */
export function searchRows(pages: readonly DocsPage[], entries: readonly ApiEntry[]): SearchRow[] {
  const operations = new Set(entries.map(({ method, path }) => `${method} ${path}`));
  const [api] = GROUPS.flatMap(entriesOf).filter(({ name }) => name === API);
  const others = [
    ...(api === undefined ? [] : [{ ...api, name: '/docs/api', title: api.title ?? '' }]),
    ...SITE_ENTRIES,
  ];
  return [
    ...pages.flatMap(({ name, label, title, group, weight = group.weight, summary, finds, sections }) =>
      sections
        // The reference has a page for each operation.
        .filter(({ heading }) => !operations.has(heading))
        .map(({ anchor, heading, defines, text }) => ({
          id: anchor === '' ? `/docs/${name}` : `/docs/${name}#${anchor}`,
          title: anchor === '' ? label : heading,
          of: [...(anchor === '' ? [] : [label]), ...(group === GROUPS[0] ? [] : [group.title])].join(', '),
          words: [...(anchor === '' && label !== title ? [title] : []), finds?.[anchor] ?? ''].join(' '),
          defines,
          text: anchor === '' ? `${summary} ${text}` : text,
          weight: weight * (anchor === '' ? WHOLE : 1),
        })),
    ),
    ...others.map(({ name, title, summary, finds }) => ({
      ...{ id: name, title, of: '', words: finds?.[''] ?? '', defines: '', text: summary, weight: WHOLE },
    })),
    ...entries.map(({ id, method, path, summary, description }) => ({
      ...{ id: `/docs/api/${id}`, title: summary, of: `${method} ${path}`, words: '', defines: '', text: description },
      weight: OPERATION,
    })),
  ];
}
