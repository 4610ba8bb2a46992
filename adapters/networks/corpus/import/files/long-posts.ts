import { textBeforeCut } from '../cut-text.js';
import { decodeEntities, linksIn } from '../objects/escaped-text.js';
import { asRecord, asRecords, type Fault, type Json } from '../objects/reading.js';

/** The most characters of text that are kept until their tweets have been read. */
const MOST_KEPT = 64 * 1024 * 1024;
interface LongPost {
  readonly text: string;
  readonly fields: Json;
}

/**
 * The whole texts of an archive's long posts, of which its tweets have only the beginning. Long posts and tweets have
 * different ids, so they are matched by the second when they were written and by the beginning of the text.
 */
export class LongPosts {
  readonly faults: Fault[] = [];
  private readonly bySecond = new Map<number, LongPost[]>();
  private kept = 0;

  /** How many long posts completed no tweet. */
  get left(): number {
    return [...this.bySecond.values()].reduce((sum, posts) => sum + posts.length, 0);
  }

  /** Adds an entry of `note-tweet.js`. Returns why it cannot be used, or undefined. */
  add({ createdAt, core }: Json): string | undefined {
    const { text, urls, hashtags, mentions } = asRecord(core);
    const second = epochSecond(createdAt);
    if (typeof text !== 'string' || Number.isNaN(second)) return 'a long post needs createdAt and core.text';
    this.kept += text.length;
    if (this.kept > MOST_KEPT) return `more than ${MOST_KEPT} characters of long posts: this one is left out`;
    const links = asRecords(urls).map((link) => ({ url: link.shortUrl, expanded_url: link.expandedUrl }));
    const fields = {
      text,
      urls: linksIn(text, Array.isArray(urls) ? links : undefined),
      hashtags: pluckTexts(hashtags, 'text'),
      mentions: pluckTexts(mentions, 'screenName'),
    };
    this.bySecond.set(second, [...(this.bySecond.get(second) ?? []), { text, fields }]);
    return undefined;
  }

  /** The tweet, with its whole text if a long post has it. Each long post completes one tweet. */
  complete(tweet: Json): Json {
    const { text } = tweet;
    const beginning = typeof text === 'string' ? textBeforeCut(text) : null;
    if (beginning === null) return tweet;
    const second = epochSecond(tweet.created_at);
    const posts = this.bySecond.get(second) ?? [];
    const found = posts.find(
      (post) => post.text.startsWith(beginning) || decodeEntities(post.text).startsWith(beginning),
    );
    if (found === undefined) return tweet;
    this.bySecond.set(
      second,
      posts.filter((post) => post !== found),
    );
    const listed = Object.entries(found.fields).filter(([, value]) => value !== undefined);
    return { ...tweet, ...Object.fromEntries(listed) };
  }
}

const epochSecond = (moment: unknown): number =>
  typeof moment === 'string' ? Math.floor(Date.parse(moment) / 1000) : Number.NaN;

/** Undefined if an item lacks the member, because the format is not documented. */
function pluckTexts(list: unknown, name: string): unknown[] | undefined {
  const texts = asRecords(list).map((item) => item[name]);
  return texts.length > 0 && texts.every((text) => typeof text === 'string') ? texts : undefined;
}
