import { type Token, Tokenizer } from 'parse5';

/** A piece of HTML: a tag with its attributes, or text with its entities read. */
export type HtmlToken =
  | { readonly kind: 'open'; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly kind: 'close'; readonly name: string }
  | { readonly kind: 'text'; readonly text: string };

/**
 * Calls `take` with each piece, in order. Any text is read, as browsers split it into tags and text; comments and doctypes are left
 * out. The tokenizer alone, without a tree: its time grows with the length, however deep the nesting.
 */
export function readHtml(html: string, take: (token: HtmlToken) => void): void {
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
