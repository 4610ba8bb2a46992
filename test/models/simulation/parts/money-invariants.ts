import type { World } from './world.js';

/** Each wallet fell by exactly its rows and was never negative, and each row states the balance after it. */
export function sumsAgree({ database, calls }: World): string[] {
  return [...database.wallets.values()].flatMap(({ walletId, granted, balance, rows }) => {
    const wrong: string[] = [];
    let left = granted;
    for (const [nth, { amount, balanceAfter, seq, requestId, lines }] of rows.entries()) {
      left -= amount;
      if (left < 0) wrong.push(`${walletId} is at ${left} after ${requestId.slice(-4)}`);
      if (balanceAfter !== left || seq !== nth + 2)
        wrong.push(`row ${seq} of ${walletId} says ${balanceAfter}, not ${left}`);
      const due = lines.reduce((sum, { items, unitPrice }) => sum + items * unitPrice, 0);
      if (due !== amount) wrong.push(`the lines of ${requestId.slice(-4)} sum up to ${due}, not ${amount}`);
    }
    if (left !== balance) wrong.push(`${walletId} is at ${balance}, its rows say ${left}`);
    for (const { result, requestId } of calls) {
      if (result?.kind === 'answer' && result.balance < 0)
        wrong.push(`${requestId.slice(-4)} reported a balance of ${result.balance}`);
    }
    return wrong;
  });
}

/** The ledger has at most one row for a request. */
export function chargedOnce({ database }: World): string[] {
  const ids = [...database.wallets.values()].flatMap(({ rows }) => rows.map(({ requestId }) => requestId));
  return ids.filter((id, nth) => ids.indexOf(id) !== nth).map((id) => `${id.slice(-4)} has two rows`);
}

/** Each row of the ledger belongs to a call, names its account, and has the amount that the call was told. */
export function onlyCallsAreCharged({ database, calls }: World): string[] {
  const byId = new Map(calls.map((call) => [call.requestId, call]));
  return [...database.wallets.values()].flatMap(({ walletId, rows }) =>
    rows.flatMap(({ requestId, amount, keyId, operation }) => {
      // A row of a watch; watches have an invariant of their own.
      if (operation.startsWith('live-')) return [];
      const call = byId.get(requestId);
      if (call === undefined) return [`${amount} were charged under ${requestId}, which nobody called`];
      if (call.walletId !== walletId || call.keyId !== keyId) return [`${requestId.slice(-4)} was charged to another`];
      const reported = call.result?.kind === 'answer' ? call.result.charged : amount;
      return reported === amount ? [] : [`${requestId.slice(-4)} was told ${reported} and charged ${amount}`];
    }),
  );
}

/** The longest that a debit takes without faults: a few statements, one after the other. */
const POSTED_WITHIN_MS = 250;

/** A statement has debits of one shard only, and a fault of one shard delays no debit of another. */
export function shardsAreApart({ databaseLink: { shards }, faults }: World): string[] {
  const mixed = shards.mixed.map((what) => `${what} was asked of several shards`);
  if (faults.has('database') || faults.has('lock')) return mixed;
  // Nothing is known of the debits of a dead process.
  const late = shards.posts.flatMap(({ host, shard, beganAtMs, tookMs = 0 }) =>
    shards.troubled.has(shard) || tookMs <= POSTED_WITHIN_MS
      ? []
      : [`a debit of ${shard.name} on ${host.name} took ${tookMs} ms from ${beganAtMs} on`],
  );
  return [...mixed, ...late];
}

/** A refused call is never charged, not even later, unless it was told that this is unknown. */
export function refusalsAreFree({ database, calls }: World): string[] {
  return calls.flatMap(({ result, requestId }) => {
    if (result?.kind !== 'refusal' || result.reason === 'charge_unknown') return [];
    const row = database.row(requestId);
    return row ? [`${requestId.slice(-4)} was refused (${result.code}) and charged ${row.amount}`] : [];
  });
}
