import type { Media } from '../../../../src/domain/model.js';
import type { CorpusTweet } from '../rows.js';

const keyOf = ({ previewUrl, url }: Media): string | undefined => previewUrl ?? url;

const mergedMedia = (known: readonly Media[], given: readonly Media[]): Media[] =>
  given.map((medium) => {
    const key = keyOf(medium);
    return { ...(key === undefined ? undefined : known.find((one) => keyOf(one) === key)), ...medium };
  });

/**
 * The parts of a tweet with what was known of each, such as the alternative text of a picture: an archive has none, and
 * a page only those that were asked for. Here for rows of a batch, and for the database.
 */
export function mergedParts(known: CorpusTweet, given: CorpusTweet): Partial<CorpusTweet> {
  return {
    ...(known.media && given.media && { media: mergedMedia(known.media, given.media) }),
    ...(known.poll && given.poll && { poll: { ...known.poll, ...given.poll } }),
  };
}

const keySql = (one: string): string => `coalesce(${one} ->> 'preview_url', ${one} ->> 'url')`;

/** Null where either is not known, or nothing is listed. */
export const mergedMediaSql = (known: string, given: string): string => `(
  select jsonb_agg(coalesce(k.one, '{}') || g.one order by g.nth) from jsonb_array_elements(${given}) with ordinality g (one, nth)
  left join lateral (select one from jsonb_array_elements(${known}) each (one) where ${keySql('each.one')} = ${keySql('g.one')} limit 1) k on true)`;

export const mergedPollSql = (known: string, given: string): string => `${known} || ${given}`;
