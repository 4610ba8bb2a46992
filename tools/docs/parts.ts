/** Generated parts of pages that are otherwise written by hand. */

/** Escapes text so that it stays in its table cell. */
const cell = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').trim();

export const tableText = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n');

const marksOf = (name: string): readonly [begin: string, end: string] => [
  `<!-- ${name}: written by \`npm run docs\` -->`,
  `<!-- end of ${name} -->`,
];

/** Replaces the text between the marks of a part. */
export function withPart(page: string, name: string, text: string): string {
  const [begin, end] = marksOf(name);
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`The page has no part ${name}.`);
  return `${page.slice(0, from)}${begin}\n\n${text.trim()}\n\n${page.slice(to)}`;
}
