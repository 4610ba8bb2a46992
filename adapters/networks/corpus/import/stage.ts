import { type CopyText, copyInto, copyText } from './copy.js';
import { isCutOfSql } from './cut-text.js';
import { derivedStageName, deriveInto } from './derive.js';
import type { TransactionSql } from './sql.js';
import type { EntityTable } from './tables.js';

const stageName = (table: string): string => `staged_${table}`;

/**
 * Staging tables accept any text. A value that a column can't store is refused when it is merged, by an ordinary
 * statement.
 */
export async function openStage<Row>(sql: TransactionSql, table: EntityTable<Row>): Promise<void> {
  const fields = allColumns(table).map((column) => `${column.name} text`);
  await sql.unsafe(`create temp table if not exists ${stageName(table.name)} (${fields.join(', ')}) on commit drop`);
}

/** Rows in the form that their stage accepts, including derived values, which are computed here. */
export const stagedText = <Row>(table: EntityTable<Row>, rows: Iterable<Row>): Promise<CopyText> =>
  copyText(rowValues(table, rows));

function* rowValues<Row>(table: EntityTable<Row>, rows: Iterable<Row>): Generator<unknown[]> {
  const all = allColumns(table);
  for (const row of rows) yield all.map((column) => column.value(row));
}

export interface Written {
  readonly added: number;
  readonly changed: number;
}

/**
 * Writes rows (as `stagedText` returns them, each id once). `fresh` are the tables that have received only new rows
 * since they were empty: rows are copied straight into them, which takes the database a third less time, until a row
 * already exists.
 */
export async function writeRows<Row>(
  sql: TransactionSql,
  table: EntityTable<Row>,
  text: CopyText,
  fresh: Set<string>,
): Promise<Written> {
  if (text.rows === 0) return { added: 0, changed: 0 };
  if (fresh.has(table.name)) {
    if (await addRows(sql, table, text)) return { added: text.rows, changed: 0 };
    fresh.delete(table.name);
  }
  return mergeRows(sql, table, text);
}

const allColumns = <Row>({ columns, derived }: EntityTable<Row>) => [...columns, ...derived];

/** False if the table refuses a row: then all rows are merged instead, which either writes them or says why not. */
async function addRows<Row>(sql: TransactionSql, table: EntityTable<Row>, text: CopyText): Promise<boolean> {
  const names = allColumns(table).map((column) => column.name);
  try {
    await sql.savepoint((inner) => copyInto(inner, table.name, names, text));
    return true;
  } catch {
    return false;
  }
}

/**
 * The values of a row overwrite stored ones, values that it lacks stay as they are, and a row with nothing new is not
 * touched, so that importing the same file again changes nothing.
 */
async function mergeRows<Row>(sql: TransactionSql, table: EntityTable<Row>, text: CopyText): Promise<Written> {
  const all = allColumns(table);
  const names = all.map((column) => column.name);
  const stage = stageName(table.name);
  await copyInto(sql, stage, names, text);
  // Names and types are the constants of tables.ts.
  const given = `(select ${all.map(({ name, type }) => `${name}::${type}`).join(', ')} from ${stage}) s`;
  const added = await sql.unsafe(
    `insert into ${table.name} (${names.join(', ')}) select ${names.map((name) => `s.${name}`).join(', ')}
     from ${given} where not exists (select from ${table.name} t where t.id = s.id)`,
  );
  // Rows that were just added do not count as changed, since they equal what was given.
  const changed = added.count < text.rows ? await mergeChanges(sql, table, given) : 0;
  await sql`truncate ${sql(stage)}`;
  return { added: added.count, changed };
}

/** Changes rows that already exist. Derived values are computed from the merged values, not just the given ones. */
async function mergeChanges<Row>(sql: TransactionSql, table: EntityTable<Row>, given: string): Promise<number> {
  const columns = table.columns.filter(({ name }) => name !== 'id');
  const fields = columns.map(({ name }) => name);
  const merged = columns.map(({ name, isOfText, merged: both }) => {
    const [stored, staged] = [`t.${name}`, `s.${name}`];
    if (both) return `coalesce(${both(stored, staged)}, ${staged}, ${stored})`;
    return isOfText
      ? `case when ${isCutOfSql('s.text', 't.text')} then coalesce(${stored}, ${staged}) else coalesce(${staged}, ${stored}) end`
      : `coalesce(${staged}, ${stored})`;
  });
  const isChanged = `(${merged.join(', ')}) is distinct from (${fields.map((name) => `t.${name}`).join(', ')})`;
  const derived = derivedStageName(table.name);
  const count = await deriveInto(
    sql,
    table,
    `select t.id, ${fields.map((name, index) => `${merged[index]} as ${name}`).join(', ')}
     from ${table.name} t join ${given} on t.id = s.id where ${isChanged}`,
  );
  if (count === 0) return 0;
  const sets = [
    ...fields.map((name, index) => `${name} = ${merged[index]}`),
    ...table.derived.map(({ name, type }) => `${name} = d.${name}::${type}`),
  ];
  await sql.unsafe(
    `update ${table.name} t set ${sets.join(', ')} from ${given} join ${derived} d on d.id::bigint = s.id where t.id = s.id`,
  );
  return count;
}

const FOLLOWS_STAGE = 'staged_corpus_follows';

/** An edge and its position among all edges of the import, from 1. */
export type StagedFollow = readonly [followerId: string, followedId: string, position: number];

export async function openFollowStage(sql: TransactionSql): Promise<void> {
  await sql`create temp table if not exists ${sql(FOLLOWS_STAGE)} (follower_id text, followed_id text, position text) on commit drop`;
}

export const stageFollows = async (sql: TransactionSql, follows: readonly StagedFollow[]): Promise<void> =>
  copyInto(sql, FOLLOWS_STAGE, ['follower_id', 'followed_id', 'position'], await copyText(follows));

interface Order {
  added: number;
  /** Edges imported earlier are in a different order in this import. */
  isMoved: boolean;
  /** New edges come after all that were imported earlier. */
  isAppended: boolean;
}

/**
 * Merges the staged edges so that they read in the order of their import (C20). Edges already in the right order keep
 * their ordinals, so that the same file changes nothing; where an import has another order, all of its edges get new
 * positions after everything else.
 */
export async function mergeFollows(sql: TransactionSql, table: string): Promise<{ added: number; changed: number }> {
  await sql`create temp table ordered_corpus_follows on commit drop as
    select follower_id, followed_id, min(s.position) as position, min(f.ordinal) as ordinal
    from (select follower_id::bigint, followed_id::bigint, position::bigint from ${sql(FOLLOWS_STAGE)}) s left join ${sql(table)} f using (follower_id, followed_id) group by 1, 2`;
  const [order] = await sql<Order[]>`
    select count(*) filter (where ordinal is null)::int as added,
      coalesce(bool_or(ordinal < highest_before), false) as "isMoved",
      coalesce(min(position) filter (where ordinal is null) > max(position) filter (where ordinal is not null), true) as "isAppended"
    from (select position, ordinal,
      max(ordinal) over (order by position rows between unbounded preceding and 1 preceding) as highest_before
      from ordered_corpus_follows) placed`;
  const { added, isMoved, isAppended } = order ?? { added: 0, isMoved: false, isAppended: true };
  if (added === 0 && !isMoved) return { added, changed: 0 };
  const isKept = !isMoved && isAppended;
  const written = await sql`
    insert into ${sql(table)} (follower_id, followed_id, ordinal)
    select follower_id, followed_id, position + (select coalesce(max(ordinal), 0) from ${sql(table)})
    from ordered_corpus_follows ${isKept ? sql`where ordinal is null` : sql``} order by position
    on conflict (follower_id, followed_id) do update set ordinal = excluded.ordinal`;
  return { added, changed: written.count - added };
}
