import GithubSlugger from 'github-slugger';
import { Marked, type Token, type Tokens } from 'marked';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import type { VNode } from 'preact';
import { render } from 'preact-render-to-string';
import { Code } from '../kit/parts.js';
import { filesOf, GROUPS } from './contents.js';
import { DocLink, DocsTable, Heading, IllustrationBlock } from './markup.js';
import { COMPOSE_PATH, findPicture } from './sources.js';

/** The part of a page below one of its headings, for the search. */
export interface PageSection {
  /** Empty for the part before the first subheading. */
  readonly anchor: string;
  readonly heading: string;
  /** The level of the heading, from 1. */
  readonly level: number;
  /** The names that its tables explain, such as settings; they are code in the first column. */
  readonly defines: string;
  readonly text: string;
}

export interface Guide {
  readonly title: string;
  /** The whole page, including `<h1>`. */
  readonly html: string;
  readonly sections: readonly PageSection[];
}

const NAMES = new Set(GROUPS.flatMap(filesOf).map(({ name }) => name));

/**
 * The address on the site for a link of a page in `docs/`. Undefined if the site does not have the file; the link then
 * becomes plain text.
 */
export function resolveHref(target: string): string | undefined {
  if (/^(?:https?:|mailto:|#|\/docs\/types(?:\/\w+)?$)/.test(target)) return target;
  if (target === '../compose.yaml') return COMPOSE_PATH;
  const [, guide, folder, anchor = ''] =
    /^(?:([\w-]+)\.md|\.\.\/([\w-]+\/[\w-]+)\/README\.md)(#.*)?$/.exec(target) ?? [];
  const name = guide ?? folder ?? '';
  return NAMES.has(name) ? `/docs/${name}${anchor}` : undefined;
}

/** Renders a Markdown file of `docs/` as HTML. Raw HTML is left out, except pictures. */
export function renderGuide(markdown: string): Guide {
  const slugger = new GithubSlugger();
  let tables = 0;
  const marked = new Marked({
    renderer: {
      heading({ depth, tokens }) {
        const id = slugger.slug(plain(tokens));
        const isLinked = tokens.some(({ type }) => type === 'link');
        return html(Heading({ level: depth, id, html: this.parser.parseInline(tokens), isLinked }));
      },
      code: ({ text, lang = '' }) => html(Code({ text, language: lang, isCopied: true })),
      html: ({ text }) => illustrationsIn(text).map(illustration).join(''),
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens);
        const there = resolveHref(href);
        return there === undefined ? inner : render(DocLink({ href: there, html: inner }));
      },
      table({ header, rows }) {
        tables += 1;
        const cell = ({ tokens, align }: Tokens.TableCell) => ({
          html: withBreaks(this.parser.parseInline(tokens)),
          align,
        });
        const names = header.map(({ tokens }) => plain(tokens));
        return html(
          DocsTable({
            label: `Table ${tables}: ${names.filter((name) => name !== '').join(', ')}`,
            names,
            head: header.map(cell),
            rows: rows.map((row) => row.map(cell)),
          }),
        );
      },
    },
  });
  const tokens = withoutContents(marked.lexer(markdown));
  const title = tokens.find((token): token is Tokens.Heading => token.type === 'heading');
  return {
    title: plain(title?.tokens ?? []),
    html: marked.parser(tokens),
    sections: splitSections(tokens),
  };
}

/** Drops a page's own list of its sections, because the site shows one beside each page. */
function withoutContents(tokens: Token[]): Token[] {
  const leadsToSection = ({ tokens: [text] }: Tokens.ListItem): boolean => {
    const [first] = (text as Tokens.Text | undefined)?.tokens ?? [];
    return first?.type === 'link' && (first as Tokens.Link).href.startsWith('#');
  };
  const end = tokens.findIndex((token) => token.type === 'heading' && (token as Tokens.Heading).depth > 1);
  return tokens.filter(
    (token, at) => at > end || token.type !== 'list' || !(token as Tokens.List).items.every(leadsToSection),
  );
}

/** Lets long names in a cell break at their punctuation, so that a table of them is not wider than its page. */
const withBreaks = (cell: string): string =>
  cell.replaceAll(/<[^<>]*>|[^\s<]{16,}/g, (part) =>
    part.startsWith('<') ? part : part.replaceAll(/[_/.,:=?@-](?=[\w{])/g, '$&<wbr>'),
  );

const html = (node: VNode): string => `${render(node)}\n`;

function illustration({ name, alt, variants }: ReturnType<typeof illustrationsIn>[number]): string {
  const picture = findPicture(name);
  if (picture === undefined) return '';
  const others = variants.map((each) => ({ media: each.media, path: findPicture(each.name)?.path ?? '' }));
  return html(IllustrationBlock({ picture, alt, variants: others }));
}

/** The text of tokens, without markup and raw HTML. */
function plain(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'html' || token.type === 'space') return '';
      if (token.type === 'table') {
        const { header, rows } = token as Tokens.Table;
        return [header, ...rows].map((row) => row.map(({ tokens: cells }) => plain(cells)).join(' ')).join('\n');
      }
      if (token.type === 'list') return (token as Tokens.List).items.map((item) => plain(item.tokens)).join('\n');
      const { tokens: inner, text = '' } = token as Tokens.Generic;
      return inner === undefined ? String(text) : plain(inner);
    })
    .join('');
}

const namesIn = ({ rows }: Tokens.Table): string[] =>
  rows.flatMap(([first]) => (first?.tokens.every(({ type }) => type === 'codespan') ? [plain(first.tokens)] : []));

function splitSections(tokens: readonly Token[]): PageSection[] {
  const slugger = new GithubSlugger();
  const sections = [{ anchor: '', heading: '', level: 1, names: [] as string[], parts: [] as string[] }];
  for (const token of tokens) {
    if (token.type !== 'heading') {
      sections.at(-1)?.parts.push(plain([token]));
      sections.at(-1)?.names.push(...(token.type === 'table' ? namesIn(token as Tokens.Table) : []));
      continue;
    }
    const { tokens: inner, depth } = token as Tokens.Heading;
    const heading = plain(inner);
    const anchor = slugger.slug(heading);
    if (depth > 1) sections.push({ anchor, heading, level: depth, names: [], parts: [] });
  }
  return sections.map(({ names, parts, ...section }) => ({
    ...section,
    defines: names.join(' '),
    text: parts.join(' ').replaceAll(/\s+/g, ' ').trim(),
  }));
}

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

const isElement = (node: Node): node is Element => 'tagName' in node;

const attribute = ({ attrs }: Element, name: string): string | undefined =>
  attrs.find((each) => each.name === name)?.value;

/** A picture with its variants for colour schemes, all of them files of these pages. */
interface Illustration {
  readonly name: string;
  readonly alt: string;
  readonly variants: readonly { readonly media: string; readonly name: string }[];
}

/** The pictures in a block of HTML in a Markdown file. Nothing else in the block reaches the site. */
function illustrationsIn(html: string): Illustration[] {
  const found: Illustration[] = [];
  const visit = (nodes: readonly Node[], variants: Illustration['variants']): void => {
    for (const element of nodes.filter(isElement)) {
      if (element.tagName === 'picture') visit(element.childNodes, pictureVariants(element));
      if (element.tagName !== 'img') continue;
      const name = attribute(element, 'src') ?? '';
      if (findPicture(name) !== undefined) found.push({ name, alt: attribute(element, 'alt') ?? '', variants });
    }
  };
  visit(parseFragment(html).childNodes, []);
  return found;
}

const pictureVariants = ({ childNodes }: Element): Illustration['variants'] =>
  childNodes
    .filter(isElement)
    .filter(({ tagName }) => tagName === 'source')
    .map((source) => ({ media: attribute(source, 'media') ?? '', name: attribute(source, 'srcset') ?? '' }))
    .filter(({ name }) => findPicture(name) !== undefined);
