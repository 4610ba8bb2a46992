/** Reads texts as X's API and archives write them: escaped, with links shortened. For no other source (T30). */
import { addressText, articleSchema, valid } from './fields.js';
import { asRecord, asRecords, type Json } from './reading.js';

const ENTITY = /&(?:amp|lt|gt|quot|apos|#0?39|#x27);/gi;

const CHARACTERS: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

/** Text as people wrote it. Decoded once only, so that `&amp;lt;` stays a visible `&lt;`. */
export const decodeEntities = <Text>(text: Text): Text =>
  typeof text === 'string' && text.includes('&')
    ? (text.replace(ENTITY, (entity) => CHARACTERS[entity.toLowerCase()] ?? "'") as Text)
    : text;

/** Replaces short links with their targets. Finds them by their text, because positions count code points. */
export function expandLinks(text: unknown, links: readonly Json[]): unknown {
  if (typeof text !== 'string') return text;
  return links.reduce<string>(
    (out, { url, expanded_url: expanded }) =>
      typeof url === 'string' && url !== '' && typeof expanded === 'string' ? out.replace(url, () => expanded) : out,
    text,
  );
}

const ADDRESS = /https?:\/\/[^\s<>"“”«»]+/gi;
/** How X cut long texts in its first years. */
const CUT_BY_DOTS = /\s\.\.\.$/;
const CLOSING = ".,:;!?'’)]";

/** The addresses in a text, without the punctuation of the sentence. One that the end of the text cuts off is left out. */
function addressesIn(text: string): string[] {
  const cut = text.search(CUT_BY_DOTS);
  return [...text.matchAll(ADDRESS)].flatMap(({ 0: found, index }) => {
    if (index + found.length === cut) return [];
    let end = found.length;
    while (CLOSING.includes(found.charAt(end - 1)) && !(found.charAt(end - 1) === ')' && found.includes('('))) end -= 1;
    return found.includes('…') || found.endsWith('//') ? [] : [found.slice(0, end)];
  });
}

/** X's own short links. One that is not listed leads to a picture or to the post itself. */
const SHORT = /^https?:\/\/t\.co\//i;

/** A post's links include those to its own pictures, which older pages do not mark. */
const isOwnMedia = (link: Json): boolean =>
  link.media_key !== undefined ||
  (typeof link.display_url === 'string' && /^pic\.(?:twitter|x)\.com\//.test(link.display_url));

/** The last address that a link leads to, or an earlier one if that is too long to be stored. */
export const targetOf = (link: Json): unknown =>
  [link.unwound_url, link.expanded_url, link.url].find((address) => address && valid(addressText, address));

/**
 * The targets of the links that X lists, and the addresses in the text that the list does not cover: before X shortened
 * links, it listed none. Undefined if there is no list because it was not requested.
 */
export function linksIn(text: unknown, list: unknown, media: readonly Json[] = []): unknown[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const listed = asRecords(list);
  const targets = listed.filter((link) => !isOwnMedia(link)).flatMap((link) => targetOf(link) ?? []);
  const covered = new Set([...listed, ...media].flatMap(({ url, expanded_url: expanded }) => [url, expanded]));
  const found = typeof text === 'string' ? addressesIn(decodeEntities(text)) : [];
  const others = found.filter(
    (address) => !covered.has(address) && !SHORT.test(address) && valid(addressText, address),
  );
  return [...new Set([...targets, ...others])];
}

/** The link to an article on X. A post of one contains only this link; the article's title is a separate field. */
const ON_X = /^https?:\/\/(?:\w+\.)?(?:x|twitter)\.com\/\w+\/article\/\d+/;

/** The article that a post is, and the linked pages whose titles X gives. Undefined if none: perhaps not requested. */
export function articlesIn(article: unknown, list: unknown): Json[] | undefined {
  const links = asRecords(list).filter((link) => !isOwnMedia(link));
  const { title } = asRecord(article);
  const own = title ? links.find((link) => ON_X.test(String(targetOf(link)))) : undefined;
  const titled = [...(title ? [{ ...own, title }] : []), ...links.filter((link) => link.title && link !== own)];
  const articles = titled.flatMap((link) => {
    return valid(articleSchema, { title: decodeEntities(link.title), url: targetOf(link) }) ?? [];
  });
  return articles.length === 0 ? undefined : articles;
}
