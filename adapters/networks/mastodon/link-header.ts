const LINK = /\s*(?:,\s*)?<([^>]*)>/y;
const PARAMETER = /\s*;\s*([a-zA-Z*]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s";,]+)))?/y;

/** The target of the first link with this relation in a `Link` header (RFC 8288), unchanged; null without one. */
export function findLink(header: string | null, relation: string): string | null {
  const text = header ?? '';
  let at = 0;
  for (let link = matchAt(LINK, text, at); link; link = matchAt(LINK, text, at)) {
    at = LINK.lastIndex;
    let relations: string | undefined;
    for (let found = matchAt(PARAMETER, text, at); found; found = matchAt(PARAMETER, text, at)) {
      at = PARAMETER.lastIndex;
      // Of several `rel` parameters, the first counts (3.3).
      if (found[1]?.toLowerCase() === 'rel') relations ??= found[2] ?? found[3];
    }
    if (relations?.toLowerCase().split(/\s+/).includes(relation)) return link[1] ?? null;
  }
  return null;
}

/**
 * Where a list continues: the number `name` in the query of the next page's address. The rest of that address is not
 * trusted: neither its host nor its path is ever requested.
 */
export function nextIn(header: string | null, name: 'max_id' | 'offset'): string | null {
  const target = findLink(header, 'next');
  if (target === null) return null;
  const value = new URLSearchParams(target.slice(target.indexOf('?') + 1)).get(name);
  return value !== null && isPosition(value) ? value : null;
}

/** Positions are numbers: ids of posts, follows and boosts, or how many items to skip. */
export const isPosition = (text: string): boolean => /^[0-9]{1,20}$/.test(text);

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
