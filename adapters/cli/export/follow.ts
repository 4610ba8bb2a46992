import { counted } from '../../../src/domain/figures.js';
import { hasSince, type ListRead } from '../../../src/domain/lists.js';
import type { Product } from '../../../src/domain/model.js';
import { Failure, WRONG_USE } from '../failure.js';
import type { ExportClient } from './client.js';
import type { ExportDestination, ExportPaths } from './destination.js';
import type { Format } from './rows.js';
import type { Follow } from './run.js';

/** Seconds between two calls of an export with `--follow`. */
const USUAL_INTERVAL_S = 30;

export interface FollowOptions {
  readonly follow?: boolean;
  /** Seconds. */
  readonly interval?: number;
  readonly product?: Product;
}

/** Throws Failure (wrong use) if the list or the format can't be followed. */
export function checkFollow(
  list: string,
  { kind }: ListRead,
  format: Format,
  { follow, interval, product }: FollowOptions,
): void {
  if (follow !== true) {
    if (interval !== undefined) throw new Failure('--interval is only for --follow', WRONG_USE);
    return;
  }
  if (!hasSince({ kind, product }))
    throw new Failure(
      `${product === undefined ? list : `--product ${product}`} cannot be followed: only tweets, replies, quotes, and searches by time`,
      WRONG_USE,
    );
  if (format === 'parquet')
    throw new Failure('parquet cannot be followed: use ndjson or csv, to which rows can be appended', WRONG_USE);
}

/** Throws Failure (wrong use) if the state of an earlier run does not match the use of `--follow`. */
export function checkFollowed(
  { state, isResumed }: ExportDestination,
  paths: ExportPaths,
  { follow }: FollowOptions,
): void {
  if (state.isFollowed && follow !== true)
    throw new Failure(`${paths.state} is the state of an export that is followed: add --follow`, WRONG_USE);
  if (follow === true && isResumed && state.since === null && state.items > 0)
    throw new Failure(
      `${paths.state} does not say what it was followed from, because an earlier version of perch wrote it: use another --out`,
      WRONG_USE,
    );
}

export function following(client: ExportClient, interval = USUAL_INTERVAL_S, say: (text: string) => void): Follow {
  return {
    onBegin: ({ items }) => say(`perch: ${counted(items, 'item')}; following, every ${interval} s`),
    onGap: () => say('perch: items may be missing here, because more arrived than one call reads'),
    wait: () => client.pause(interval),
  };
}
