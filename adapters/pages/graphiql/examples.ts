import { toCredits } from '../../../src/domain/credits.js';
import { inCredits } from '../../../src/domain/figures.js';
import { itemPrice, type Unit } from '../../../src/domain/prices.js';
import { firstQuery, firstQueryPrice } from '../kit/first-reads.js';

/** The accounts and tweets in the examples; they exist on this service's network. */
export interface ExampleSubjects {
  readonly handle: string;
  /** A tweet with replies; null: the example finds a thread through the account's newest tweets. */
  readonly tweetId: string | null;
  /** Further handles for the batch. */
  readonly otherHandles: readonly string[];
  /** An account that posts every 30 seconds; if none is known, the example follows `handle`. */
  readonly postsOften?: string;
}

/** A tab of GraphiQL. `query` begins with what it costs at most, which a narrow window would cut off later. */
export interface GraphiqlExample {
  readonly title: string;
  readonly query: string;
}

const most = (...lines: readonly [Unit, number][]): string => {
  const sum = lines.reduce((total, [unit, items]) => total + itemPrice(unit, 'miss') * items, 0);
  return `At most ${toCredits(sum)} credits`;
};

const TWEET_FIELDS = 'id text createdAt likesCount repliesCount author { handle }';
const PAGE = 'pageInfo { endCursor hasNextPage } meta { items creditsCharged cache }';

const profile = ({ handle }: ExampleSubjects): GraphiqlExample => ({
  title: 'Profile and timeline',
  query: `# At most ${firstQueryPrice('miss').sum} credits: a profile and its ${firstQueryPrice('miss').count} newest tweets.
# Run it twice: cached items cost half.
${firstQuery(handle)}
`,
});

const search = ({ handle }: ExampleSubjects): GraphiqlExample => ({
  title: 'Search',
  query: `# ${most(['tweet', 10])}: the newest tweets of a search. The author of a tweet is free.
# q supports from: since: until: min_faves: filter:media -filter:replies "a phrase" and OR.
query Search {
  search(q: ${JSON.stringify(`from:${handle} -filter:replies`)}, product: Latest, first: 10) {
    nodes {
      ... on Tweet { ${TWEET_FIELDS} }
    }
    ${PAGE}
  }
}
`,
});

const thread = ({ handle, tweetId }: ExampleSubjects): GraphiqlExample =>
  tweetId === null
    ? {
        title: 'Replies',
        query: `# ${most(['profile', 1], ['tweet', 1], ['tweet', 10])}: direct replies to the newest tweet of an account.
query Replies {
  user(handle: ${JSON.stringify(handle)}) {
    handle
    tweets(first: 1) {
      nodes {
        id
        text
        replies(first: 10) {
          nodes { ${TWEET_FIELDS} }
          ${PAGE}
        }
      }
    }
  }
}
`,
      }
    : {
        title: 'Thread',
        query: `# ${most(['tweet', 20])}: a conversation, the tweet itself first.
query Thread {
  thread(id: ${JSON.stringify(tweetId)}, first: 20) {
    nodes { ${TWEET_FIELDS} inReplyToId }
    ${PAGE}
  }
}
`,
      };

const followers = ({ handle }: ExampleSubjects): GraphiqlExample => ({
  title: 'Followers',
  query: `# ${most(['edge_profile', 10], ['tweet', 20])}: ten followers, and the two newest tweets of each.
query Followers {
  followers(user: ${JSON.stringify(handle)}, first: 10) {
    nodes {
      handle
      name
      followersCount
      tweets(first: 2) {
        nodes { id text createdAt }
        meta { items creditsCharged cache }
      }
    }
    ${PAGE}
  }
}
`,
});

const batch = ({ handle, otherHandles }: ExampleSubjects): GraphiqlExample => ({
  title: 'Batch',
  query: `# ${most(['profile', otherHandles.length + 1])}: several profiles at once.
# Handles that do not exist are listed in errors and cost nothing.
query Batch {
  users(handles: ${JSON.stringify([handle, ...otherHandles, 'nobody_sits_here'])}) {
    nodes { id handle name followersCount }
    errors { input code message }
    meta { items creditsCharged cache }
  }
}
`,
});

const follow = ({ handle, postsOften }: ExampleSubjects): GraphiqlExample => ({
  title: 'Follow',
  query: `# ${inCredits(toCredits(itemPrice('tweet', 'miss')))} each: new tweets as they are posted.
# Waiting is free.${postsOften === undefined ? '' : ' Here, one comes every 30 seconds.'}
subscription Follow {
  timeline(user: ${JSON.stringify(postsOften ?? handle)}) {
    nodes { ${TWEET_FIELDS} }
    meta { items creditsCharged }
  }
}
`,
});

const me = (): GraphiqlExample => ({
  title: 'Balance and usage',
  query: `# Free: your balance, rate limit and usage.
query MeAndUsage {
  me {
    customerId
    keyPrefix
    balance
    rateLimitQps
  }
  usage(group: "day,endpoint") {
    day
    endpoint
    requests
    items
    cacheHits
    credits
  }
}
`,
});

/** The tabs that a new visitor sees, the profile with its timeline first. */
export const examples = (subjects: ExampleSubjects): GraphiqlExample[] =>
  [profile, search, thread, followers, batch, follow, me].map((example) => example(subjects));
