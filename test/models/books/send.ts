/** One call over each of the three interfaces, and what its answer says, in one form. */
import { sendNew } from '../../interfaces/mcp/raw.js';
import { type Body, createClient } from '../../kit/client.js';
import type { Kind } from '../calls/world.js';
import { handle, idOfInput, type Seen, type SeenRead, type Sent, subjectIn, thousandths } from './seen.js';
import { byGraphql } from './send-graphql.js';
import type { ReadRequest } from './steps.js';

export function send(url: string, key: string, sent: Sent): Promise<Seen> {
  if (sent.over === 'rest') return byRest(url, key, sent);
  return sent.over === 'mcp' ? byMcp(url, key, sent) : byGraphql(url, key, sent);
}

const only = <T>(values: readonly T[]): T => values[0] as T;

async function byRest(url: string, key: string, sent: Sent): Promise<Seen> {
  const request = only(sent.requests);
  const [path, own] = pathOf(request);
  const query = new URLSearchParams({ ...own, ...(sent.fresh && { fresh: 'true' }) });
  if (request.read === 'list') query.set('count', String(request.count));
  const cursor = only(sent.cursors);
  if (cursor !== null) query.set('cursor', cursor);
  if (sent.budget !== null) query.set('max_credits', String(sent.budget / 1000));
  if (sent.estimate) query.set('estimate', 'true');
  const address = `${path}?${query}`;
  if (sent.signal) {
    await fetch(url + address, { headers: { 'x-api-key': key }, signal: sent.signal });
    throw new Error('A call that hangs was answered.');
  }
  const { body, status, headers } = await createClient(url, key).get(address);
  return ofEnvelope(request, body, status === 200 ? null : body.error.code, headers);
}

function pathOf(request: ReadRequest): [path: string, own: Record<string, string>] {
  switch (request.read) {
    case 'user':
      return [`/v1/users/${handle(request.id)}`, {}];
    case 'tweet':
      return [`/v1/tweets/${request.id}`, {}];
    case 'users':
      return ['/v1/users/batch', { handles: request.ids.map(handle).join() }];
    case 'tweets':
      return ['/v1/tweets/batch', { ids: request.ids.join() }];
    case 'list': {
      const { user, id, ...query } = subjectIn(request);
      const last = `${request.kind === 'timeline' ? 'tweets' : request.kind}${request.idsOnly ? '/ids' : ''}`;
      if (user !== undefined) return [`/v1/users/${user}/${last}`, {}];
      return id === undefined ? ['/v1/tweets/search', { ...query }] : [`/v1/tweets/${id}/${last}`, {}];
    }
  }
}

function ofEnvelope(request: ReadRequest, body: Body, code: string | null, headers: Headers): Seen {
  const data = (code === null ? body.data : undefined) as { id: string } | readonly (string | { id: string })[];
  const items = data === undefined ? [] : Array.isArray(data) ? data : [data];
  const read: SeenRead = {
    code,
    ids: items.map((item: string | { id: string }) => (typeof item === 'string' ? item : item.id)),
    errors: (body.errors ?? []).map((error) => `${idOfInput(error.input)} ${error.code}`),
    label: body.cache,
    hits: request.read === 'user' || request.read === 'tweet' ? null : body.cache_hits,
    truncated: body.truncated ?? null,
    next: body.next_cursor ?? null,
    nested: [],
  };
  return {
    requestId: body.request_id,
    code,
    charged: thousandths(body.credits_charged),
    balance: body.balance_remaining === undefined ? null : thousandths(body.balance_remaining),
    reads: [read],
    label: body.cache,
    headers,
    estimate: body.estimate === undefined ? null : thousandths(body.estimate.max_credits),
  };
}

const TOOLS: Readonly<Record<Kind, string>> = {
  timeline: 'get_user_tweets',
  followers: 'get_followers',
  following: 'get_following',
  replies: 'get_replies',
  quotes: 'get_quotes',
  retweeters: 'get_retweeters',
  search: 'search_tweets',
  people: 'search_tweets',
};

async function byMcp(url: string, key: string, sent: Sent): Promise<Seen> {
  const request = only(sent.requests);
  const cursor = only(sent.cursors);
  const args = {
    ...toolArguments(request),
    ...(sent.fresh && { fresh: true }),
    ...(cursor !== null && { cursor }),
    ...(sent.budget !== null && { max_credits: sent.budget / 1000 }),
  };
  const params = sent.estimate
    ? { name: 'price', arguments: { tool: toolOf(request), arguments: args } }
    : { name: toolOf(request), arguments: args };
  const reply = await sendNew(new URL(`${url}/mcp`), key, {
    method: 'tools/call',
    params,
    ...(sent.signal && { signal: sent.signal }),
  });
  const body = (reply.body?.result?.structuredContent ?? reply.body?.error?.data) as Body | undefined;
  if (body === undefined) throw new Error(`MCP answered ${reply.status}: ${reply.text}`);
  return ofEnvelope(request, body, body.error === undefined ? null : body.error.code, reply.headers);
}

function toolOf(request: ReadRequest): string {
  if (request.read === 'list') return request.idsOnly ? 'get_follower_ids' : TOOLS[request.kind];
  return `get_${request.read}`;
}

function toolArguments(request: ReadRequest): Record<string, unknown> {
  switch (request.read) {
    case 'user':
      return { handle: handle(request.id) };
    case 'tweet':
      return { id: request.id };
    case 'users':
      return { handles: request.ids.map(handle) };
    case 'tweets':
      return { ids: request.ids };
    case 'list':
      return { ...subjectIn(request), count: request.count };
  }
}
