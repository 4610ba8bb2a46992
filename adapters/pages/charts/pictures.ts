import { createHash } from 'node:crypto';
import { ServiceError } from '../../../src/domain/errors.js';
import { Memories } from '../../../src/lib/memories.js';
import { CHARTS, type ChartData } from './chart-data.js';
import { CHART_WIDTHS } from './chart-sizes.js';
import type { Draw, Look } from './chart-thread.js';

/**
 * The most pictures of one account that may be drawn or wait: every look of a page's charts, one of them by the hour, in both schemes, in case the window
 * is rotated or its scheme changes while they are drawn.
 */
export const MOST_WAITING = (CHARTS.length + 1) * CHART_WIDTHS.length * 2;

/** A picture of an account's figures. Throws `rate_limited` while too many others of the account are waiting. */
export type Pictures = (accountId: string, data: ChartData, look: Look) => Promise<string>;

/** Draws no picture twice: neither at the same time, nor while the last one of the same figures is kept. */
export function createPictures(draw: Draw, memories = new Memories()): Pictures {
  const kept = memories.map<string>('charts');
  const drawing = new Map<string, Promise<string>>();
  const waiting = new Map<string, number>();
  const begin = async (accountId: string, digest: string, data: ChartData, look: Look): Promise<string> => {
    const before = waiting.get(accountId) ?? 0;
    if (before >= MOST_WAITING) {
      throw new ServiceError('rate_limited', 'Other charts of this account are still being drawn. Reload the page.');
    }
    waiting.set(accountId, before + 1);
    try {
      const svg = await draw(data, look);
      kept.set(digest, svg);
      return svg;
    } finally {
      const left = (waiting.get(accountId) ?? 1) - 1;
      if (left === 0) waiting.delete(accountId);
      else waiting.set(accountId, left);
    }
  };
  return async (accountId, data, look) => {
    const { scheme, width } = look;
    const digest = createHash('sha256')
      .update(JSON.stringify([accountId, scheme, width, data]))
      .digest('base64url');
    const known = kept.get(digest) ?? drawing.get(digest);
    if (known !== undefined) return known;
    const begun = begin(accountId, digest, data, look).finally(() => drawing.delete(digest));
    drawing.set(digest, begun);
    return begun;
  };
}
