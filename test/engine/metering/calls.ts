import fc from 'fast-check';
import { type GraphqlRequest, post } from '../../interfaces/graphql/client.js';
import { createClient } from '../../kit/client.js';

/** One call of a customer, over either interface. */
export type Call =
  | { readonly rest: string; readonly body?: unknown; readonly maxCredits: number | undefined }
  | { readonly graphql: string; readonly maxCredits: number | undefined };

/** The cost of a call, in credits. */
export interface Bill {
  readonly status: number;
  readonly charged: number;
  readonly remaining: number | undefined;
}

const maxCredits = fc.option(fc.constantFrom(0, 0.5, 2, 7.25), { nil: undefined, freq: 4 });
const count = fc.integer({ min: 1, max: 20 });
const fresh = fc.constantFrom('', '', '&fresh=true');
const id = fc.integer({ min: 95, max: 130 });

const paths = fc.oneof(
  fc.tuple(id, fresh).map(([tweet, anew]) => `/v1/tweets/${tweet}?${anew.slice(1)}`),
  fc.integer({ min: 1, max: 45 }).map((user) => `/v1/users/user${user}`),
  fc
    .tuple(fc.constantFrom('tweets', 'followers', 'followers/ids', 'following'), count, fresh)
    .map(([list, n, anew]) => `/v1/users/1/${list}?count=${n}${anew}`),
  fc
    .tuple(fc.constantFrom('thread', 'replies', 'quotes', 'retweeters'), count)
    .map(([list, n]) => `/v1/tweets/120/${list}?count=${n}`),
  fc.array(id, { minLength: 1, maxLength: 8 }).map((ids) => `/v1/tweets/batch?ids=${ids.join()}`),
  fc.constantFrom('/v1/me', '/v1/billing/packs', '/v1/users/404/tweets', '/v1/tweets/120?estimate=true'),
);

const fields = fc.oneof(
  fc.tuple(id, fc.boolean()).map(([tweet, anew]) => `tweet(id: "${tweet}", fresh: ${anew}) { id quoted { id } }`),
  count.map((n) => `timeline(user: "1", first: ${n}) { nodes { id quoted { id } author { handle } } }`),
  count.map((n) => `followers(user: "1", first: ${n}) { nodes { handle } }`),
  count.map((n) => `followerIds(user: "user1", first: ${n}) { nodes }`),
  fc
    .array(id, { minLength: 1, maxLength: 8 })
    .map((ids) => `tweets(ids: ${JSON.stringify(ids.map(String))}) { nodes { id } errors { code } }`),
  fc.constant('me { balance }'),
);

const documents = fc
  .array(fields, { minLength: 1, maxLength: 4 })
  .map((some) => `{ ${some.map((field, i) => `f${i}: ${field}`).join(' ')} }`);

export const calls: fc.Arbitrary<Call> = fc.oneof(
  fc.record({ rest: paths, maxCredits }),
  fc.record({ graphql: documents, maxCredits }),
);

/** Makes the call and returns its bill; throws if the answer contradicts itself. */
export async function make(call: Call, url: string, key: string): Promise<Bill> {
  const bill =
    'rest' in call
      ? await makeRest(call.rest, call.maxCredits, url, key)
      : await makeGraphql(call.graphql, call.maxCredits, url, key);
  if (![200, 402, 404].includes(bill.status)) throw new Error(`${bill.status} for ${JSON.stringify(call)}`);
  if (bill.charged > (call.maxCredits ?? Number.POSITIVE_INFINITY))
    throw new Error(`${bill.charged} for ${JSON.stringify(call)} (M26)`);
  if ((bill.remaining ?? 0) < 0) throw new Error(`${bill.remaining} remain`);
  return bill;
}

const budget = (maxCredits: number | undefined): Record<string, string> =>
  maxCredits === undefined ? {} : { 'x-max-credits': String(maxCredits) };

async function makeRest(path: string, maxCredits: number | undefined, url: string, key: string): Promise<Bill> {
  const { status, body, headers } = await createClient(url, key).get(path, budget(maxCredits));
  if (headers.get('x-credits-charged') !== String(body.credits_charged))
    throw new Error(`${path}: header and body differ`);
  return { status, charged: body.credits_charged, remaining: body.balance_remaining };
}

async function makeGraphql(query: string, maxCredits: number | undefined, url: string, key: string): Promise<Bill> {
  const request: GraphqlRequest = { query, ...(maxCredits !== undefined && { extensions: { maxCredits } }) };
  const { status, body } = await post({ url }, { key }, request);
  const { charged = 0, remaining, breakdown = [] } = body.extensions.credits ?? {};
  const sum = breakdown.reduce((total, line) => total + Math.round(line.items * line.unit * 1000), 0);
  if (sum !== Math.round(charged * 1000)) throw new Error(`${sum} in the breakdown of ${charged} (G4)`);
  return { status, charged, remaining };
}
