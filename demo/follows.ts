/**
 * Who follows whom: neighbors, people who share an interest, and the few accounts that everybody knows. Depends only on
 * the seed.
 */
import type { DemoAccount } from './account.js';
import { type Chance, Urn } from './random.js';

export interface Follow {
  readonly follower: DemoAccount;
  readonly followed: DemoAccount;
}

/** When the last follow was made; no tweet depends on it. */
const LAST_MS = Date.UTC(2025, 0, 1);
/** The natural logarithm of how many others an account typically follows, and its spread. */
const TYPICAL = 3.2;
const SPREAD = 0.72;
const MOST = 400;

const groupedBy = (
  accounts: readonly DemoAccount[],
  key: (account: DemoAccount) => string,
): Map<string, Urn<DemoAccount>> => {
  const groups = new Map<string, DemoAccount[]>();
  for (const account of accounts) groups.set(key(account), [...(groups.get(key(account)) ?? []), account]);
  return new Map([...groups].map(([name, members]) => [name, new Urn(members, ({ fame }) => fame)]));
};

/** Newest first, as a network lists them. */
export function makeFollows(accounts: readonly DemoAccount[], seed: Chance): Follow[] {
  const chance = seed.fork('follows');
  const known = accounts.filter(({ reach }) => reach !== null);
  const others = accounts.filter(({ reach }) => reach === null);
  const all = new Urn(others, ({ fame }) => fame);
  const byTown = groupedBy(others, ({ town }) => town);
  const byKind = groupedBy(others, ({ kind }) => kind);
  const made: (Follow & { atMs: number })[] = [];
  for (const follower of accounts) {
    const followed = new Set<DemoAccount>(known.filter(({ reach }) => chance.happens(reach ?? 0)));
    const wanted = Math.min(MOST, Math.round(chance.skewed(TYPICAL, SPREAD)));
    for (let draw = 0; draw < wanted; draw += 1) {
      const where = chance.unit();
      const urn = where < 0.4 ? byTown.get(follower.town) : where < 0.7 ? byKind.get(follower.kind) : all;
      followed.add((urn ?? all).draw(chance));
    }
    followed.delete(follower);
    for (const account of followed) {
      const earliestMs = Math.max(follower.createdMs, account.createdMs);
      made.push({ follower, followed: account, atMs: earliestMs + chance.unit() * (LAST_MS - earliestMs) });
    }
  }
  return made.sort((a, b) => b.atMs - a.atMs);
}

/** The followers of each account, by its index. */
export function followersByAccount(accounts: readonly DemoAccount[], follows: readonly Follow[]): DemoAccount[][] {
  const lists: DemoAccount[][] = accounts.map(() => []);
  for (const { follower, followed } of follows) lists[followed.index]?.push(follower);
  return lists;
}
