import type { CachedPage } from './page-cache.js';

/**
 * How many items to ask for, where the network bills each (C21): those that are still needed and one to look ahead. More if the page before came with fewer than it was asked for, as where the network leaves some out. From the
 * third page on, at least twice as many as the page before: a caller who came back twice will probably go on, and a long
 * list takes few calls.
 */
export function wantedSize(rest: number, last: CachedPage | undefined, isChain: boolean): number {
  const needed = rest + 1;
  if (last?.size === undefined) return needed;
  const { size } = last;
  const scaled = Math.ceil((needed * size) / Math.max(1, last.items.length));
  return Math.max(scaled, isChain && last.before !== null ? 2 * size : 0);
}
