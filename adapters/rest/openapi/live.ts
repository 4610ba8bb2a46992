import { toCredits } from '../../../src/domain/credits.js';
import { MAX_CURSOR_LENGTH } from '../../../src/domain/fields.js';
import { FOLLOWED_READS, subjectParameter } from '../../../src/domain/lists.js';
import { itemPrice } from '../../../src/domain/prices.js';
import { MOST_LISTS } from '../routes.js';
import { failureName, failures } from './failures.js';
import { V1_HEADERS } from './headers.js';
import { refTo } from './schema-text.js';
import type { ApiParameter, Paths } from './types.js';

const EXAMPLE = `event: open
data: {"heartbeat_seconds":15,"follows":[{"user":"harbor_obs"}]}

event: items
id: 9rTn2kQb0aZc.5gP0wJ1x~mh9d2x0k~vT1…
data: {"items":1,"credits_charged":1,"data":[{"id":"1898072654607286272","text":"…"}],"balance_remaining":999}

`;

const text = (name: string, description: string, more: Partial<ApiParameter> = {}): ApiParameter => ({
  ...{ name, in: 'query', description, schema: { type: 'string' } },
  ...more,
});

const WHAT = { user: 'timeline of a user, by handle or id', tweet: 'tweet, by its id', query: 'search' } as const;

const subjects = FOLLOWED_READS.map(
  (read): ApiParameter => ({
    name: subjectParameter(read),
    in: 'query',
    description: `Follow ${read.list.subject === 'tweet' ? `the ${read.path} of a` : 'the'} ${WHAT[read.list.subject]}. May be sent several times.`,
    style: 'form',
    explode: true,
    schema: { type: 'array', items: { type: 'string' }, maxItems: MOST_LISTS },
    ...(read.list.subject === 'user' && { example: ['harbor_obs'] }),
  }),
);

/** The paths of streams, which are not in the route table because no single persisted operation answers them. */
export const livePaths = (): Paths => ({
  '/v1/live': {
    get: {
      operationId: 'live',
      tags: ['Tweets'],
      summary: 'New items in timelines, searches, replies and quotes, as they appear',
      description: `New items in timelines, searches, replies and quotes, as they appear, sent as server-sent events: \`open\`, \`position\`, \`items\`, \`heartbeat\` and \`error\`. Each \`items\` event is a page with a charge of its own; items cost the same as on any page, and waiting is free. One stream follows up to ${MOST_LISTS} lists.`,
      parameters: [
        ...subjects,
        text('product', 'For searches: which results to follow.', {
          schema: { type: 'string', enum: ['Latest', 'Photos', 'Videos'], default: 'Latest' },
        }),
        text('count', 'Maximum number of items per event.', {
          schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 100, default: 20 },
        }),
        text('since', 'Start after the `since_cursor` of an earlier answer. Only for a stream of one list.', {
          schema: { type: 'string', minLength: 1, maxLength: MAX_CURSOR_LENGTH },
        }),
        text(
          'max_credits',
          'Budget: the maximum credits that the stream may spend in total, however often its client comes back with `Last-Event-ID`.',
          {
            schema: { type: 'number', minimum: 0 },
          },
        ),
        text('max_credits_per_day', 'Budget: the maximum credits that the stream may spend on a UTC day.', {
          schema: { type: 'number', minimum: 0 },
        }),
        refTo('parameters', 'MaxCreditsHeader'),
        text('Last-Event-ID', 'The `id` of the last event that was handled: the stream continues after it.', {
          in: 'header',
        }),
      ],
      responses: {
        '200': {
          description: 'A stream of events. If no event arrives for more than 30 seconds, the connection is dead.',
          headers: { 'RateLimit-Policy': V1_HEADERS['RateLimit-Policy'], 'X-Request-Id': V1_HEADERS['X-Request-Id'] },
          content: { 'text/event-stream': { schema: { type: 'string' }, example: EXAMPLE } },
        },
        ...failures(
          [400, 401, 402, 403, 404, 414, 429, 500, 503].map((status) => failureName(status, 'user-tweets', true)),
        ),
      },
      'x-price': {
        unit: 'tweet',
        credits: toCredits(itemPrice('tweet', 'miss')),
        hit: toCredits(itemPrice('tweet', 'hit')),
        items: 'count',
      },
    },
  },
});
