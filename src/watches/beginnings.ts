/** Most followers that begin at the same time, in all and of one account. Each reads its list, which may take long. */
const AT_ONCE = 32;
const OF_ACCOUNT = 4;

interface Account {
  active: number;
  readonly waiting: (() => void)[];
}

/** Lets a few followers begin at a time, accounts in turn, so that slow lists of one account do not hold up others. */
export class Beginnings {
  readonly #accounts = new Map<string, Account>();
  #active = 0;

  /** Resolves when the follower may begin or the signal is aborted, with a function to call once it has begun. */
  enter(accountId: string, signal: AbortSignal): Promise<() => void> {
    const account = this.#accounts.get(accountId) ?? { active: 0, waiting: [] };
    this.#accounts.set(accountId, account);
    return new Promise((resolve) => {
      const leave = (): void => {
        account.waiting.splice(account.waiting.indexOf(begin), 1);
        if (account.active + account.waiting.length === 0) this.#accounts.delete(accountId);
        resolve(() => {});
      };
      const begin = (): void => {
        signal.removeEventListener('abort', leave);
        this.#count(account, 1);
        let isIn = true;
        resolve(() => {
          if (!isIn) return;
          isIn = false;
          this.#count(account, -1);
          if (account.active + account.waiting.length === 0) this.#accounts.delete(accountId);
          this.#next();
        });
      };
      account.waiting.push(begin);
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave, { once: true });
      this.#next();
    });
  }

  #count(account: Account, by: 1 | -1): void {
    account.active += by;
    this.#active += by;
  }

  #next(): void {
    for (const [accountId, account] of this.#accounts) {
      if (this.#active >= AT_ONCE) return;
      const begin = account.active < OF_ACCOUNT ? account.waiting.shift() : undefined;
      if (begin === undefined) continue;
      // An account that had its turn goes behind the others.
      this.#accounts.delete(accountId);
      this.#accounts.set(accountId, account);
      begin();
    }
  }
}
