import type { Actor, AuditKind } from '../../../src/domain/audit.js';
import { toCredits } from '../../../src/domain/credits.js';
import { isUuid } from '../../../src/lib/uuid.js';
import type { Movement, Sale, SaleChange, Sales } from '../../../src/ports/sales.js';
import { record } from '../accounts/audit.js';
import { notifyAccountChange } from '../accounts/key-changes.js';
import { lockingTransaction } from '../locking-transaction.js';
import type { Sql, Transaction } from '../sql.js';
import { readSales } from './sale-rows.js';
import { hastenWatches } from './watch-leases.js';

const PAYMENTS: Actor = { who: 'payments', address: null };

const AUDIT_OF: Readonly<Record<Movement['kind'], AuditKind>> = {
  purchase: 'credits.bought',
  reversal: 'credits.reversed',
  hold: 'credits.held',
  return: 'credits.returned',
};

/** Changes the sale, its disputes, the ledger, the account and its log, in one transaction. */
export async function changeSale(
  sql: Sql,
  { sessionId, saleId }: Parameters<Sales['change']>[0],
  { nowMs, look }: Parameters<Sales['change']>[1],
  change: Parameters<Sales['change']>[2],
): Promise<boolean> {
  return lockingTransaction(sql, async (tx) => {
    const owner = await findOwner(tx, sessionId, saleId);
    if (owner === undefined) return false;
    const { accountId } = owner;
    // The wallet first, as debits do, which avoids deadlocks.
    const [wallet] = await tx<Wallet[]>`
      select account_id as "accountId", wallet_id as "walletId", balance_thousandths as balance, last_seq as "lastSeq"
      from wallets where account_id = ${accountId} for no key update`;
    const newest = await tx`
      update sales set look = ${look} where account_id = ${accountId} and sale_id = ${owner.saleId} and look <= ${look}`;
    if (newest.count === 0) return true;
    const [sale] = await readSales(tx, tx`account_id = ${accountId} and sale_id = ${owner.saleId}`);
    if (wallet === undefined || sale === undefined)
      throw new Error(`account ${accountId} has no wallet, or lost a sale`);
    const next = change({ sale, balance: wallet.balance });
    if (next !== null) await write(tx, sale, wallet, next, { sessionId, at: new Date(nowMs) });
    return true;
  });
}

interface Wallet {
  readonly accountId: string;
  readonly walletId: string;
  readonly balance: number;
  readonly lastSeq: number;
}

/** Finds a sale by its session, or by the sale's own id if the session was reported before it could be recorded. */
async function findOwner(
  tx: Transaction,
  sessionId: string,
  saleId: string | null,
): Promise<{ accountId: string; saleId: string } | undefined> {
  const own = saleId !== null && isUuid(saleId) ? saleId : null;
  const [owner] = await tx<{ accountId: string; saleId: string }[]>`
    select account_id as "accountId", sale_id as "saleId" from sales
    where session_id = ${sessionId} or (session_id is null and sale_id = ${own}::uuid) limit 1`;
  return owner;
}

async function write(
  tx: Transaction,
  sale: Sale,
  wallet: Wallet,
  next: SaleChange,
  { sessionId, at }: { sessionId: string; at: Date },
): Promise<void> {
  const { accountId, saleId } = sale;
  await tx`
    update sales set session_id = ${sessionId}, state = ${next.state}, payment_intent = ${next.paymentIntent},
      paid_at = ${next.paidUsd > 0 ? at : sale.paidAt}, refunded_cents = ${next.refundedCents},
      total_cents = ${next.totalCents}, receipt_url = ${next.receiptUrl},
      reversed_thousandths = ${next.reversed}, held_thousandths = ${next.held}, shortfall_thousandths = ${next.shortfall}
    where account_id = ${accountId} and sale_id = ${saleId}`;
  await post(tx, sale, wallet, next.entries);
  if (next.paidUsd > 0) {
    await tx`update accounts set paid_usd = paid_usd + ${next.paidUsd} where account_id = ${accountId}`;
    await notifyAccountChange(tx, accountId);
  }
  if (next.disputes.length > 0) await noteDisputes(tx, sale, next, at);
}

/** Locks the account before its disputes, in the same order as when an operator freezes or thaws it. */
async function noteDisputes(tx: Transaction, sale: Sale, next: SaleChange, at: Date): Promise<void> {
  const { accountId, saleId, pack } = sale;
  const [account] = await tx<{ isFrozen: boolean }[]>`
    select frozen_at is not null as "isFrozen" from accounts where account_id = ${accountId} for no key update`;
  const wasFrozenForOne = await isFrozenForOne(tx, accountId);
  // An account that an operator froze stays frozen, whatever the outcome of disputes.
  const freezes = account?.isFrozen === false || wasFrozenForOne;
  for (const { disputeId, state, amountCents } of next.disputes) {
    await tx`
      insert into sale_disputes (dispute_id, account_id, sale_id, state, amount_cents)
      values (${disputeId}, ${accountId}, ${saleId}, ${state}, ${amountCents})
      on conflict (dispute_id) do update set state = excluded.state, amount_cents = excluded.amount_cents`;
  }
  await tx`
    update sale_disputes set freezes = state = 'lost' and ${freezes}
    where dispute_id = any(${[...next.lost, ...next.overturned]}::text[])`;
  const isFrozenNow = await isFrozenForOne(tx, accountId);
  if (isFrozenNow === wasFrozenForOne) return;
  await tx`update accounts set frozen_at = ${isFrozenNow ? at : null} where account_id = ${accountId}`;
  await notifyAccountChange(tx, accountId);
  const [what, why] = isFrozenNow
    ? (['account.frozen', 'dispute lost'] as const)
    : (['account.thawed', 'dispute won'] as const);
  await record(tx, accountId, PAYMENTS, what, { why, pack, sale_id: saleId });
}

const isFrozenForOne = async (tx: Transaction, accountId: string): Promise<boolean> =>
  (await tx`select 1 from sale_disputes where account_id = ${accountId} and freezes limit 1`).length > 0;

/** Posts entries to the ledger. A purchase has the sale's id, so there can be only one for a sale. */
async function post(tx: Transaction, sale: Sale, wallet: Wallet, entries: readonly Movement[]): Promise<void> {
  const { accountId, saleId, pack, usd } = sale;
  let { balance, lastSeq: seq } = wallet;
  for (const { kind, amount, reason } of entries) {
    balance += kind === 'reversal' || kind === 'hold' ? -amount : amount;
    seq += 1;
    await tx`
      insert into statement_entries (account_id, seq, request_id, kind, amount_thousandths, balance_after, reason)
      values (${accountId}, ${seq}, ${kind === 'purchase' ? tx`${saleId}` : tx`gen_random_uuid()`}, ${kind}, ${amount}, ${balance}, ${reason})`;
    await record(tx, accountId, PAYMENTS, AUDIT_OF[kind], { pack, usd, credits: toCredits(amount), sale_id: saleId });
  }
  if (entries.length === 0) return;
  await tx`
    update wallets set balance_thousandths = ${balance}, last_seq = ${seq}
    where account_id = ${accountId} and wallet_id = ${wallet.walletId}`;
  if (balance > wallet.balance) await hastenWatches(tx, accountId, 'credits');
}
