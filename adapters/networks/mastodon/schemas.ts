import { z } from 'zod';
import { lookedUp, readable, readablePage, readObject } from '../upstream/readable.js';

/** Ids are numbers as text. Others come from other server software, whose ids Perch cannot represent. */
export const id = z.string().regex(/^(0|[1-9][0-9]{0,19})$/, 'is not a decimal id');

/** A time in Perch's format. Some servers send a day without a time. */
const moment = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()])
  .transform((text) => new Date(text).toISOString());

/** An optional member: an invalid value counts as missing, since servers of many kinds fill it in. */
const maybe = <T extends z.ZodType>(schema: T) => schema.nullish().catch(undefined);
const text = maybe(z.string());

/** An optional list, of which only valid items are kept. */
const some = <T>(item: z.ZodType<T>) =>
  maybe(z.array(z.unknown()).transform((all) => all.flatMap((one) => item.safeParse(one).data ?? [])));

/** Servers that hide a count send −1. */
const count = maybe(z.int().nonnegative());

/** The members that decide whether an account is shown; unlike others, they never count as missing when invalid. */
const shown = z.object({
  id,
  suspended: z.boolean().nullish(),
  indexable: z.boolean().nullish(),
  noindex: z.boolean().nullish(),
});

export const account = shown.extend({
  username: z.string().min(1),
  acct: z.string().min(1),
  display_name: text,
  note: text,
  url: text,
  avatar: text,
  header: text,
  followers_count: count,
  following_count: count,
  statuses_count: count,
  created_at: moment,
  fields: some(z.object({ value: z.string(), verified_at: text })),
  hide_collections: z.boolean().nullish(),
});

const pixels = maybe(z.int().positive());

const attachment = z.object({
  type: z.string(),
  url: text,
  remote_url: text,
  preview_url: text,
  description: text,
  // An object, null, or from some versions an empty list.
  meta: maybe(z.object({ original: maybe(z.object({ width: pixels, height: pixels })) })),
});

const poll = z.object({
  expires_at: maybe(moment),
  // Votes are null while they are hidden.
  options: some(z.object({ title: z.string(), votes_count: count })),
});

/** A quote: complete, or only its id where the server nests objects. */
const quote = z.object({
  state: z.string(),
  quoted_status: maybe(z.object({ id })),
  quoted_status_id: maybe(id),
});

/** An author: the members that decide whether the post is shown, and the profile if it can be read. */
const author = z.unknown().transform((value, { addIssue }) => {
  const { data, error } = shown.safeParse(value);
  if (data !== undefined) return { ...data, profile: readObject(account, value) };
  for (const { path, message } of error.issues) addIssue({ code: 'custom', path: [...path], message });
  return z.NEVER;
});

const post = z.object({
  id,
  created_at: moment,
  account: author,
  // Some servers send null for a post without a text.
  content: z.string().nullable(),
  spoiler_text: text,
  visibility: z.string(),
  language: text,
  in_reply_to_id: maybe(id),
  in_reply_to_account_id: maybe(id),
  replies_count: count,
  reblogs_count: count,
  favourites_count: count,
  quotes_count: count,
  media_attachments: some(attachment),
  mentions: some(z.object({ acct: z.string() })),
  tags: some(z.object({ name: z.string() })),
  card: maybe(z.object({ url: text, title: text })),
  poll: maybe(poll),
  quote: maybe(quote),
  application: maybe(z.object({ name: text })),
});

export const status = post.extend({ reblog: post.nullish() });

export const accounts = readablePage(account);
export const statuses = readablePage(status);
export const requestedStatuses = lookedUp(status);
export const context = z.object({ ancestors: readable(status), descendants: readable(status) });
/** Without a token, some versions leave out members that they do not serve. */
export const found = z.object({ accounts: accounts.default([]), statuses: statuses.default([]) });

export const instance = z.object({
  domain: z.string(),
  version: z.string(),
  api_versions: z.object({ mastodon: z.int().nullish() }).nullish(),
  configuration: z
    .object({
      limited_federation: z.boolean().nullish(),
      urls: z.object({ terms_of_service: z.string().nullish() }).nullish(),
    })
    .nullish(),
  contact: z.object({ account: z.object({ id: z.string(), acct: z.string() }).nullish() }).nullish(),
});

export type Account = z.output<typeof account>;
export type Post = z.output<typeof post>;
export type Status = z.output<typeof status>;
export type Instance = z.output<typeof instance>;
