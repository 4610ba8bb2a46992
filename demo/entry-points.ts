/**
 * Names and ids for the examples of the README and GraphiQL, which exist at every start. The ids depend only on the
 * times here.
 */
import { snowflake } from './snowflake.js';

export const THREAD_MS = Date.UTC(2025, 2, 7, 18, 6, 0);
/** A thread of more than fifty tweets: the observatory's log of the night, and the replies to it. */
export const COMET_THREAD_ID = snowflake(THREAD_MS);

export const CELEBRATED_MS = Date.UTC(2025, 2, 8, 8, 12, 0);
/**
 * A picture that went viral: more quotes, retweeters and direct replies than fit on a page, and more than 2^31 views.
 */
export const CELEBRATED_TWEET_ID = snowflake(CELEBRATED_MS);

/** The seed of the network that `npm start` makes. */
export const DEMO_SEED = 20_250_307;

export const DEMO_HANDLES = {
  /** More than 1,000 followers, more than 200 tweets, and a pinned one. */
  observatory: 'harbor_obs',
  ferries: 'brindleferries',
  newspaper: 'brindlecourier',
  weather: 'brindle_wx',
  lighthouse: 'lantern_light',
  library: 'quay_library',
  museum: 'ropewalkmuseum',
  bakery: 'gull_and_grain',
  railway: 'coastline_rail',
  /** A person's account. */
  astronomer: 'noor_looks_up',
  /** Its profile is visible, its tweets are not. */
  protected: 'quiet_heron',
} as const;

/** Searches that find something in every network. */
export const DEMO_SEARCHES = [
  'comet min_faves:50',
  'from:harbor_obs filter:images',
  '#comet -filter:replies',
  '"sea state" min_retweets:2',
  'to:brindleferries filter:replies',
  '@harbor_obs filter:quote',
  `conversation_id:${COMET_THREAD_ID}`,
] as const;
