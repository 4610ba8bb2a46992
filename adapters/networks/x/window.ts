import { badRequest, foreignCursor } from '../../../src/domain/errors.js';
import { DAY_MS } from '../../../src/lib/durations.js';
import type { XOptions } from './api.js';
import { FIRST_POST_MS, timeOfId } from './ids.js';
import type { PostBounds } from './query.js';

/** How far back recent search goes, and how much of that may be lost by the time X processes the request. */
const RECENT_MS = 7 * DAY_MS;
const MARGIN_MS = 60_000;
/** X accepts no end closer to now than this; without an end, the search ends there anyway. */
const LATEST_END_MS = 30_000;

export type Settings = Pick<XOptions, 'search' | 'clock'>;

/** Which search a request uses, and how it expresses its time range. */
export interface Window {
  readonly path: 'recent' | 'all';
  readonly params: Readonly<Record<string, string>>;
  /** Whether nothing requested is older than what this search covers. */
  readonly isWhole: boolean;
}

/** The archive is used only for what recent search does not cover. */
export function chooseWindow(bounds: PostBounds, { search, clock }: Settings): Window {
  const now = clock.now();
  const start = now - RECENT_MS + MARGIN_MS;
  const isWhole = earliest(bounds) >= start;
  const to = search === 'archive' && !isWhole ? 'all' : 'recent';
  return {
    path: to,
    params: { ...(to === 'all' ? fromTheFirst(bounds) : isWhole ? from(bounds) : {}), ...until(bounds, now) },
    isWhole: to === 'all' || isWhole,
  };
}

/**
 * Keeps the first page's window for the pages after it, because X's tokens are valid only for the exact request that
 * returned them.
 */
export function encodeToken({ path, params }: Window, next: string): string {
  const { start_time: start, end_time: end, since_id: since = '', until_id: until = '' } = params;
  const stamp = (time: string | undefined) => (time === undefined ? '' : Date.parse(time) / 1000);
  return [path, stamp(start), stamp(end), since, until, next].join('.');
}

/** The first page's window and X's own token. Throws `bad_request` for a token of another list. */
export function parseToken(token: string): { window: Window; nextToken: string } {
  const found = /^(recent|all)\.(\d{0,11})\.(\d{0,11})\.(\d{0,19})\.(\d{0,19})\.(.+)$/s.exec(token);
  const [, path, start, end, since, until, nextToken] = found ?? [];
  if (nextToken === undefined) throw foreignCursor();
  const params = {
    ...(start && { start_time: second(Number(start) * 1000) }),
    ...(end && { end_time: second(Number(end) * 1000) }),
    ...(since && { since_id: since }),
    ...(until && { until_id: until }),
  };
  const isWhole = path === 'all' || Boolean(start || since);
  return { window: { path: path as Window['path'], params, isWhole }, nextToken };
}

/**
 * Refuses a range that recent search does not fully cover. A day that began before the search's window counts from the
 * window's start.
 */
export function requireReach(bounds: PostBounds, { search, clock }: Settings): void {
  if (search === 'archive') return;
  const start = clock.now() - RECENT_MS;
  const { since = Infinity, until: end = Infinity, afterId, uptoId } = bounds;
  const faults: readonly [operator: string, isTooOld: boolean][] = [
    ['since:', since < start - DAY_MS],
    ['since_id:', afterId !== undefined && timeOfId(afterId) < start - DAY_MS],
    ['until:', end <= start + MARGIN_MS],
    ['max_id:', uptoId !== undefined && timeOfId(uptoId) <= start + MARGIN_MS],
  ];
  const fault = faults.find(([, isTooOld]) => isTooOld);
  if (fault === undefined) return;
  throw badRequest(
    `${fault[0]} is more than seven days ago, and this service searches the last seven days of X: X_SEARCH=recent. The operator can allow everything since 2006 with X_SEARCH=archive, if the tokens allow it.`,
    'q',
  );
}

const earliest = ({ since, afterId }: PostBounds): number =>
  since ?? (afterId === undefined ? -Infinity : timeOfId(afterId));

/** X takes whole seconds. */
const second = (ms: number): string => new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');

const from = ({ since, afterId }: PostBounds): Window['params'] => ({
  ...(since !== undefined && { start_time: second(since) }),
  ...(afterId !== undefined && { since_id: afterId }),
});

/** Without a start, the archive search would begin 30 days ago. */
const fromTheFirst = ({ since = FIRST_POST_MS, afterId }: PostBounds): Window['params'] =>
  from({ since: Math.max(since, FIRST_POST_MS), ...(afterId !== undefined && { afterId }) });

/** A range that ends in the future needs no end. */
const until = ({ until: end = Infinity, uptoId }: PostBounds, now: number): Window['params'] => ({
  ...(end <= now - LATEST_END_MS && { end_time: second(end) }),
  ...(uptoId !== undefined && timeOfId(uptoId) <= now && { until_id: String(BigInt(uptoId) + 1n) }),
});
