const { graphql, useLazyLoadQuery, usePaginationFragment } = require('react-relay');

/** A user's tweets, some at first and more with `loadNext`. Passes what is rendered to `drawn`. */
exports.Timeline = function Timeline({ handle, drawn }) {
  const { user } = useLazyLoadQuery(
    graphql`
      query timelineQuery($handle: String!) {
        user(handle: $handle) {
          handle
          ...timeline_user
        }
      }
    `,
    { handle },
  );
  const { data, loadNext, isLoadingNext } = usePaginationFragment(
    graphql`
      fragment timeline_user on User
      @refetchable(queryName: "timelinePaginationQuery")
      @argumentDefinitions(count: { type: "Int", defaultValue: 3 }, cursor: { type: "String" }) {
        tweets(first: $count, after: $cursor) @connection(key: "timeline_user_tweets") {
          edges {
            node {
              id
              text
            }
          }
        }
      }
    `,
    user,
  );
  drawn({ handle: user.handle, ids: data.tweets.edges.map(({ node }) => node.id), loadNext, isLoadingNext });
  return null;
};
