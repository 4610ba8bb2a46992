/** One spelling per address: what a dual-stack socket calls `::ffff:192.0.2.1` is 192.0.2.1. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');

/**
 * Whom a limit counts: an IPv4 address, or the /64 that an IPv6 address is in. A household or a machine has all of a /64, and
 * could have a new address for every request. What is no address stays as it is.
 */
export function limitAddress(address: string): string {
  const plain = plainAddress(address);
  if (!plain.includes(':')) return plain;
  const groups = groupsOf(plain);
  if (groups === null) return plain;
  const [a, b, c, d, e, f, g, h] = groups as [number, number, number, number, number, number, number, number];
  // IPv4-mapped, in one of its other spellings.
  if (a + b + c + d + e === 0 && f === 0xffff) return [g >> 8, g & 255, h >> 8, h & 255].join('.');
  return `${[a, b, c, d].map((group) => group.toString(16)).join(':')}::/64`;
}

/** The eight groups of an IPv6 address, in any of its spellings, with or without a zone; null for what is none. */
function groupsOf(address: string): number[] | null {
  const [bare = ''] = address.split('%');
  const [head = '', tail, ...more] = bare.replace(/(?<!\d)\d+\.\d+\.\d+\.\d+$/, hexOf).split('::');
  const [first, last] = [listOf(head), listOf(tail ?? '')];
  const missing = 8 - first.length - last.length;
  if (more.length > 0 || (tail === undefined ? missing !== 0 : missing < 1)) return null;
  const groups = [...first, ...Array<string>(missing).fill('0'), ...last];
  return groups.every((group) => /^[\da-f]{1,4}$/i.test(group))
    ? groups.map((group) => Number.parseInt(group, 16))
    : null;
}

const listOf = (groups: string): string[] => (groups === '' ? [] : groups.split(':'));

/** The IPv4 address at an IPv6 address's end, as two groups. */
function hexOf(dotted: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number);
  return [a * 256 + b, c * 256 + d].map((group) => group.toString(16)).join(':');
}
