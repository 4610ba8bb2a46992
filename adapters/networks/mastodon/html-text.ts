import { type Token, Tokenizer } from 'parse5';

export interface HtmlText {
  readonly text: string;
  /** Addresses of links that are neither a mention nor a hashtag, in order, each once. */
  readonly links: readonly string[];
}

/** Line breaks before and after. */
const BREAKS: Readonly<Record<string, number>> = { p: 2, ul: 2, ol: 2, pre: 2, blockquote: 2, div: 1, li: 1 };

/** Characters that a browser shows as one space. */
const SPACES = /[ \t\r\n\f]+/g;

/** Elements without an end tag. */
const VOID: ReadonlySet<string> = new Set(['br', 'hr', 'img', 'wbr', 'input', 'source', 'col', 'link', 'meta']);

/** Elements whose content is not for readers. */
const UNREAD: ReadonlySet<string> = new Set(['script', 'style', 'template', 'head']);

/** A post or bio as plain text: paragraphs separated by an empty line, links as they are written. */
export function textOfHtml(html: string): HtmlText {
  const writer = new Writer();
  readHtml(html, (token) => writer.write(token));
  return { text: writer.text, links: [...writer.links] };
}

class Writer {
  readonly links = new Set<string>();
  readonly #parts: string[] = [];
  /** Line breaks at the end of the text so far. */
  #written = 0;
  /** Line breaks due before the next text. */
  #due = 0;
  /** Whether a space is due before the next text, provided that it is on the same line. */
  #spaced = false;
  /** The element that is skipped, and how many of that name are open within it. */
  #skipped: { readonly name: string; depth: number } | undefined;
  #preformatted = 0;

  get text(): string {
    return this.#parts.join('').trimEnd();
  }

  write(token: HtmlToken): void {
    if (this.#skipped !== undefined) this.#skip(this.#skipped, token);
    else if (token.kind === 'text') this.#add(token.text);
    else if (token.kind === 'close') this.#close(token.name);
    else this.#open(token.name, token.attributes);
  }

  #skip(skipped: { readonly name: string; depth: number }, token: HtmlToken): void {
    if (token.kind === 'text' || token.name !== skipped.name) return;
    skipped.depth += token.kind === 'open' ? 1 : -1;
    if (skipped.depth === 0) this.#skipped = undefined;
  }

  #open(name: string, attributes: ReadonlyMap<string, string>): void {
    const classes = (attributes.get('class') ?? '').split(/\s+/);
    // A fallback for software that does not support quotes.
    const isUnread = UNREAD.has(name) || classes.includes('quote-inline');
    if (isUnread && !VOID.has(name)) {
      this.#skipped = { name, depth: 1 };
      return;
    }
    if (name === 'a') this.#link(attributes.get('href') ?? '', classes);
    if (name === 'pre') this.#preformatted += 1;
    if (name === 'br') this.#newline();
    else this.#break(BREAKS[name] ?? 0);
  }

  #close(name: string): void {
    if (name === 'pre') this.#preformatted = Math.max(0, this.#preformatted - 1);
    this.#break(BREAKS[name] ?? 0);
  }

  #link(href: string, classes: readonly string[]): void {
    const isTag = classes.includes('mention') || classes.includes('hashtag');
    if (!isTag && /^https?:\/\//i.test(href)) this.links.add(href);
  }

  #break(lines: number): void {
    this.#due = Math.max(this.#due, lines);
  }

  #newline(): void {
    this.#flush();
    this.#spaced = false;
    if (this.#parts.length === 0) return;
    this.#parts.push('\n');
    this.#written += 1;
  }

  #add(text: string): void {
    if (this.#preformatted > 0) {
      this.#flush();
      this.#parts.push(text);
      this.#written = text.endsWith('\n') ? 1 : 0;
      return;
    }
    const words = text.replace(SPACES, ' ');
    const bare = words.replace(/^ | $/g, '');
    this.#spaced ||= words.startsWith(' ');
    if (bare === '') return;
    this.#flush();
    if (this.#spaced && this.#written === 0 && this.#parts.length > 0) this.#parts.push(' ');
    this.#parts.push(bare);
    this.#written = 0;
    this.#spaced = words.endsWith(' ');
  }

  /** Writes the line breaks that are due and not yet written; none before the first text. */
  #flush(): void {
    if (this.#due > 0) {
      this.#spaced = false;
      const missing = this.#parts.length === 0 ? 0 : this.#due - this.#written;
      if (missing > 0) this.#parts.push('\n'.repeat(missing));
      this.#written = Math.max(this.#written, this.#due);
    }
    this.#due = 0;
  }
}

/** A piece of HTML: a tag with its attributes, or text with its entities decoded. */
type HtmlToken =
  | { readonly kind: 'open'; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly kind: 'close'; readonly name: string }
  | { readonly kind: 'text'; readonly text: string };

/**
 * Calls `take` with each piece, in order. Any text is accepted, and split into tags and text as browsers do; comments
 * and doctypes are left out. Because only the tokenizer is used and no tree is built, the time is linear in the length,
 * however deep the nesting.
 */
function readHtml(html: string, take: (token: HtmlToken) => void): void {
  const text = ({ chars }: Token.CharacterToken): void => take({ kind: 'text', text: chars });
  const tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: false },
    {
      onStartTag: ({ tagName, attrs }) =>
        take({ kind: 'open', name: tagName, attributes: new Map(attrs.map(({ name, value }) => [name, value])) }),
      onEndTag: ({ tagName }) => take({ kind: 'close', name: tagName }),
      onCharacter: text,
      onNullCharacter: text,
      onWhitespaceCharacter: text,
      onComment: () => undefined,
      onDoctype: () => undefined,
      onEof: () => undefined,
    },
  );
  tokenizer.write(html, true);
}
