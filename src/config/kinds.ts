import { z } from 'zod';
import { toThousandths } from '../domain/credits.js';
import { mailAddress } from '../domain/mail-address.js';

/**
 * The format of a variable's text: each kind takes the text and returns the typed value. Texts arrive trimmed and are
 * never empty.
 */
export type SettingKind<T> = z.ZodType<T, string>;

export const whole = (least: number, most: number): SettingKind<number> =>
  z
    .string()
    .regex(/^[0-9]{1,15}$/)
    .transform(Number)
    .refine((value) => value >= least && value <= most);

/** A decimal number above zero. */
export const rate: SettingKind<number> = z
  .string()
  .regex(/^[0-9]{1,6}(\.[0-9]{1,3})?$/)
  .transform(Number)
  .refine((value) => value > 0);

/** Credits with at most three decimals, as thousandths. */
export const credits: SettingKind<number> = z
  .string()
  .regex(/^[0-9]{1,9}(\.[0-9]{1,3})?$/)
  .transform((text) => toThousandths(Number(text)));

/** A decimal number from 0 to 1. */
export const share: SettingKind<number> = z
  .string()
  .regex(/^(0|1|0?\.[0-9]{1,9}|1\.0+)$/)
  .transform(Number);

/** `name=value`, several separated by commas. */
export const nameValues: SettingKind<string> = z.string().regex(/^[^=,\s]+=[^,]*(,\s*[^=,\s]+=[^,]*)*$/);

export const oneOf = <const T extends readonly string[]>(values: T): SettingKind<T[number]> => z.enum(values);

export const words: SettingKind<string> = z.string();

/** Name and address on receipts. */
export const sellerLines: SettingKind<string[]> = z
  .string()
  .transform((text) => text.split('|').map((line) => line.trim()))
  .pipe(z.array(z.string().regex(/^[^\p{Cc}]{1,100}$/u)).max(8));

export const oneWord: SettingKind<string> = z.string().regex(/^\S+$/);

/** Part of a header, in which RFC 9110 (5.5) gives no other characters a meaning. */
export const headerText: SettingKind<string> = z.string().regex(/^[ -~]+$/);

/** Sent as `Authorization: Bearer`. */
export const bearerToken: SettingKind<string> = z.string().regex(/^[!-~]+$/);

/**
 * The text as given, since a URL object would change it. Printable and without brackets, because it may be part of a
 * header.
 */
const address = (...protocols: readonly string[]): z.ZodType<string, string> =>
  z
    .string()
    .regex(/^[!-;=?-~]+$/, { abort: true })
    .refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), { abort: true });

/** An address that paths are appended to: its trailing slashes are dropped. */
const bare = (...protocols: readonly string[]): SettingKind<string> =>
  address(...protocols)
    .refine((text) => !/[?#]/.test(text) && new URL(text).username === '' && new URL(text).password === '')
    .transform((text) => text.replace(/(?<!\/)\/+$/, ''));

export const baseUrl: SettingKind<string> = bare('http:', 'https:');

export const socketUrl: SettingKind<string> = bare('ws:', 'wss:');

export const webPage: SettingKind<string> = address('http:', 'https:');

/**
 * The driver parses the rest, because it accepts forms (several hosts, socket folders) that no URL parser does. Hosts
 * are checked by `addressFault`.
 */
export const postgresUrl: SettingKind<string> = z.string().regex(/^postgres(ql)?:\/\/\S+$/);

export const smtpUrl: SettingKind<string> = address('smtp:', 'smtps:');

/** A mail address, bare or in angle brackets after a name; one line. */
export const sender: SettingKind<string> = z
  .string()
  .regex(/^(?:[^\r\n<>]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/);

/** An address that sign-in accepts; converted to lower case. */
export const emailAddress: SettingKind<string> = mailAddress.transform((text) => text.toLowerCase());

/** Comma-separated, at least one; empty pieces and repeats are dropped. */
export const list = (item: SettingKind<string>): SettingKind<readonly string[]> =>
  z
    .string()
    .transform((text) => [...new Set(text.split(',').map((piece) => piece.trim()))].filter((piece) => piece !== ''))
    .pipe(z.array(item).min(1));

/** A proxy whose statement of a client's address is trusted: an address, a range, or the name of a range. */
export const proxyAddress: SettingKind<string> = z.union([
  z.enum(['loopback', 'linklocal', 'uniquelocal']),
  z.ipv4(),
  z.ipv6(),
  z.cidrv4(),
  z.cidrv6(),
]);

export const redisUrl: SettingKind<string> = address('redis:', 'rediss:');

/** A date or date-time of RFC 3339 as Unix milliseconds; a date alone means midnight UTC. */
export const moment: SettingKind<number> = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })])
  .transform((text) => Date.parse(text));
