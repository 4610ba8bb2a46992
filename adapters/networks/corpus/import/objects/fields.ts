import { z } from 'zod';
import { isId, parseHandle } from '../../../../../src/domain/ids.js';
import { readable } from '../../../../../src/lib/text.js';

const MAX_BIGINT = '9223372036854775807';
/** The format of times in the model, and in most sources. */
const IN_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const LAST_MOMENT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** Whether the database can store an id (I15). */
export const fitsCorpus = (digits: string): boolean =>
  digits.length < MAX_BIGINT.length || (digits.length === MAX_BIGINT.length && digits <= MAX_BIGINT);

/** Text of limited length; what Postgres could not store is replaced. */
export const text = (maxLength: number) =>
  z
    .string({ error: 'must be a string' })
    .max(maxLength, { error: `must have at most ${maxLength} characters` })
    .transform(readable);

export const id = z
  .string({ error: 'must be a string of digits' })
  .refine(isId, { error: 'must be digits only, without a sign, spaces or leading zeros' })
  .refine(fitsCorpus, {
    error: `must be at most ${MAX_BIGINT}: the corpus has no room for longer ids, such as those of Bluesky`,
  });

export const handle = z
  .string({ error: 'must be a string' })
  .refine((value) => !value.startsWith('@') && parseHandle(value) !== null, {
    error: 'must be a handle without "@": letters, digits and "_" (and "." or "-" inside)',
  })
  .transform((value) => parseHandle(value) ?? value);

export const counter = z
  .number({ error: 'must be a number' })
  .refine((value) => Number.isSafeInteger(value) && value >= 0, {
    error: `must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`,
  });

/** Pixels. */
export const pixels = z
  .number({ error: 'must be a number' })
  .refine((value) => Number.isInteger(value) && value >= 0 && value <= 1_000_000, {
    error: 'must be a whole number of pixels',
  });

export const flag = z.boolean({ error: 'must be true or false' });

const isMoment = (value: string): boolean => {
  const at = Date.parse(value);
  return at >= 0 && at <= LAST_MOMENT;
};

/** An RFC 3339 date-time with any offset; converted to UTC with milliseconds. */
export const moment = z.iso
  .datetime({ offset: true, error: 'must be a date-time such as 2026-01-31T12:00:00.000Z' })
  .refine(isMoment, { error: 'must be a date-time between 1970 and 9999' })
  .transform((value) => (IN_UTC.test(value) ? value : new Date(value).toISOString()));

export const list = <Item extends z.ZodType>(item: Item, maxItems: number) =>
  z.array(item, { error: 'must be a list' }).max(maxItems, { error: `must have at most ${maxItems} items` });

export const altText = text(10_000).nullish();

export const optionSchema = z.object({ text: text(500), votes: counter.nullish() });

export const pollSchema = z.object({ options: list(optionSchema, 50), ends_at: moment.nullish() });

/** A web address. */
export const addressText = text(2_048);

export const articleSchema = z.object({ title: text(2_000), url: addressText.nullish() });

/** A part of a post, or undefined if it is invalid: then the post is kept without it (T20). */
export const valid = <Value>(schema: z.ZodType, value: Value): Value | undefined =>
  schema.safeParse(value).success ? value : undefined;
