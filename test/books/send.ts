/** One call over each of the three interfaces, and what its answer says, in one form. */
import { at, type GraphqlReply, post } from '../graphql/client.js';
import { sendNew } from '../mcp/raw.js';
import type { Kind } from '../model/world.js';
import { type Body, createClient } from '../support/client.js';
import type { Ask, Asked } from './steps.js';

export interface SeenRead {
  readonly code: string | null;
  readonly ids: readonly string[];
  readonly errors: readonly string[];
  readonly label: string;
  readonly hits: number | null;
  readonly truncated: string | null;
  readonly next: string | null;
}

export interface Seen {
  readonly requestId: string;
  readonly code: string | null;
  /** In thousandths, as all amounts here. */
  readonly charged: number;
  readonly balance: number | null;
  readonly reads: readonly SeenRead[];
  readonly label: string;
  readonly headers: Headers;
  readonly estimate: number | null;
}

/** What is sent: the call, with the cursors that were given by the service. */
export interface Sent extends Asked {
  readonly cursors: readonly (string | null)[];
  readonly estimate?: boolean;
  readonly signal?: AbortSignal;
}

export const subjectOf = (kind: Kind): string => (['replies', 'quotes', 'retweeters'].includes(kind) ? '900' : '1');

const thousandths = (credits: number | undefined): number => Math.round((credits ?? 0) * 1000);
const handle = (id: string): string => `user${id}`;

/** The inputs of batches are told back as they were sent. */
const idOfInput = (input: string): string => input.replace(/^user/, '');

export function send(url: string, key: string, sent: Sent): Promise<Seen> {
  if (sent.over === 'rest') return byRest(url, key, sent);
  return sent.over === 'mcp' ? byMcp(url, key, sent) : byGraphql(url, key, sent);
}

const only = <T>(values: readonly T[]): T => values[0] as T;

async function byRest(url: string, key: string, sent: Sent): Promise<Seen> {
  const ask = only(sent.asks);
  const [path, own] = pathOf(ask);
  const query = new URLSearchParams({ ...own, ...(sent.fresh && { fresh: 'true' }) });
  if (ask.read === 'list') query.set('count', String(ask.count));
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
  return ofEnvelope(ask, body, status === 200 ? null : body.error.code, headers);
}

function pathOf(ask: Ask): [path: string, own: Record<string, string>] {
  switch (ask.read) {
    case 'user':
      return [`/v1/users/${handle(ask.id)}`, {}];
    case 'tweet':
      return [`/v1/tweets/${ask.id}`, {}];
    case 'users':
      return ['/v1/users/batch', { handles: ask.ids.map(handle).join() }];
    case 'tweets':
      return ['/v1/tweets/batch', { ids: ask.ids.join() }];
    case 'list': {
      const subject = subjectOf(ask.kind);
      const last = ask.kind === 'timeline' ? 'tweets' : ask.kind;
      const of = subject === '900' ? 'tweets' : 'users';
      return [`/v1/${of}/${ask.byHandle ? handle(subject) : subject}/${last}${ask.idsOnly ? '/ids' : ''}`, {}];
    }
  }
}

function ofEnvelope(ask: Ask, body: Body, code: string | null, headers: Headers): Seen {
  const data = (code === null ? body.data : undefined) as { id: string } | readonly (string | { id: string })[];
  const items = data === undefined ? [] : Array.isArray(data) ? data : [data];
  const read: SeenRead = {
    code,
    ids: items.map((item: string | { id: string }) => (typeof item === 'string' ? item : item.id)),
    errors: (body.errors ?? []).map((error) => `${idOfInput(error.input)} ${error.code}`),
    label: body.cache,
    hits: ask.read === 'user' || ask.read === 'tweet' ? null : body.cache_hits,
    truncated: body.truncated ?? null,
    next: body.next_cursor ?? null,
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
};

async function byMcp(url: string, key: string, sent: Sent): Promise<Seen> {
  const ask = only(sent.asks);
  const cursor = only(sent.cursors);
  const args = {
    ...toolArguments(ask),
    ...(sent.fresh && { fresh: true }),
    ...(cursor !== null && { cursor }),
    ...(sent.budget !== null && { max_credits: sent.budget / 1000 }),
  };
  const params = sent.estimate
    ? { name: 'price', arguments: { tool: toolOf(ask), arguments: args } }
    : { name: toolOf(ask), arguments: args };
  const reply = await sendNew(new URL(`${url}/mcp`), key, {
    method: 'tools/call',
    params,
    ...(sent.signal && { signal: sent.signal }),
  });
  const body = (reply.body.result?.structuredContent ?? reply.body.error?.data) as Body;
  return ofEnvelope(ask, body, body.error === undefined ? null : body.error.code, reply.headers);
}

function toolOf(ask: Ask): string {
  if (ask.read === 'list') return ask.idsOnly ? 'get_follower_ids' : TOOLS[ask.kind];
  return `get_${ask.read}`;
}

function toolArguments(ask: Ask): Record<string, unknown> {
  switch (ask.read) {
    case 'user':
      return { handle: handle(ask.id) };
    case 'tweet':
      return { id: ask.id };
    case 'users':
      return { handles: ask.ids.map(handle) };
    case 'tweets':
      return { ids: ask.ids };
    case 'list': {
      const subject = subjectOf(ask.kind);
      const count = { count: ask.count };
      return subject === '900'
        ? { id: subject, ...count }
        : { user: ask.byHandle ? handle(subject) : subject, ...count };
    }
  }
}

const PAGE = 'pageInfo { endCursor truncated } meta { items cache cacheHits }';

function fieldOf(ask: Ask, fresh: boolean, cursor: string | null): string {
  const own = fresh ? ', fresh: true' : '';
  switch (ask.read) {
    case 'user':
      return `user(handle: "${handle(ask.id)}"${own}) { id }`;
    case 'tweet':
      return `tweet(id: "${ask.id}"${own}) { id }`;
    case 'users':
    case 'tweets': {
      const inputs =
        ask.read === 'users' ? `handles: ${JSON.stringify(ask.ids.map(handle))}` : `ids: ${JSON.stringify(ask.ids)}`;
      return `${ask.read}(${inputs}${own}) { nodes { id } errors { input code } meta { items cache cacheHits } }`;
    }
    case 'list': {
      const subject = subjectOf(ask.kind);
      const of = subject === '900' ? `id: "${subject}"` : `user: "${ask.byHandle ? handle(subject) : subject}"`;
      const after = cursor === null ? '' : `, after: "${cursor}"`;
      const name = ask.idsOnly ? 'followerIds' : ask.kind;
      return `${name}(${of}, first: ${ask.count}${after}${own}) { nodes${ask.idsOnly ? '' : ' { id }'} ${PAGE} }`;
    }
  }
}

async function byGraphql(url: string, key: string, sent: Sent): Promise<Seen> {
  const fields = sent.asks.map((ask, n) => `f${n}: ${fieldOf(ask, sent.fresh, sent.cursors[n] ?? null)}`);
  const extensions = {
    ...(sent.budget !== null && { maxCredits: sent.budget / 1000 }),
    ...(sent.estimate && { dryRun: true }),
  };
  const asked = { query: `{ ${fields.join(' ')} }`, extensions };
  if (sent.signal) {
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify(asked), signal: sent.signal });
    throw new Error('A call that hangs was answered.');
  }
  const reply = await post({ url }, { key }, asked);
  const { data, errors = [], extensions: said } = reply.body;
  const whole = data === null || data === undefined ? (errors[0]?.extensions.code ?? null) : null;
  const reads = sent.asks.map((ask, n) => seenField(ask, reply, `f${n}`));
  return {
    requestId: said.request_id,
    code: whole ?? (sent.asks.length === 1 ? (reads[0]?.code ?? null) : null),
    charged: thousandths(said.credits?.charged),
    balance: said.credits === undefined ? null : thousandths(said.credits.remaining),
    reads,
    label: said.credits?.cache ?? 'miss',
    headers: reply.headers,
    estimate: said.estimate === undefined ? null : thousandths(said.estimate.max_credits),
  };
}

interface Field {
  readonly id?: string;
  readonly nodes?: readonly (string | { readonly id: string })[];
  readonly errors?: readonly { readonly input: string; readonly code: string }[];
  readonly pageInfo?: { readonly endCursor: string | null; readonly truncated: string | null };
  readonly meta?: { readonly cache: string; readonly cacheHits: number };
}

function seenField(ask: Ask, reply: GraphqlReply, name: string): SeenRead {
  const failure = (reply.body.errors ?? []).find(({ path }) => path?.[0] === name);
  const field = (reply.body.data ? (at(reply, name) ?? {}) : {}) as Field;
  const nodes = field.nodes ?? (field.id === undefined ? [] : [field.id]);
  return {
    code: failure?.extensions.code ?? null,
    ids: nodes.map((item) => (typeof item === 'string' ? item : item.id)),
    errors: (field.errors ?? []).map((error) => `${idOfInput(error.input)} ${error.code.toLowerCase()}`),
    label: field.meta?.cache.toLowerCase() ?? '',
    hits: ask.read === 'user' || ask.read === 'tweet' ? null : (field.meta?.cacheHits ?? 0),
    truncated: field.pageInfo?.truncated ?? null,
    next: field.pageInfo?.endCursor ?? null,
  };
}
