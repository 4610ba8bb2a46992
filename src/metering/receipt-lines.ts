import type { ReceiptLine } from '../ports/ledger.js';

/** Most bytes of the lines as JSON: a receipt in the ledger is small whatever was asked for. */
const MOST_BYTES = 1000;

/** Most characters of a path in the ledger. */
const PATH_LENGTH = 64;

/** The path of lines that there was no room for separately. */
const ELSEWHERE = 'other';

/** Most lines in an answer, and characters of a path in it: aliases are the caller's own, and may be long. */
const MOST_SHOWN = 100;
const SHOWN_PATH_LENGTH = 256;

/**
 * A receipt's lines for the ledger: paths use the schema's names, which `fieldPaths` maps from response paths. Lines
 * that exceed the bytes are folded by unit and cache label under `other`; if these are still too many, profiles and
 * tweets, which cost the same, are counted together as tweets. Sums do not change.
 */
export function ledgerLines(lines: readonly ReceiptLine[], fieldPaths: ReadonlyMap<string, string>): ReceiptLine[] {
  const named = folded(lines, ({ path }) => shortPath(fieldPaths.get(path) ?? ELSEWHERE));
  for (let room = named.length; room >= 0; room = Math.min(room, 13) - 1) {
    const kept = [...named.slice(0, room), ...folded(named.slice(room), () => ELSEWHERE)];
    if (JSON.stringify(kept).length < MOST_BYTES) return kept;
  }
  const likeTweets = named.map((line) => (line.unit === 'profile' ? { ...line, unit: 'tweet' as const } : line));
  return folded(likeTweets, () => ELSEWHERE);
}

/** A receipt's lines for the answer, by response path: bounded, whatever the caller's aliases are. */
export function responseLines(lines: readonly ReceiptLine[]): ReceiptLine[] {
  const clipped = (line: ReceiptLine): ReceiptLine =>
    line.path.length <= SHOWN_PATH_LENGTH ? line : { ...line, path: `${line.path.slice(0, SHOWN_PATH_LENGTH - 1)}…` };
  return [...lines.slice(0, MOST_SHOWN).map(clipped), ...folded(lines.slice(MOST_SHOWN), () => ELSEWHERE)];
}

/** One line for each path, unit and cache label, in order of first appearance. */
function folded(lines: readonly ReceiptLine[], pathOf: (line: ReceiptLine) => string): ReceiptLine[] {
  const sums = new Map<string, ReceiptLine>();
  for (const line of lines) {
    const path = pathOf(line);
    const key = `${path} ${line.unit} ${line.cache}`;
    const items = (sums.get(key)?.items ?? 0) + line.items;
    sums.set(key, { ...line, path, items });
  }
  return [...sums.values()];
}

/** The first name, and the last ones that fit: `user...quoted.retweeted`. */
function shortPath(path: string): string {
  if (path.length <= PATH_LENGTH) return path;
  const [first = '', ...names] = path.split('.');
  let end = '';
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    const longer = end === '' ? name : `${name}.${end}`;
    if (first.length + 3 + longer.length > PATH_LENGTH) break;
    end = longer;
  }
  return `${first}...${end}`;
}
