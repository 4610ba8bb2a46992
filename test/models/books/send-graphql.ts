/** A call over GraphQL, the only interface with several reads in a call and with lists below others. */
import { at, type GraphqlReply, post } from '../../interfaces/graphql/client.js';
import type { Nested } from '../calls/calls.js';
import { type Kind, ROWS } from '../calls/world.js';
import { handle, idOfInput, type Seen, type SeenRead, type Sent, subjectIn, thousandths } from './seen.js';
import type { ReadRequest } from './steps.js';

const PAGE = 'pageInfo { endCursor truncated } meta { items cache cacheHits }';

/** The name of a list as a field of a user or tweet, where the timeline is called `tweets`. */
const nameOf = (kind: Kind): string => (kind === 'timeline' ? 'tweets' : kind);

/** The selection of each item. */
function item(below: readonly Nested[] = [], own: string): string {
  const fields = below.map(
    ({ kind, count, below: next }, n) =>
      `n${n}: ${nameOf(kind)}(first: ${count}${own}) { nodes ${item(next, own)} ${PAGE} }`,
  );
  return `{ ${['id', ...fields].join(' ')} }`;
}

type ListRequest = Extract<ReadRequest, { read: 'list' }>;

const fieldName = ({ kind, idsOnly }: ListRequest): string =>
  idsOnly ? 'followerIds' : ROWS[kind].of === 'query' ? 'search' : kind;

function nodesOf({ kind, idsOnly, below }: ListRequest, own: string): string {
  if (idsOnly) return '';
  return ROWS[kind].of === 'query' ? '{ ... on Tweet { id } ... on User { id } }' : item(below, own);
}

function fieldOf(request: ReadRequest, fresh: boolean, cursor: string | null): string {
  const own = fresh ? ', fresh: true' : '';
  switch (request.read) {
    case 'user':
      return `user(handle: "${handle(request.id)}"${own}) ${item(request.below, own)}`;
    case 'tweet':
      return `tweet(id: "${request.id}"${own}) ${item(request.below, own)}`;
    case 'users':
    case 'tweets': {
      const inputs =
        request.read === 'users'
          ? `handles: ${JSON.stringify(request.ids.map(handle))}`
          : `ids: ${JSON.stringify(request.ids)}`;
      return `${request.read}(${inputs}${own}) { nodes { id } errors { input code } meta { items cache cacheHits } }`;
    }
    case 'list': {
      // The product is an enum value among these arguments.
      const of = Object.entries(subjectIn(request)).map(
        ([name, value]) => `${name}: ${name === 'product' ? value : `"${value}"`}`,
      );
      const after = cursor === null ? '' : `, after: "${cursor}"`;
      return `${fieldName(request)}(${of.join(', ')}, first: ${request.count}${after}${own}) { nodes ${nodesOf(request, own)} ${PAGE} }`;
    }
  }
}

export async function byGraphql(url: string, key: string, sent: Sent): Promise<Seen> {
  const fields = sent.requests.map((request, n) => `f${n}: ${fieldOf(request, sent.fresh, sent.cursors[n] ?? null)}`);
  const extensions = {
    ...(sent.budget !== null && { maxCredits: sent.budget / 1000 }),
    ...(sent.estimate && { dryRun: true }),
  };
  const operation = { query: `{ ${fields.join(' ')} }`, extensions };
  if (sent.signal) {
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify(operation), signal: sent.signal });
    throw new Error('A call that hangs was answered.');
  }
  const reply = await post({ url }, { key }, operation);
  const { data, errors = [], extensions: said } = reply.body;
  const whole = data === null || data === undefined ? (errors[0]?.extensions.code ?? null) : null;
  const reads = sent.requests.map((request, n) => seenRoot(request, reply, `f${n}`));
  return {
    requestId: said.request_id,
    code: whole ?? (sent.requests.length === 1 ? (reads[0]?.code ?? null) : null),
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

type Path = readonly (string | number)[];

function seenRoot(request: ReadRequest, reply: GraphqlReply, name: string): SeenRead {
  const own = seenField(reply, [name]);
  const isObject = request.read === 'user' || request.read === 'tweet';
  const items = own.ids.map((_, n): Path => (isObject ? [name] : [name, 'nodes', n]));
  const below = 'below' in request ? (request.below ?? []) : [];
  return { ...own, hits: isObject ? null : own.hits, nested: seenBelow(reply, below, items) };
}

/** The reads in the model's order: field by field, each for all items, then the lists below that field. */
function seenBelow(reply: GraphqlReply, fields: readonly Nested[], items: readonly Path[]): SeenRead[] {
  return fields.flatMap(({ below = [] }, n) => {
    const paths = items.map((path): Path => [...path, `n${n}`]);
    const own = paths.map((path) => seenField(reply, path));
    const next = own.flatMap(({ ids }, nth) => ids.map((_, n): Path => [...(paths[nth] as Path), 'nodes', n]));
    return [...own, ...seenBelow(reply, below, next)];
  });
}

function seenField(reply: GraphqlReply, path: Path): SeenRead {
  const place = path.join('.');
  const failure = (reply.body.errors ?? []).find((error) => error.path?.join('.') === place);
  const field = (reply.body.data ? (at(reply, ...path) ?? {}) : {}) as Field;
  const nodes = field.nodes ?? (field.id === undefined ? [] : [field.id]);
  return {
    code: failure?.extensions.code ?? null,
    ids: nodes.map((one) => (typeof one === 'string' ? one : one.id)),
    errors: (field.errors ?? []).map((error) => `${idOfInput(error.input)} ${error.code.toLowerCase()}`),
    label: field.meta?.cache.toLowerCase() ?? '',
    hits: field.meta?.cacheHits ?? 0,
    truncated: field.pageInfo?.truncated ?? null,
    next: field.pageInfo?.endCursor ?? null,
    nested: [],
  };
}
