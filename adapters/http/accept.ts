/** The most media types read from an Accept header, and the most parameters of each. Browsers send about ten types. */
const MOST_TYPES = 100;
const MOST_PARAMETERS = 20;

/**
 * The media types that an Accept header names, in lower case, each with its q; a q that is not a number counts as 0.
 */
function namedTypes(accept: string | undefined): Map<string, number> {
  const named = new Map<string, number>();
  for (const part of (accept ?? '').split(',', MOST_TYPES)) {
    const [type = '', ...params] = part.split(';', MOST_PARAMETERS).map((piece) => piece.trim().toLowerCase());
    const q = params.find((param) => param.startsWith('q='));
    const quality = q === undefined ? 1 : Number(q.slice(2));
    named.set(type, Number.isNaN(quality) ? 0 : quality);
  }
  return named;
}

/**
 * Whether `type` is named with a q above 0, and `application/json` is not preferred to it. Wildcards never select it.
 */
export function prefers(accept: string | undefined, type: string): boolean {
  const named = namedTypes(accept);
  const wanted = named.get(type) ?? 0;
  return wanted > 0 && wanted >= (named.get('application/json') ?? 0);
}
