import { toCredits, toThousandths } from '../../../src/domain/credits.js';
import { DAY_MS, utcDay } from '../../../src/lib/durations.js';
import { Failure } from '../failure.js';
import {
  type ExportClient,
  type ExportPage,
  type ExportQuery,
  ExportRefusal,
  NoAnswer,
  Stopped,
  UNKNOWN_YET,
} from './client.js';
import type { ExportRow } from './columns.js';
import type { RowText } from './rows.js';
import type { SeenIds } from './seen-ids.js';
import type { Sink } from './sink.js';
import type { ExportState } from './state.js';

/** Why an export ended. After `max_credits`, `limit`, `no_credits` and `key_cap` it can be resumed. */
export type End = 'complete' | 'limit' | 'max_credits' | 'no_credits' | 'key_cap' | 'interrupted';

/** How long a charge may be on its way after a call without an answer, seconds. */
const SETTLED_AFTER_S = 90;

export interface Follow {
  /** Called when the whole list is written; from now on only new items follow. */
  onBegin(state: ExportState): void;
  /** Called if items before those of the next page may be missing. */
  onGap(): void;
  /** Waits before the list is read again. Throws `Stopped`. */
  wait(): Promise<void>;
}

export interface ExportRun {
  readonly client: ExportClient;
  readonly path: string;
  /** The operation under which usage counts the calls of this list. */
  readonly operation: string;
  /** Constant parameters: `q`, `product`, `fresh`. */
  readonly query: ExportQuery;
  readonly count: number;
  readonly limit: number | null;
  /** Thousandths that all runs of this export together may spend. */
  readonly maxSpent: number;
  readonly stop: AbortSignal;
  /** Continues with new items after the last page; null: the export ends there. */
  readonly follow: Follow | null;
  readonly seen: SeenIds;
  readonly text: RowText;
  readonly sink: Sink;
  /** Saves the state; called before each call and at the end. */
  save(state: ExportState): Promise<void>;
  /** Called with the thousandths charged for a page that never arrived; null if the charge is still unknown. */
  onLost(charged: number | null): void;
  /** Called after each page, with its items. */
  onProgress(state: ExportState, items: ExportPage['data']): void;
}

interface Ended {
  readonly state: ExportState;
  readonly end: End;
}

/**
 * Reads page after page into the sink. Saves the most that a call may cost before sending it, so that after a kill the
 * call counts at that maximum. If the charge of a page is unknown, its receipt is looked up and the page is read again;
 * both reads count. Throws as `ExportClient` does, after saving the state; rows already written stay.
 */
export async function runExport(run: ExportRun, from: ExportState): Promise<Ended> {
  const ended = await readPages(run, from);
  const { state, end } = ended;
  const { counted } = state;
  const isOwn = counted?.keyPrefix === run.client.keyPrefix;
  if (end !== 'max_credits' || !run.follow || !isOwn || state.unsure === counted.unsure) return ended;
  // Calls without an answer may have cost less than was assumed.
  const settled = await settle(run, state).catch((error: unknown) => {
    if (error instanceof Stopped) return null;
    throw error;
  });
  if (settled === null) return { state, end: 'interrupted' };
  return settled.unsure < state.unsure ? runExport(run, settled) : ended;
}

async function readPages(run: ExportRun, from: ExportState): Promise<Ended> {
  let state = from;
  try {
    if (run.follow) state = begin(run.follow, state);
    // An earlier run may already have written everything.
    const early = endBefore(run, state);
    if (early !== null) return { state, end: early };
    // A key that is new to this export may have had other charges.
    if (run.follow && state.counted?.keyPrefix !== run.client.keyPrefix)
      state = { ...state, counted: await count(run, { ...state, counted: null }) };
    const worst = toThousandths(await run.client.estimate(run.path, { ...run.query, count: String(run.count) }));
    for (;;) {
      const end = endBefore(run, state);
      if (end !== null) return { state, end };
      const before = state.isComplete ? state.since : state.cursor;
      const pending = Math.min(worst, left(run, state));
      state = { ...state, pending };
      await run.save(state);
      const page = await run.client.page(run.path, nextQuery(run, state, pending)).catch(unlessLost(run));
      if (page instanceof Failure) {
        // Until there is a receipt, the call counts at the most it can have cost, so that repeats stay within the
        // budget.
        state = { ...state, pending: 0, unsure: state.unsure + pending };
        const charged = await fetchCharge(run, page);
        if (charged !== null) state = { ...state, unsure: state.unsure - pending, spent: state.spent + charged };
        run.onLost(charged);
        // The service has to answer a free call first, so that an outage counts as one lost page.
        if (page instanceof NoAnswer) state = await settle(run, state);
        continue;
      }
      // The page is charged even if it cannot be written.
      state = { ...state, pending: 0, spent: state.spent + toThousandths(page.credits_charged) };
      state = await take(run, state, page);
      run.onProgress(state, page.data);
      if (isSame(page, before)) throw new Failure('the service returned the same page twice');
      const ended = endAfter(page);
      if (ended !== null && (ended !== 'complete' || !run.follow)) return { state, end: ended };
      if (!run.follow || !state.isComplete) continue;
      if (page.gap === true) run.follow.onGap();
      state = begin(run.follow, state);
      if (page.has_newer === true) continue;
      // Saved, so that a run killed while it waits pays for nothing again.
      await run.save(state);
      await run.follow.wait();
    }
  } catch (error) {
    if (error instanceof NoAnswer) state = { ...state, unsure: state.unsure + state.pending };
    state = { ...state, pending: 0 };
    if (error instanceof Stopped) return { state, end: 'interrupted' };
    const end = error instanceof ExportRefusal && error.code === 'no_credits' ? endForShortage(error.reason) : null;
    if (end !== null) return { state, end };
    throw error;
  } finally {
    await run.save({ ...state, pending: 0 });
  }
}

/** What the key was charged so far. Null if that is not known. */
async function count({ client, operation }: ExportRun, state: ExportState): Promise<ExportState['counted']> {
  // The day before, because this machine's clock may be ahead of the service's.
  const from = state.counted?.from ?? utcDay(Date.now() - DAY_MS);
  const charged = await client.used(operation, from);
  const { keyPrefix } = client;
  return charged === null ? null : { keyPrefix, from, charged, spent: state.spent, unsure: state.unsure };
}

/**
 * Lets calls without an answer count at most at what the key was charged besides known calls, once nothing is on its way
 * any more. If other programs use the key, too, that is more than these calls cost.
 */
async function settle(run: ExportRun, state: ExportState): Promise<ExportState> {
  const { counted: before } = state;
  await run.client.pause(SETTLED_AFTER_S, UNKNOWN_YET);
  const now = await count(run, state);
  if (before === null || now === null) return { ...state, counted: before ?? now };
  const others = Math.max(0, now.charged - before.charged - (state.spent - before.spent));
  const unsure = before.unsure + Math.min(state.unsure - before.unsure, others);
  return { ...state, unsure, counted: { ...now, unsure } };
}

/** Begins to follow the list once it is complete. */
function begin(follow: Follow, state: ExportState): ExportState {
  if (!state.isComplete || state.isFollowed) return state;
  if (state.since === null) throw new Failure('the service did not say where to follow the list from');
  follow.onBegin(state);
  return { ...state, isFollowed: true };
}

/**
 * Returns errors after which the call is repeated: an unknown charge; in an export with no end also a missing answer.
 */
const unlessLost =
  ({ follow }: ExportRun) =>
  (error: unknown): ExportRefusal | NoAnswer => {
    if (error instanceof ExportRefusal && error.isChargeUnknown) return error;
    if (error instanceof NoAnswer && follow) return error;
    throw error;
  };

async function fetchCharge({ client }: ExportRun, lost: ExportRefusal | NoAnswer): Promise<number | null> {
  const credits = 'requestId' in lost && lost.requestId !== undefined ? await client.charged(lost.requestId) : null;
  return credits === null ? null : toThousandths(credits);
}

const left = (run: ExportRun, { spent, unsure }: ExportState): number => run.maxSpent - spent - unsure;

function endBefore(run: ExportRun, state: ExportState): End | null {
  if (state.isComplete && !run.follow) return 'complete';
  if (run.stop.aborted) return 'interrupted';
  if (run.limit !== null && state.items >= run.limit) return 'limit';
  return left(run, state) <= 0 ? 'max_credits' : null;
}

const nextQuery = (run: ExportRun, state: ExportState, pending: number): ExportQuery => ({
  ...run.query,
  count: String(run.limit === null ? run.count : Math.min(run.count, run.limit - state.items)),
  ...(state.isComplete ? { since: state.since ?? undefined } : { cursor: state.cursor ?? undefined }),
  max_credits: String(toCredits(pending)),
});

/** Writes the page's new rows. */
async function take(run: ExportRun, state: ExportState, page: ExportPage): Promise<ExportState> {
  const rows = page.data.map((item): ExportRow => (typeof item === 'string' ? { id: item } : item));
  const fresh = run.seen.fresh(rows);
  const head = state.cursor === null && state.items === 0 && !state.isComplete ? run.text.head : '';
  await run.sink.append(head + run.text.rows(fresh));
  return {
    ...state,
    cursor: page.next_cursor ?? null,
    // The first page has it, and each answer about new items.
    since: page.since_cursor ?? state.since,
    items: state.items + fresh.length,
    repeats: state.repeats + rows.length - fresh.length,
    bytes: run.sink.bytes,
    isComplete: state.isComplete || endAfter(page) === 'complete',
  };
}

/** Whether the next call would read the same page again and pay for it again. */
const isSame = ({ data, next_cursor: next, since_cursor: since }: ExportPage, before: string | null): boolean =>
  before !== null && (next === before || (since === before && data.length > 0));

function endAfter({ truncated, next_cursor }: ExportPage): End | null {
  if (truncated === 'max_credits' || truncated === 'no_credits' || truncated === 'key_cap') return truncated;
  return next_cursor === undefined ? 'complete' : null;
}

const endForShortage = (reason: string | undefined): End =>
  reason === 'max_credits' || reason === 'key_cap' ? reason : 'no_credits';
