import type { Headers } from 'undici';
import type { Limit } from './refusal.js';

/** The longest wait that an upstream may ask for, since its header or a clock may be wrong. */
const LONGEST_S = 24 * 3600;

const inBounds = (seconds: number): number | undefined =>
  Number.isFinite(seconds) ? Math.min(Math.max(0, Math.ceil(seconds)), LONGEST_S) : undefined;

/** `Retry-After`: seconds, or an HTTP date. */
export function retryAfterSeconds(headers: Headers, nowMs = Date.now()): number | undefined {
  const text = headers.get('retry-after')?.trim();
  if (text === undefined || text === '') return undefined;
  return /^\d+$/.test(text) ? inBounds(Number(text)) : inBounds((Date.parse(text) - nowMs) / 1000);
}

/** Times in an upstream's format as Unix milliseconds: from Unix seconds, or from an RFC 3339 date-time. */
const DIALECTS = {
  'unix seconds': (text: string): number => (/^\d{9,11}$/.test(text) ? Number(text) * 1000 : Number.NaN),
  'date-time': (text: string): number => Date.parse(text),
} as const;

/** Reads rate headers with a given prefix (`x-rate-limit`, `ratelimit`) and time format. */
export const limitReader =
  (prefix: string, dialect: keyof typeof DIALECTS) =>
  (headers: Headers, nowMs = Date.now()): Limit | undefined => {
    const remaining = headers.get(`${prefix}-remaining`)?.trim() ?? '';
    const reset = headers.get(`${prefix}-reset`)?.trim() ?? '';
    if (!/^\d{1,9}$/.test(remaining)) return undefined;
    const resetsInSeconds = inBounds((DIALECTS[dialect](reset) - nowMs) / 1000);
    return resetsInSeconds === undefined ? undefined : { remaining: Number(remaining), resetsInSeconds };
  };
