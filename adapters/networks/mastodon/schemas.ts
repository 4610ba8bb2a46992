import { z } from 'zod';

/** Ids are numbers as text; if not, it is other server software, whose ids Perch cannot represent. */
const id = z.string().regex(/^(0|[1-9][0-9]{0,19})$/, 'is no decimal id');

/** A time in Perch's format. Some are days without a time. */
const moment = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()])
  .transform((text) => new Date(text).toISOString());

const count = z.int().nonnegative();

export const account = z.object({
  id,
  username: z.string().min(1),
  acct: z.string().min(1),
  display_name: z.string().nullish(),
  note: z.string().nullish(),
  url: z.string().nullish(),
  avatar: z.string().nullish(),
  header: z.string().nullish(),
  locked: z.boolean().nullish(),
  followers_count: count,
  following_count: count,
  statuses_count: count,
  created_at: moment,
  fields: z.array(z.object({ value: z.string(), verified_at: z.string().nullish() })).nullish(),
  suspended: z.boolean().nullish(),
  hide_collections: z.boolean().nullish(),
  indexable: z.boolean().nullish(),
  noindex: z.boolean().nullish(),
});

const size = z.object({ width: z.int().positive().nullish(), height: z.int().positive().nullish() });

const attachment = z.object({
  type: z.string(),
  url: z.string().nullish(),
  remote_url: z.string().nullish(),
  preview_url: z.string().nullish(),
  // An object, null, or from some versions an empty list.
  meta: z.object({ original: size.nullish() }).nullish().catch(null),
});

/** Complete, or in servers' nested answers only its id. */
const quote = z.object({
  state: z.string(),
  quoted_status: z.object({ id }).nullish(),
  quoted_status_id: id.nullish(),
});

const post = z.object({
  id,
  created_at: moment,
  account,
  content: z.string(),
  spoiler_text: z.string().nullish(),
  visibility: z.string(),
  language: z.string().nullish(),
  in_reply_to_id: id.nullish(),
  in_reply_to_account_id: id.nullish(),
  replies_count: count.nullish(),
  reblogs_count: count.nullish(),
  favourites_count: count.nullish(),
  quotes_count: count.nullish(),
  media_attachments: z.array(attachment),
  mentions: z.array(z.object({ acct: z.string() })),
  tags: z.array(z.object({ name: z.string() })),
  card: z.object({ url: z.string().nullish() }).nullish(),
  quote: quote.nullish(),
  application: z.object({ name: z.string().nullish() }).nullish(),
});

export const status = post.extend({ reblog: post.nullish() });

export const accounts = z.array(account);
export const statuses = z.array(status);
export const context = z.object({ ancestors: statuses, descendants: statuses });
/** Without a token some versions leave out members that are not served. */
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
