/** Replaces characters that cannot be passed on: Unicode's replacement character. */
const REPLACED = '\uFFFD';

/**
 * Text that every JSON parser and every database accepts: lone surrogates and U+0000 are replaced one for one, so that
 * positions in the text stay the same (T13).
 */
export const readable = (text: string): string =>
  text.isWellFormed() && !text.includes('\0') ? text : text.toWellFormed().replaceAll('\0', REPLACED);

/** The same for every text in a plain object or array. Returns the same value if nothing has to be replaced. */
export function withReadableText<T>(value: T): T {
  if (typeof value === 'string') return readable(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  const prototype = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return value;
  let made: T | undefined;
  for (const [name, inner] of Object.entries(value)) {
    const read = withReadableText(inner);
    if (read === inner) continue;
    made ??= (Array.isArray(value) ? [...value] : { ...value }) as T;
    (made as Record<string, unknown>)[name] = read;
  }
  return made ?? value;
}

/**
 * A value that was parsed from JSON, as JSON again. Undefined if it has a number beyond the range of numbers, such as
 * `1e999`, which would be written as null.
 */
export function exactJson(value: unknown): string | undefined {
  const text = JSON.stringify(value);
  if (!text.includes('null')) return text;
  let isExact = true;
  JSON.stringify(value, (_name, inner: unknown) => {
    if (typeof inner === 'number' && !Number.isFinite(inner)) isExact = false;
    return inner;
  });
  return isExact ? text : undefined;
}

/** How many characters of a caller's text a message may contain. */
const MOST_SHOWN = 60;

/** As much of a text as a message may contain. A character is never cut in two. */
export const truncated = (text: string, most = MOST_SHOWN): string =>
  text.length <= most ? text : `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')}…`;

/** What another program said, as a sentence that can be part of a message. */
export const sentence = (text: string): string => (/[.?!…]$/.test(text) ? text : `${text}.`);

/** Text from a caller as a message shows it: quoted, and cut to as much as is needed to recognise it. */
export const quoted = (text: string): string => JSON.stringify(truncated(text));
