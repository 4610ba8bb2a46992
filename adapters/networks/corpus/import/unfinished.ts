import { randomUUID } from 'node:crypto';
import { counted } from '../../../../src/domain/figures.js';
import type { Sql, TransactionSql } from './sql.js';
import type { ImportSummary } from './summary.js';

/** Identifies an import, so that it is recognised when it is started again. */
export interface ImportIdentity {
  /** Digest of its files' names and its options. */
  readonly id: string;
  /** Digest of the files themselves; it differs once one of them has changed. */
  readonly content: string;
  readonly paths: readonly string[];
}

/** How far an import has come; stored together with the rows. */
export interface Reached {
  /** How many rows, faults and omissions of its files are dealt with. */
  readonly place: number;
  readonly summary: ImportSummary;
}

export interface Begun {
  /** Null: at the beginning. */
  readonly reached: Reached | null;
  readonly isChanged: boolean;
  readonly begunAt: Date;
  readonly claim: string;
}

/** An import that was not continued for this long is forgotten; started again, it begins from the start. */
const KEPT_DAYS = 30;

/** Begins an import, or continues one that stopped. The process that ran it before can write nothing more. */
export async function beginImport(sql: TransactionSql, { id, content, paths }: ImportIdentity): Promise<Begun> {
  await sql`delete from unfinished_imports where written_at < now() - make_interval(days => ${KEPT_DAYS})`;
  const [found] = await sql<{ content: string; place: string; summary: ImportSummary; begunAt: Date }[]>`
    select content, place::text, summary, begun_at as "begunAt" from unfinished_imports where import_id = ${id} for update`;
  const isChanged = found !== undefined && found.content !== content;
  const isResumed = found !== undefined && !isChanged;
  const claim = randomUUID();
  if (isResumed) await sql`update unfinished_imports set claim = ${claim} where import_id = ${id}`;
  else
    await sql`insert into unfinished_imports (import_id, content, paths, claim) values (${id}, ${content}, ${[...paths]}, ${claim})
      on conflict (import_id) do update set content = excluded.content, paths = excluded.paths, claim = excluded.claim,
        place = 0, summary = null, begun_at = now(), written_at = now()`;
  const reached = isResumed && found.summary !== null ? { place: Number(found.place), summary: found.summary } : null;
  return { reached, isChanged, begunAt: found?.begunAt ?? new Date(), claim };
}

export async function keepReached(sql: TransactionSql, claim: string, { place, summary }: Reached): Promise<void> {
  const { count } = await sql`
    update unfinished_imports set place = ${place}, summary = ${sql.json(summary as never)}, written_at = now() where claim = ${claim}`;
  requireClaim(count);
}

export async function endImport(sql: TransactionSql, claim: string): Promise<void> {
  const { count } = await sql`delete from unfinished_imports where claim = ${claim}`;
  requireClaim(count);
}

function requireClaim(rows: number): void {
  if (rows === 0) throw new Error('the same import was started again elsewhere, and continues there');
}

/** Imports that are not complete, as lines for an operator. */
export async function describeUnfinished(sql: Sql | TransactionSql): Promise<string[]> {
  const rows = await sql<{ paths: string[]; summary: ImportSummary | null; writtenAt: Date }[]>`
    select paths, summary, written_at as "writtenAt" from unfinished_imports order by written_at`;
  return rows.map(
    ({ paths, summary, writtenAt }) =>
      `the import of ${paths.join(', ')} is not complete (${counted(rowsRead(summary), 'row')} until ${writtenAt.toISOString()}): unless it is running, run the same command again to resume there`,
  );
}

/** Rows that were dealt with, without edges, which are only stored at the end. */
export const rowsRead = (summary: ImportSummary | null): number =>
  summary === null ? 0 : summary.users.read + summary.tweets.read;
