/** Who pays: accounts with a wallet and a rate limit, and keys with caps. */

export interface ModelAccount {
  balance: number;
  readonly qps: number;
  /** The tokens in the bucket, in thousandths of a request; the bucket is full at the start. */
  tokens: number;
  refilledAtMs: number;
}

export interface ModelKey {
  readonly account: number;
  /** The cap of all time; null: none. */
  readonly cap: number | null;
  spent: number;
  revoked: boolean;
}

export type Shortage = 'no_credits' | 'key_cap' | 'max_credits';

/** The value of `RateLimit`, or that the request exceeds the limit (L3, L5). */
export interface Admission {
  readonly allowed: boolean;
  readonly header: string;
}

/** The bucket as a new process begins with it. */
export function fill(account: ModelAccount, nowMs: number): void {
  account.tokens = account.qps * 1000;
  account.refilledAtMs = nowMs;
}

/** Takes one request of the account from a bucket that holds one second's worth and refills continuously (L3). */
export function admit(account: ModelAccount, nowMs: number): Admission {
  const full = account.qps * 1000;
  account.tokens = Math.min(full, account.tokens + (nowMs - account.refilledAtMs) * account.qps);
  account.refilledAtMs = nowMs;
  const allowed = account.tokens >= 1000;
  if (allowed) account.tokens -= 1000;
  const remaining = Math.floor(account.tokens / 1000);
  const reset = Math.ceil((full - account.tokens) / full);
  return { allowed, header: `limit=${account.qps}, remaining=${remaining}, reset=${reset}` };
}

/** What one call may spend: the least of wallet, cap and budget. */
export class Spending {
  taken = 0;
  readonly #limits: readonly (readonly [Shortage, number])[];

  constructor(account: ModelAccount, key: ModelKey, budget: number | null) {
    const unlimited = Number.POSITIVE_INFINITY;
    // If two are equally low, the refusal names the one that the caller can lift most easily.
    this.#limits = [
      ['max_credits', budget ?? unlimited],
      ['key_cap', key.cap === null ? unlimited : key.cap - key.spent],
      ['no_credits', account.balance],
    ];
  }

  get left(): number {
    return Math.min(...this.#limits.map(([, amount]) => amount)) - this.taken;
  }

  covers(price: number): boolean {
    return this.left >= price;
  }

  get shortage(): Shortage {
    const [first] = this.#limits.filter(([, amount]) => amount - this.taken === this.left);
    return first?.[0] ?? 'no_credits';
  }
}
