/** Who can speak: readers of an account, neighbors, institutions to mention. */
import type { DemoAccount } from './account.js';
import { type Chance, Urn } from './random.js';

export class Society {
  private readonly people: Urn<DemoAccount>;
  private readonly readers: (readonly DemoAccount[])[];
  private readonly houses = new Map<string, DemoAccount[]>();

  constructor(
    readonly accounts: readonly DemoAccount[],
    private readonly followers: readonly (readonly DemoAccount[])[],
  ) {
    const open = accounts.filter((account) => !account.protected);
    const isReader = (account: DemoAccount): boolean => !(account.protected || account.institution);
    this.people = new Urn(accounts.filter(isReader), ({ activity }) => activity);
    this.readers = followers.map((list) => list.filter(isReader));
    for (const account of open) this.houses.set(account.kind, [...(this.houses.get(account.kind) ?? []), account]);
  }

  followersCount(account: DemoAccount): number {
    return this.followers[account.index]?.length ?? 0;
  }

  /** A person who may have read it: a follower if there is one, never the author. */
  reader(of: DemoAccount, chance: Chance): DemoAccount {
    const readers = this.readers[of.index] ?? [];
    if (readers.length > 0 && chance.happens(0.9)) return chance.pick(readers);
    const anyone = this.people.draw(chance);
    return anyone === of ? this.reader(of, chance) : anyone;
  }

  /** The handle of an institution of this kind: the one in the speaker's town, or one that everybody knows. */
  handleOf(kind: string, speaker: DemoAccount, chance: Chance): string {
    const houses = (this.houses.get(kind) ?? []).filter((house) => house !== speaker);
    const near = houses.find(({ town }) => town === speaker.town);
    const known = houses.find(({ reach }) => reach !== null);
    const house = near !== undefined && chance.happens(0.6) ? near : (known ?? near ?? chance.pick(houses));
    return house.handle;
  }
}
