import type { BoundedMap } from '../../../src/lib/bounded-map.js';
import { Memories } from '../../../src/lib/memories.js';
import { monotonic as processMonotonic } from '../../../src/lib/monotonic.js';
import type { Clock } from '../../../src/ports/clock.js';
import type { Debit } from '../../../src/ports/ledger.js';
import type { Sql } from '../sql.js';

/** How long it is remembered whether a key has a cap, milliseconds. */
const REMEMBERED_MS = 60_000;

/** Keys that were seen to have a cap lately: a plain statement would not post their debits. */
export class CappedKeys {
  readonly #monotonic: Clock;
  readonly #seenAtMs: BoundedMap<number>;

  constructor(memories = new Memories(), monotonic: Clock = processMonotonic) {
    this.#monotonic = monotonic;
    this.#seenAtMs = memories.map('capped_keys');
  }

  add(keyId: string): void {
    this.#seenAtMs.set(keyId, this.#monotonic.now());
  }

  has(keyId: string): boolean {
    const seenAtMs = this.#seenAtMs.get(keyId);
    if (seenAtMs === undefined) return false;
    if (this.#monotonic.now() - seenAtMs < REMEMBERED_MS) return true;
    this.#seenAtMs.delete(keyId);
    return false;
  }
}

/** A key without a cap, as it was read. */
export interface UncappedKey {
  readonly accountId: string;
  readonly walletId: string;
  /** What debits call the key. */
  readonly keyNumber: number;
  /** The version of its wallet's caps: while the wallet still has it, the key has no cap. */
  readonly capsVersion: number;
  readonly readAtMs: number;
}

/**
 * Keys that were seen to have no cap, so that a statement need not look them up: it compares the version, under the
 * wallet's lock.
 */
export class UncappedKeys {
  readonly #sql: Sql;
  readonly #monotonic: Clock;
  readonly #keys: BoundedMap<UncappedKey>;

  constructor(sql: Sql, memories = new Memories(), monotonic: Clock = processMonotonic) {
    this.#sql = sql;
    this.#monotonic = monotonic;
    this.#keys = memories.map('uncapped_keys');
  }

  /**
   * What is known of the debits' keys, one each, once what was not known has been read. A key with a cap, or of another
   * wallet, stays unknown.
   */
  async learn(debits: readonly Debit[]): Promise<readonly (UncappedKey | undefined)[]> {
    const longAgoMs = this.#monotonic.now() - REMEMBERED_MS;
    const known = debits.map((debit) => this.keyOf(debit));
    const isKnown = (key: UncappedKey | undefined): boolean => key !== undefined && key.readAtMs >= longAgoMs;
    if (known.every(isKnown)) return known;
    const unknown = new Map<string, Debit>();
    for (const [nth, debit] of debits.entries()) {
      if (!isKnown(known[nth])) unknown.set(`${debit.accountId} ${debit.walletId} ${debit.keyId}`, debit);
    }
    await this.#read([...unknown.values()]);
    return debits.map((debit) => this.keyOf(debit));
  }

  /** The debit's key, if it is known and of the debit's wallet. */
  keyOf({ keyId, accountId, walletId }: Debit): UncappedKey | undefined {
    const key = this.#keys.get(keyId);
    return key?.accountId === accountId && key.walletId === walletId ? key : undefined;
  }

  forget(keyId: string): void {
    this.#keys.delete(keyId);
  }

  async #read(debits: readonly Debit[]): Promise<void> {
    const readAtMs = this.#monotonic.now();
    const rows = await this.#sql<{ position: number; keyNumber: number; capsVersion: number }[]>`
      select i.ord - 1 as position, k.key_number as "keyNumber", w.caps_version as "capsVersion"
      from unnest(
        ${debits.map(({ accountId }) => accountId)}::uuid[],
        ${debits.map(({ walletId }) => walletId)}::uuid[],
        ${debits.map(({ keyId }) => keyId)}::uuid[]
      ) with ordinality as i(account_id, wallet_id, key_id, ord)
        -- Each by the index, whatever is known of the tables.
        cross join lateral (
          select key_number from keys k
          where k.account_id = i.account_id and k.key_id = i.key_id and k.wallet_id = i.wallet_id and cap_id is null limit 1
        ) k
        cross join lateral (select caps_version from wallets w where w.account_id = i.account_id limit 1) w`;
    for (const { keyId } of debits) this.#keys.delete(keyId);
    for (const { position, keyNumber, capsVersion } of rows) {
      const { keyId, accountId, walletId } = debits[position] as Debit;
      this.#keys.set(keyId, { accountId, walletId, keyNumber, capsVersion, readAtMs });
    }
  }
}
