/**
 * Helpers to declare commands. Each parser takes a text and returns its value, or throws an error that says what is
 * valid.
 */

import { type Command, InvalidArgumentError } from 'commander';
import { readNetworks } from '../../src/access/address.js';
import { isWellFormedKey, keyPrefix } from '../../src/access/key.js';
import { type Thousandths, toThousandths } from '../../src/domain/credits.js';
import { ServiceError } from '../../src/domain/errors.js';
import { isScope, SCOPES, type Scope } from '../../src/domain/lists.js';
import { mailAddress } from '../../src/domain/mail-address.js';
import { DAY_MS, HOUR_MS } from '../../src/lib/durations.js';
import { isUuid } from '../../src/lib/uuid.js';

const MAX_NAME = 100;
const MAX_OVERLAP_MS = 30 * DAY_MS;
const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: HOUR_MS, d: DAY_MS };

/** Examples at the foot of a command's help. */
export const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`;

/** A command that only groups others. */
export const group = (program: Command, name: string, description: string): Command =>
  program.command(name).description(description).helpCommand(false);

function refuse(right: string): never {
  throw new InvalidArgumentError(`Must be ${right}.`);
}

// Invisible characters would make two different names look the same.
const isPlain = (text: string): boolean => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text);

export function name(text: string): string {
  const trimmed = text.trim();
  const fits = trimmed !== '' && [...trimmed].length <= MAX_NAME && isPlain(trimmed);
  return fits ? trimmed : refuse(`1 to ${MAX_NAME} visible characters on one line`);
}

/** The addresses that sign-in accepts: others could never be used to sign in. */
export const email = (text: string): string => {
  const { success, data } = mailAddress.safeParse(text.trim());
  return success ? data : refuse('an email address such as ada@example.org');
};

export const uuid = (text: string): string =>
  isUuid(text) ? text.toLowerCase() : refuse('an id such as 019a2b3c-4d5e-7f60-8123-456789abcdef');

/** Credits, not negative, as thousandths. */
export const credits = (text: string): Thousandths =>
  /^[0-9]{1,12}(\.[0-9]{1,3})?$/.test(text)
    ? toThousandths(Number(text))
    : refuse('a number of credits with at most three decimals, such as 1000 or 12.5');

export function someCredits(text: string): Thousandths {
  const amount = credits(text);
  return amount > 0 ? amount : refuse('more than 0 credits');
}

const whole = (text: string, least: number, most: number): number => {
  const value = /^[0-9]{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : refuse(`a whole number from ${least} to ${most}`);
};

export const wholeDollars = (text: string): number => whole(text, 0, 1_000_000_000);

export const days = (text: string): number => whole(text, 1, 400);

/** Every process opens four connections for each shard. */
const MOST_SHARDS = 64;

export const shardCount = (text: string): number => whole(text, 1, MOST_SHARDS);

export const perSecond = (text: string): number => whole(text, 1, 1_000_000);

export const rateOrTier = (text: string): number | 'tier' => (text === 'tier' ? text : perSecond(text));

const MAX_NOTE = 2000;

export function noteText(text: string): string {
  const trimmed = text.trim();
  return [...trimmed].length <= MAX_NOTE && !trimmed.includes('\0')
    ? trimmed
    : refuse(`at most ${MAX_NOTE} characters`);
}

/** How many accounts a list shows. */
export const listLength = (text: string): number => whole(text, 1, 1000);

export const atLeastOne = (text: string): number => whole(text, 1, 9_999_999_999);

export const intervalSeconds = (text: string): number => whole(text, 1, 86_400);

/** The address of a service, without a slash at the end. */
export function webAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlainWeb = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '';
  return isPlainWeb
    ? `${url.origin}${url.pathname}`.replace(/(?<!\/)\/+$/, '')
    : refuse('a URL such as http://127.0.0.1:4000');
}

/** How long the old key keeps working: 0 to 30 days, in milliseconds. */
export function overlap(text: string): number {
  const [, amount = '', unit = ''] = /^([0-9]{1,7})([smhd])$/.exec(text) ?? [];
  const ms = text === '0' ? 0 : Number(amount || Number.NaN) * (UNIT_MS[unit] ?? Number.NaN);
  return ms >= 0 && ms <= MAX_OVERLAP_MS
    ? ms
    : refuse('from 0 to 30d, such as 90s, 15m, 24h or 7d (0 revokes the old key at once)');
}

/** What a key may read, separated by commas; null: everything. */
export function reads(text: string): Scope[] | null {
  if (text === 'all') return null;
  const names = text.split(',').map((each) => each.trim());
  return names.every(isScope) ? [...new Set(names)] : refuse(`all, or some of ${SCOPES.join(', ')}, between commas`);
}

/** Addresses and networks, separated by commas; null: anywhere. */
export function networks(text: string): string[] | null {
  if (text === 'any') return null;
  try {
    const read = readNetworks(text);
    return read.length > 0 ? read : refuse('any, or networks such as 192.0.2.0/24, between commas');
  } catch (error) {
    if (error instanceof ServiceError) throw new InvalidArgumentError(error.message);
    throw error;
  }
}

/** The end of the last UTC day on which a key works; null: it never expires. */
export function lastDay(text: string): string | null {
  if (text === 'never') return null;
  const ends = `${text}T23:59:59.999Z`;
  const isDay = /^20[0-9]{2}-[0-9]{2}-[0-9]{2}$/.test(text) && new Date(ends).toJSON() === ends;
  return isDay ? ends : refuse('never, or a day such as 2026-12-31');
}

/** A calendar month or day, UTC. */
export function monthOrDay(text: string): string {
  const [, month, day = '01'] = /^(20[0-9]{2}-[0-9]{2})(?:-([0-9]{2}))?$/.exec(text) ?? [];
  const begins = `${month}-${day}T00:00:00.000Z`;
  // Date.parse may read a day beyond the end of a month as a day of the next one.
  const isThere = !Number.isNaN(Date.parse(begins)) && new Date(begins).toJSON() === begins;
  return isThere ? text : refuse('a month such as 2026-01, or a day such as 2026-01-15');
}

/** A path. Empty, as a script gives it with a variable that is not set, it would name the current folder. */
export const path = (text: string): string => (text.trim() === '' ? refuse('a path; it is empty') : text);

export const paths = (text: string, before: readonly string[] = []): readonly string[] => [...before, path(text)];

/** The visible prefix of a key; a whole key is cut to its prefix. */
export function prefix(text: string): string {
  if (isWellFormedKey(text)) return keyPrefix(text);
  return /^perch_(?:live|test)_[0-9A-Za-z]{6}$/.test(text)
    ? text
    : refuse('a key prefix such as perch_live_a1B2c3 (see perch key list)');
}

export function method(text: string): string {
  return /^(get|post)$/i.test(text) ? text.toUpperCase() : refuse('GET or POST');
}
