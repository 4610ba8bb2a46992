import type { Sql } from '../../adapters/postgres/sql.js';

/** Thousandths of a credit that no benchmark uses up. */
const CREDITS = 1_000_000_000_000;

/** Creates empty tables: a balance for each wallet, numbered from 0, and a row for each charge. */
export async function openMeteredTables(sql: Sql, wallets: number): Promise<void> {
  await sql.unsafe(`
    drop table if exists metered_wallets, metered_charges;
    create table metered_wallets (
      wallet int primary key, balance bigint not null check (balance >= 0)
    ) with (fillfactor = 50);
    create table metered_charges (
      wallet int not null, id uuid not null, amount bigint not null, at timestamptz not null default now(),
      primary key (wallet, id)
    );
    insert into metered_wallets select wallet, ${CREDITS} from generate_series(0, ${wallets - 1}) wallet`);
}

/** The number of charges, and how far they made the wallets fall, in thousandths. */
export async function meteredBooks(sql: Sql): Promise<{ readonly charges: number; readonly spent: number }> {
  const [row] = await sql<{ charges: number; spent: number }[]>`
    select (select count(*) from metered_charges) as charges,
      (select sum(${CREDITS} - balance)::bigint from metered_wallets) as spent`;
  return row ?? { charges: 0, spent: 0 };
}

interface Waiting {
  readonly wallet: number;
  readonly id: string;
  readonly amount: number;
  readonly done: (balance: number) => void;
  readonly failed: (error: unknown) => void;
}

/** Takes wallets in order, what each pays, and all charges. If one wallet cannot pay, all of it fails. */
const STATEMENT = `
  with written as (
    insert into metered_charges (wallet, id, amount) select * from unnest($3::int[], $4::uuid[], $5::bigint[])
  ), paid as (
    update metered_wallets set balance = balance - due.amount
    from unnest($1::int[], $2::bigint[]) due (wallet, amount)
    where metered_wallets.wallet = due.wallet returning due.wallet, balance
  )
  select array_agg(wallet)::text, array_agg(balance)::text from paid`;

const listed = (values: readonly unknown[]): string => `{${values.join(',')}}`;
const numbersIn = (list: string): number[] => list.slice(1, -1).split(',').map(Number);

/** Resolves each charge with the balance after it once it is on disk. Waiting charges share a statement and commit. */
export function createMeteredLedger(sql: Sql): (charge: Waiting) => void {
  let waiting: Waiting[] = [];
  let isBusy = false;
  const flush = async (): Promise<void> => {
    for (let group = waiting; group.length > 0; group = waiting) {
      waiting = [];
      await commit(sql, group).catch((error: unknown) => group.forEach(({ failed }) => void failed(error)));
    }
    isBusy = false;
  };
  return (charge) => {
    waiting.push(charge);
    if (isBusy) return;
    isBusy = true;
    // Charges that arrive in the same turn are included.
    setImmediate(flush);
  };
}

async function commit(sql: Sql, group: readonly Waiting[]): Promise<void> {
  const byWallet = new Map<number, { due: number; readonly charges: Waiting[] }>();
  for (const charge of group) {
    const own = byWallet.get(charge.wallet);
    if (own === undefined) byWallet.set(charge.wallet, { due: charge.amount, charges: [charge] });
    else {
      own.due += charge.amount;
      own.charges.push(charge);
    }
  }
  const [row] = (await sql
    .unsafe(
      STATEMENT,
      [
        listed([...byWallet.keys()]),
        listed(Array.from(byWallet.values(), ({ due }) => due)),
        listed(group.map(({ wallet }) => wallet)),
        listed(group.map(({ id }) => id)),
        listed(group.map(({ amount }) => amount)),
      ],
      { prepare: true },
    )
    .values()) as unknown as [[wallets: string, balances: string]];
  const [wallets, balances] = [numbersIn(row[0]), numbersIn(row[1])];
  wallets.forEach((wallet, nth) => {
    const { due = 0, charges = [] } = byWallet.get(wallet) ?? {};
    let balance = (balances[nth] ?? 0) + due;
    for (const { amount, done } of charges) {
      balance -= amount;
      done(balance);
    }
  });
}
