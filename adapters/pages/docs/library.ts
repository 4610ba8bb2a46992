import { setImmediate } from 'node:timers/promises';
import type { GraphQLSchema } from 'graphql';
import type { ApiEntry } from './api/model.js';
import type { Group } from './contents.js';
import { type Guide, renderGuide } from './render.js';
import { forPrograms, sourcesFor } from './sources.js';
import { typeSources } from './types.js';

/** A page of the documentation: as HTML, as Markdown, and in sections for the search. */
export interface DocsPage extends Guide {
  readonly name: string;
  readonly group: Group;
  readonly markdown: string;
}

/**
 * All pages in reading order, those of the schema's types last. 0.2 s of work in all, with room for other work after each
 * page. Examples call `baseUrl`.
 */
export async function readDocs(baseUrl: string, schema: GraphQLSchema): Promise<DocsPage[]> {
  const pages: DocsPage[] = [];
  for (const { name, group, markdown } of [...sourcesFor(baseUrl), ...typeSources(schema)]) {
    pages.push({ name, group, markdown: forPrograms(markdown), ...renderGuide(markdown) });
    await setImmediate();
  }
  return pages;
}

/** `/llms.txt`: the pages for programs, in the form of llmstxt.org. */
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

/** `/docs/search.json`: each section, and each operation of the API reference, for the search in the browser. */
export const searchRows = (pages: readonly DocsPage[], entries: readonly ApiEntry[]): object[] => [
  ...pages.flatMap(({ name, title, sections }) =>
    sections.map(({ anchor, heading, text }) => ({
      id: anchor === '' ? `/docs/${name}` : `/docs/${name}#${anchor}`,
      page: title,
      heading,
      text,
    })),
  ),
  ...entries.map(({ id, method, path, summary, description }) => ({
    id: `/docs/api/${id}`,
    page: 'API reference',
    heading: `${method} ${path}`,
    text: `${summary} ${description}`,
  })),
];
