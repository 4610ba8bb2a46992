import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Reads a page by its path from the root of the repository. */
export const readPage = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

export const README = readPage('README.md');

/** The page on one line, so that sentences are found wherever their lines are broken. */
export const onOneLine = (page: string): string => page.replaceAll(/\s+/g, ' ');

/** The paths of all pages for readers: README and its neighbours, and `docs/`. */
export const PAGES: readonly string[] = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'],
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

export interface Block {
  readonly language: string;
  readonly text: string;
  /** The prose between the heading or block above and this block. */
  readonly before: string;
  /** The line where it begins, counted from 1. It names the block in a failing test. */
  readonly line: number;
}

/** Every fenced block, in order. */
export function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  let end = 0;
  for (const match of markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)) {
    const [whole, language = '', text = ''] = match;
    const before = markdown.slice(end, match.index).replace(/^.*\n#+ [^\n]*\n/s, '');
    blocks.push({ language, text, before, line: markdown.slice(0, match.index).split('\n').length });
    end = match.index + whole.length;
  }
  return blocks;
}

/** The only block with these words. */
export function blockWith(markdown: string, words: string): string {
  const [block, ...more] = blocksOf(markdown).filter(({ text }) => text.includes(words));
  if (block === undefined || more.length > 0) throw new Error(`There is not one block with ${words}.`);
  return block.text;
}

/** The rows of the table whose first header is `head`, cell by cell, without the header. */
export function tableOf(markdown: string, head: string): string[][] {
  const lines = markdown.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${head} |`));
  if (start === -1) throw new Error(`There is no table that begins with ${head}.`);
  const length = lines.slice(start).findIndex((line) => !line.startsWith('|'));
  return lines.slice(start + 2, start + length).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** The rows of every table whose first header is `head`. */
export const tablesOf = (markdown: string, head: string): string[][] =>
  markdown
    .split(`\n| ${head} |`)
    .slice(1)
    .flatMap((rest) => tableOf(`| ${head} |${rest}`, head));

/** The anchors of a page's headings, as GitHub names them. */
export const placesOf = (page: string): string[] =>
  [...page.replaceAll(/^```.*?^```$/gms, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** All texts between backquotes. */
export const codeIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');

/** The commands of a shell block, with continued lines joined and trailing comments split off. */
export function commandsOf({ text }: Block): { command: string; comment: string }[] {
  const lines = text.replaceAll(/\\\n\s*/g, '').split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, command = '', comment = ''] = /^(.*?)(?: +# (.*))?$/.exec(line) ?? [];
      return { command, comment };
    });
}

/** The amount in a text such as `10.5 credits`; undefined if there is none. */
export function creditsIn(text: string): number | undefined {
  const amount = /([\d,.]*\d) credits?\b/.exec(text)?.[1];
  return amount === undefined ? undefined : Number(amount.replaceAll(',', ''));
}
