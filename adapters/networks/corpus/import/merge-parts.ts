import type { Media } from '../../../../src/domain/model.js';
import type { CorpusTweet } from '../rows.js';

const keyOf = ({ previewUrl, url }: Media): string | undefined => previewUrl ?? url;

/** Media with the same address are told apart by their order. */
function mergedMedia(known: readonly Media[], given: readonly Media[]): Media[] {
  const left = [...known];
  return given.map((medium) => {
    const key = keyOf(medium);
    const index = key === undefined ? -1 : left.findIndex((one) => keyOf(one) === key);
    const [same] = index < 0 ? [] : left.splice(index, 1);
    return { ...same, ...medium };
  });
}

/**
 * The parts of a tweet, merged with what was known of each, such as a picture's alternative text: an archive has none,
 * and a page only those that were requested. Here for rows of a batch, and below as SQL for the database.
 */
export function mergedParts(known: CorpusTweet, given: CorpusTweet): Partial<CorpusTweet> {
  return {
    ...(known.media && given.media && { media: mergedMedia(known.media, given.media) }),
    ...(known.poll && given.poll && { poll: { ...known.poll, ...given.poll } }),
  };
}

/** Each medium with its address, and its number among those with the same address. */
const numberedSql = (media: string): string => `(
  select one, nth, key, row_number() over (partition by key order by nth) turn
  from jsonb_array_elements(${media}) with ordinality each (one, nth),
  lateral (select coalesce(one ->> 'preview_url', one ->> 'url') key) address)`;

/** Null if either is unknown, or if nothing is listed. */
export const mergedMediaSql = (known: string, given: string): string => `(
  select jsonb_agg(coalesce(k.one, '{}') || g.one order by g.nth)
  from ${numberedSql(given)} g left join ${numberedSql(known)} k using (key, turn))`;

export const mergedPollSql = (known: string, given: string): string => `${known} || ${given}`;
