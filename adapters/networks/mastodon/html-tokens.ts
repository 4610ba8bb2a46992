import { type Token, Tokenizer } from 'parse5';

/** A piece of HTML: a tag with its attributes, or text with its entities decoded. */
export type HtmlToken =
  | { readonly kind: 'open'; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly kind: 'close'; readonly name: string }
  | { readonly kind: 'text'; readonly text: string };

/**
 * Calls `take` with each piece, in order. Any text is accepted and split into tags and text as browsers do; comments
 * and doctypes are left out. It uses only the tokenizer, without a tree: its time is linear in the length, however deep
 * the nesting.
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
