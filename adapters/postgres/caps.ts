import { toCredits } from '../../src/core/credits.js';
import { badRequest } from '../../src/core/errors.js';
import type { Cap } from '../../src/ports/truth.js';
import type { Transaction } from './sql.js';

/** A key by its account; its row is locked by this transaction. */
interface KeyOf {
  readonly accountId: string;
  readonly keyId: string;
}

/** Puts a key under a cap of its own, which has counted what the key spent in the period so far. */
export async function addCap(tx: Transaction, of: KeyOf, cap: Cap): Promise<void> {
  const spent = await spentSince(tx, of, [of.keyId], cap);
  const [row] = await tx<{ capId: string }[]>`
    insert into spend_caps (account_id, cap_thousandths, period, period_start, spent_thousandths)
    values (${of.accountId}, ${cap.amount}, ${cap.period}, period_began(${cap.period}, now()), ${spent})
    returning cap_id as "capId"`;
  await tx`update keys set cap_id = ${row?.capId ?? null} where key_id = ${of.keyId}`;
}

/** Another cap, or none, for a key and those that share its cap. Throws `bad_request` below what was spent already. */
export async function changeCap(tx: Transaction, of: KeyOf, cap: Cap | null): Promise<void> {
  const [held] = await tx<{ capId: string | null }[]>`select cap_id as "capId" from keys where key_id = ${of.keyId}`;
  const capId = held?.capId ?? null;
  if (capId === null) return cap === null ? undefined : addCap(tx, of, cap);
  const sharing = await tx<{ keyId: string }[]>`
    select key_id as "keyId" from keys where cap_id = ${capId} order by key_id for no key update`;
  if (cap === null) {
    await tx`update keys set cap_id = null where cap_id = ${capId}`;
    await tx`delete from spend_caps where cap_id = ${capId}`;
    return;
  }
  const keyIds = sharing.map(({ keyId }) => keyId);
  const spent = await spentSince(tx, of, keyIds, cap);
  await tx`
    update spend_caps set cap_thousandths = ${cap.amount}, period = ${cap.period},
      period_start = period_began(${cap.period}, now()), spent_thousandths = ${spent}
    where cap_id = ${capId}`;
}

/** What the keys spent in the cap's current period, from the ledger. */
async function spentSince(tx: Transaction, of: KeyOf, keyIds: readonly string[], cap: Cap): Promise<number> {
  const [row] = await tx<{ spent: number }[]>`
    select coalesce(sum(amount_thousandths), 0)::bigint as spent from ledger_entries
    where account_id = ${of.accountId} and kind = 'debit' and key_id = any(${keyIds as string[]}::uuid[])
      and at >= period_began(${cap.period}, now())`;
  const spent = row?.spent ?? 0;
  if (spent <= cap.amount) return spent;
  const since = { total: 'so far', month: 'this month', day: 'today' }[cap.period];
  throw badRequest(
    `This key has spent ${toCredits(spent)} credits ${since}: a cap can't be lower. To stop it, revoke it.`,
    'cap',
  );
}
