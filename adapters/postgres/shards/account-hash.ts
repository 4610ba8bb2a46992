/**
 * The hash of an account's id, which decides its shard. It is the hash of Postgres (`uuid_hash`), Bob Jenkins' lookup3
 * over the sixteen bytes. Reading it from the database would delay the first charge of each account that is new to this
 * process.
 */
export function accountHash(accountId: string): number {
  const hex = accountId.replaceAll('-', '');
  const start = 0x9e3779b9 + hex.length / 2 + 3923095;
  let [a, b, c] = [start + wordOf(hex, 0), start + wordOf(hex, 1), start + wordOf(hex, 2)];
  a = (a - c) ^ turned(c, 4);
  c += b;
  b = (b - a) ^ turned(a, 6);
  a += c;
  c = (c - b) ^ turned(b, 8);
  b += a;
  a = (a - c) ^ turned(c, 16);
  c += b;
  b = (b - a) ^ turned(a, 19);
  a += c;
  c = (c - b) ^ turned(b, 4);
  b += a;
  a += wordOf(hex, 3);
  c = (c ^ b) - turned(b, 14);
  a = (a ^ c) - turned(c, 11);
  b = (b ^ a) - turned(a, 25);
  c = (c ^ b) - turned(b, 16);
  a = (a ^ c) - turned(c, 4);
  b = (b ^ a) - turned(a, 14);
  return ((c ^ b) - turned(b, 24)) | 0;
}

/** Four bytes, the lowest first. */
const wordOf = (hex: string, nth: number): number => {
  const word = Number.parseInt(hex.slice(nth * 8, nth * 8 + 8), 16);
  return ((word & 0xff) << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);
};

const turned = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));
