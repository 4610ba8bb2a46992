import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createXNetwork } from '../../../../adapters/networks/x/network.js';
import type { VocabularyName } from '../../../../adapters/networks/x/vocabulary.js';
import { bodyText, type Misbehaviour, type StandIn } from '../../contract/harness.js';
import { Load } from '../../contract/load.js';
import { type Post, timelineOf, WORLD } from '../../contract/world.js';
import { notShown, problem, type Renderer, rendererOf } from './render.js';

type Json = Record<string, unknown>;

/** Some days after the world's last post, so recent search reaches all of it. */
const NOW = Date.UTC(2026, 9, 5);
const TOKEN = 'a-bearer-token';
/** A window of X's rate limits. */
const REST_S = 900;

/** An answer: its status and body. */
interface Answer {
  readonly status: number;
  readonly body: Json;
}

const ok = (body: Json): Answer => ({ status: 200, body });

/**
 * X API v2 over the world of the contract, in one vocabulary. Like X, it ignores names of the other without an error.
 */
export async function openStandIn(vocabulary: VocabularyName): Promise<StandIn> {
  const renderer = rendererOf(WORLD, vocabulary);
  const requests: string[] = [];
  let headers: IncomingHttpHeaders = {};
  let how: Misbehaviour | null = null;
  let now = NOW;
  const load = new Load();
  const answerRequest = (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://x');
    requests.push(`${request.method} ${request.url}`);
    headers = request.headers;
    if (how && breaks(how, response, now)) return;
    const isKnown = headers.authorization === `Bearer ${TOKEN}`;
    const answer = isKnown ? answerOf(url, renderer, vocabulary, how) : refusal(401, 'Unauthorized');
    send(response, answer, how);
  };
  const server = createServer(load.wrap(answerRequest));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const network = createXNetwork({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bearerTokens: [TOKEN],
    search: 'recent',
    vocabulary,
    userAgent: 'Perch/0.3.0 (perch@example.org)',
    clock: { now: () => now },
  });
  return {
    network,
    load,
    handle: (name) => name,
    userId: renderer.userId,
    tweetId: renderer.tweetId,
    nobody: { handle: 'nobody_at_all', userId: '77', tweetId: '1900000000000000000' },
    misbehave: (next) => {
      // By then, a used-up limit is over.
      if (how?.does === 'status' && how.status === 429) now += (how.retryAfterSeconds ?? REST_S) * 1000;
      how = next;
    },
    requests,
    lastHeaders: () => headers,
    cannot: [],
    async close() {
      await network.close?.();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const refusal = (status: number, title: string): Answer => ({
  status,
  body: { title, type: 'about:blank', status, detail: title },
});

const TITLES: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

/** Does what goes wrong before any answer is made; false if the answer itself is wrong. */
function breaks(how: Misbehaviour, response: ServerResponse, now: number): boolean {
  switch (how.does) {
    case 'status': {
      const reset = Math.floor(now / 1000) + (how.retryAfterSeconds ?? REST_S);
      const { status, body } = refusal(how.status, TITLES[how.status] ?? 'Error');
      response.writeHead(status, {
        'content-type': 'application/problem+json',
        ...(status === 429 && { 'x-rate-limit-limit': 450, 'x-rate-limit-remaining': 0, 'x-rate-limit-reset': reset }),
      });
      response.end(JSON.stringify(body));
      return true;
    }
    case 'html':
      response
        .writeHead(how.status, { 'content-type': 'text/html' })
        .end('<!doctype html><title>Over capacity</title>');
      return true;
    case 'truncate':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 500 }).write('{"data": [');
      setImmediate(() => response.destroy());
      return true;
    case 'garbage':
      response.writeHead(200, { 'content-type': 'application/json' }).end(how.body);
      return true;
    case 'hang':
      return true;
    case 'reset':
      response.socket?.resetAndDestroy();
      return true;
    default:
      return false;
  }
}

const FIELDS = { id: 'id', createdAt: 'created_at', handle: 'username' } as const;

function send(response: ServerResponse, { status, body }: Answer, how: Misbehaviour | null): void {
  let text = JSON.stringify(JSON.parse(bodyText(body, how)), (key, value) => {
    if (how?.does !== 'mistype' || key !== FIELDS[how.field]) return value;
    return how.as === 'missing' ? undefined : how.as === 'null' ? null : 7;
  });
  if (how?.does === 'overflow') text = text.replaceAll(/("\w+_count":)\d+/g, '$19223372036854775807');
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'x-rate-limit-limit': 900,
    'x-rate-limit-remaining': 899,
    'x-rate-limit-reset': Math.floor(NOW / 1000) + 900,
  });
  response.end(text);
}

function answerOf(url: URL, at: Renderer, vocabulary: VocabularyName, how: Misbehaviour | null): Answer {
  const { pathname, searchParams: query } = url;
  const [, , kind, id = '', list] = pathname.split('/');
  if (pathname === '/2/users/by') {
    const names = query.get('usernames')?.split(',') ?? [];
    return users(
      names.map((name) => ({ input: name, id: at.userId(name.toLowerCase()) })),
      'usernames',
    );
  }
  if (pathname === '/2/users')
    return users(
      (query.get('ids')?.split(',') ?? []).map((input) => ({ input, id: input })),
      'ids',
    );
  if (pathname === '/2/tweets') return tweets(query.get('ids')?.split(',') ?? []);
  if (pathname === '/2/tweets/search/recent' || pathname === '/2/tweets/search/all') return search();
  if (pathname === '/2/users/search') {
    return {
      status: 403,
      body: problem(vocabulary, 'unsupported-authentication', { title: 'Unsupported Authentication', status: 403 }),
    };
  }
  if (kind === 'users') {
    const person = at.personOf(id);
    if (!person || person.state) return ok({ errors: [notShown(vocabulary, 'user', 'id', id, person?.state)] });
    if (list === 'tweets') return postPage(timelineOf(WORLD, person.name), 5, 100);
    if (list === 'followers') return userPage(person.followers, 1, 1000);
    if (list === 'following') {
      return userPage(
        WORLD.people.filter(({ followers }) => followers.includes(person.name)).map(({ name }) => name),
        1,
        1000,
      );
    }
  }
  if (kind === 'tweets') {
    const post = at.postOf(id);
    if (!post || post.deleted) return ok({ errors: [notShown(vocabulary, 'tweet', 'id', id)] });
    if (list === 'quote_tweets')
      return postPage(
        shown().filter(({ quotes }) => quotes === post.key),
        10,
        100,
      );
    if (list === 'retweeted_by') {
      return userPage(
        WORLD.posts.filter(({ reposts }) => reposts === post.key).map(({ by }) => by),
        1,
        100,
      );
    }
  }
  return refusal(404, 'Not Found');

  function shown(): Post[] {
    const open = new Set(WORLD.people.filter(({ state }) => state === undefined).map(({ name }) => name));
    return WORLD.posts.filter(({ by, deleted }) => !deleted && open.has(by)).toReversed();
  }

  function users(inputs: readonly { input: string; id: string }[], parameter: string): Answer {
    const found = inputs.map(({ input, id }) => ({ input, person: at.personOf(id) }));
    const isOpen = (state?: string) => state === undefined || state === 'private';
    const data = found.flatMap(({ person }) => (person && isOpen(person.state) ? [at.user(person, query)] : []));
    const errors = found.flatMap(({ input, person }) =>
      person && isOpen(person.state) ? [] : [notShown(vocabulary, 'user', parameter, input, person?.state)],
    );
    return ok({ ...(data.length > 0 && { data }), ...(errors.length > 0 && { errors }) });
  }

  function tweets(ids: readonly string[]): Answer {
    const open = new Set(shown().map(({ key }) => key));
    const found = ids.map((each) => ({ each, post: at.postOf(each) }));
    const body = at.posts(
      found.flatMap(({ post }) => (post && open.has(post.key) ? [post] : [])),
      query,
    );
    const missing = found.flatMap(({ each, post }) => {
      if (post && open.has(post.key)) return [];
      const state = WORLD.people.find(({ name }) => name === post?.by)?.state;
      return [notShown(vocabulary, 'tweet', 'ids', each, state)];
    });
    const errors = [...missing, ...((body.errors as Json[] | undefined) ?? [])];
    return ok({ ...body, ...(errors.length > 0 && { errors }) });
  }

  function search(): Answer {
    const [operator = '', value = ''] = (query.get('query') ?? '').split(':');
    const finds: Record<string, (post: Post) => boolean> = {
      in_reply_to_tweet_id: ({ replyTo }) => replyTo !== undefined && at.tweetId(replyTo) === value,
      conversation_id: (post) => conversationOf(post) === value && at.tweetId(post.key) !== value,
    };
    const matches = finds[operator] ?? (({ text }: Post) => text.toLowerCase().includes(operator.toLowerCase()));
    return postPage(shown().filter(matches), 10, 100);
  }

  function conversationOf(post: Post): string {
    const parent = WORLD.posts.find(({ key }) => key === post.replyTo);
    return parent ? conversationOf(parent) : at.tweetId(post.key);
  }

  function postPage(posts: readonly Post[], least: number, most: number): Answer {
    return page(posts, least, most, (part) => at.posts(part, query));
  }

  function userPage(names: readonly string[], least: number, most: number): Answer {
    return page(names, least, most, (part) => {
      const people = part.flatMap((name) => at.personOf(at.userId(name)) ?? []);
      return people.length === 0 ? {} : { data: people.map((person) => at.user(person, query)) };
    });
  }

  function page<T>(items: readonly T[], least: number, most: number, render: (part: readonly T[]) => Json): Answer {
    const size = Number(query.get('max_results') ?? most);
    if (size < least || size > most) {
      const message = `The \`max_results\` query parameter value [${size}] is not between ${least} and ${most}`;
      const errors = [{ parameters: { max_results: [String(size)] }, message }];
      return { status: 400, body: problem(vocabulary, 'invalid-request', { title: 'Invalid Request', errors }) };
    }
    const token = query.get('pagination_token') ?? query.get('next_token');
    const from = token === null ? 0 : Number(token.split('_').at(-1));
    // Short pages: a quarter of what was requested, and every third one empty.
    const isShort = how?.does === 'shortPages';
    const turn = isShort && token ? Number(token.split('_').at(-2)) : 0;
    const step = isShort ? (turn % 3 === 1 ? 0 : Math.ceil(size / 4)) : size;
    const begin = how?.does === 'overlap' ? Math.max(0, from - 5) : from;
    const part = items.slice(begin, from + step);
    const next = how?.does === 'repeatCursor' ? from : from + step;
    const more = next < items.length && { next_token: `a_page_of_many_${turn + 1}_${next}` };
    return ok({ ...render(part), meta: { result_count: part.length, ...more } });
  }
}
