/** The operation of scenario D: a profile with its 20 newest tweets, some 11 KB. */
export const QUERY = `query Bench($handle: String!) {
  user(handle: $handle) {
    id handle name bio location url avatarUrl verified followersCount followingCount tweetsCount createdAt
    tweets(first: 20) {
      nodes {
        id text lang createdAt authorId conversationId repliesCount retweetsCount likesCount quotesCount viewsCount
        hashtags mentions isRetweet isReply
        author { id handle name verified avatarUrl }
        media { type url width height }
      }
      pageInfo { endCursor }
    }
  }
}`;

/** Only what the operation needs of a schema, with the cheapest scalars: no custom ones, no prices, no directives. */
export const TYPE_DEFS = /* GraphQL */ `
  type Query { user(handle: String!): User }
  type User {
    id: ID! handle: String! name: String! bio: String location: String url: String avatarUrl: String verified: Boolean
    followersCount: Int! followingCount: Int! tweetsCount: Int! createdAt: String!
    tweets(first: Int = 20): TweetPage
  }
  type TweetPage { nodes: [Tweet]! pageInfo: PageInfo! }
  type PageInfo { endCursor: String }
  type Tweet {
    id: ID! text: String! lang: String createdAt: String! authorId: ID! conversationId: ID
    repliesCount: Int retweetsCount: Int likesCount: Int quotesCount: Int viewsCount: Int
    hashtags: [String!] mentions: [String!] isRetweet: Boolean isReply: Boolean author: User media: [Media!]
  }
  type Media { type: String url: String width: Int height: Int }
`;
