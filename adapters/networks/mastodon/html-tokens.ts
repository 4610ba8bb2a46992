/** A piece of HTML: a tag with its attributes, or text with its entities read. */
export type HtmlToken =
  | { readonly kind: 'open'; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly kind: 'close'; readonly name: string }
  | { readonly kind: 'text'; readonly text: string };

/** Servers write posts with these and numbers only: what they take in from others, they clean and write anew. */
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', '\u00a0'],
]);

const LAST_CODE_POINT = 0x10ffff;

/** In one pass from left to right; whatever is no tag is text. */
export function* tokensOf(html: string): Generator<HtmlToken> {
  let at = 0;
  while (at < html.length) {
    const tag = html[at] === '<' ? readMarkup(html, at) : undefined;
    if (tag !== undefined) {
      if (tag.token !== undefined) yield tag.token;
      at = tag.end;
      continue;
    }
    const next = html.indexOf('<', at + 1);
    const end = next === -1 ? html.length : next;
    yield { kind: 'text', text: decode(html.slice(at, end)) };
    at = end;
  }
}

/** Entities as characters; what is none stays as it is. */
const decode = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES.get(name) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    const isCharacter = code > 0 && code <= LAST_CODE_POINT && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : whole;
  });

interface Markup {
  readonly token?: HtmlToken;
  /** Where it ends. */
  readonly end: number;
}

const COMMENT = '<!--';
// The name is all of it: without the look ahead, what could also belong to the rest is tried in every way.
const CLOSE = /<\/([a-zA-Z][a-zA-Z0-9]*)(?![a-zA-Z0-9])[^<>]*>/y;
const OPEN = /<([a-zA-Z][a-zA-Z0-9]*)/y;
const ATTRIBUTE = /[\s/]*([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+)))?/y;
const OPEN_END = /[\s/]*>/y;

/** The tag or comment that begins here, if one does. */
function readMarkup(html: string, start: number): Markup | undefined {
  if (html.startsWith(COMMENT, start)) {
    const end = html.indexOf('-->', start + COMMENT.length);
    return { end: end === -1 ? html.length : end + 3 };
  }
  const close = matchAt(CLOSE, html, start);
  if (close) return { token: { kind: 'close', name: (close[1] ?? '').toLowerCase() }, end: CLOSE.lastIndex };
  const open = matchAt(OPEN, html, start);
  if (!open) return undefined;
  let end = OPEN.lastIndex;
  const attributes = new Map<string, string>();
  for (let found = matchAt(ATTRIBUTE, html, end); found; found = matchAt(ATTRIBUTE, html, end)) {
    const [, name = '', double, single, bare = ''] = found;
    attributes.set(name.toLowerCase(), decode(double ?? single ?? bare));
    end = ATTRIBUTE.lastIndex;
  }
  if (!matchAt(OPEN_END, html, end)) return undefined;
  return { token: { kind: 'open', name: (open[1] ?? '').toLowerCase(), attributes }, end: OPEN_END.lastIndex };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
