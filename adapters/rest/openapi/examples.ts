import { type GraphQLObjectType, getNamedType, isObjectType, isUnionType, type OperationDefinitionNode } from 'graphql';
import { documentName } from '../../../schema/list-documents.js';
import { priceOfField } from '../../../src/documents/rules.js';
import { type Thousandths, toCredits } from '../../../src/domain/credits.js';
import { holdsUsers, LIST_READS } from '../../../src/domain/lists.js';
import { type ItemCache, itemPrice, type Unit } from '../../../src/domain/prices.js';
import { PACKS, TIERS, usdPer1000 } from '../../../src/domain/tiers.js';
import type { Answer } from '../../../src/serve/call.js';
import { buildEnvelope, estimateEnvelope } from '../envelope.js';
import { EXAMPLE_OBJECTS } from './example-objects.js';
import { EXAMPLES } from './inputs.js';
import type { Member, Selections } from './selections.js';
import type { Example } from './types.js';

export const REQUEST_ID = '019e1d2a-7c40-7b53-9f11-2d6a8e4c0b97';
const CURSOR = 'eyJ2IjoxLCJhIjoiMTg5ODA3MjY1NDYwNzI4NjI3MiJ9.6yQm1r0k';
const AT = '2026-11-21T09:30:00.000Z';
const BALANCE: Thousandths = 1_000_000;

const { OBSERVATORY, FERRIES, THREAD, REPLY, QUOTE, PHOTO } = EXAMPLE_OBJECTS;
const PAID = { keyPrefix: 'perch_live_4fTq9Z', items: 2, cacheHits: 0, credits: 2 };

const WATCH = {
  ...{ id: EXAMPLES.watch_id, user: EXAMPLES.user, count: 20, webhookUrl: EXAMPLES.webhook_url, maxCreditsPerDay: 500 },
  ...{ state: 'active', stateAt: AT, deliveries: 1, creditsSpent: 2, creditsSpentToday: 2, newestItemAt: AT },
  ...{ checkedAt: AT, everySeconds: 40, keyPrefix: PAID.keyPrefix, createdAt: AT },
};

/** The value that each operation's root field would resolve to, and how each item was obtained. */
const ROOTS: Readonly<Record<string, { value: unknown; items?: readonly ItemCache[] }>> = {
  user: { value: OBSERVATORY, items: ['miss'] },
  tweet: { value: PHOTO, items: ['hit'] },
  usersBatch: {
    ...batch([OBSERVATORY, FERRIES], [{ input: 'no_such_handle', code: 'not_found', message: 'No such user.' }]),
  },
  tweetsBatch: { ...batch([THREAD, PHOTO], []) },
  userTweets: page([PHOTO, THREAD], CURSOR),
  followers: page([FERRIES], CURSOR),
  following: page([FERRIES]),
  followerIds: page([FERRIES.id, '446723896243126272'], CURSOR),
  search: page([PHOTO]),
  thread: page([THREAD, REPLY]),
  replies: page([REPLY]),
  quotes: page([QUOTE]),
  retweeters: page([FERRIES, OBSERVATORY]),
  me: {
    value: {
      customerId: '019e1d27-55d0-7a0e-8e5c-b1f2a90c3d44',
      keyPrefix: PAID.keyPrefix,
      balance: toCredits(BALANCE),
      rateLimitQps: PACKS[0].requestsPerSecond,
    },
  },
  packs: {
    value: {
      packs: PACKS.map((pack) => ({
        name: pack.name,
        usd: pack.usd,
        credits: pack.credits,
        usdPer1000: usdPer1000(pack),
        buyable: true,
      })),
      rateLimits: TIERS,
    },
  },
  checkout: { value: { ...checkoutExample(PACKS[0]) } },
  watches: { value: { nodes: [WATCH] } },
  watch: { value: WATCH },
  watchCreate: { value: { watch: WATCH, webhookSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' } },
  watchPause: { value: { ...WATCH, state: 'paused', reason: 'by_hand' } },
  watchResume: { value: WATCH },
  watchEnd: { value: { ...WATCH, state: 'ended' } },
  watchSend: { value: WATCH },
  watchDeliveries: {
    value: {
      nodes: [
        {
          ...{ id: EXAMPLES.delivery_id, number: 1, items: 2, credits: PAID.credits, state: 'delivered', tries: 1 },
          ...{ status: 204, body: '{"type":"watch.items","timestamp":"2026-11-21T09:30:00.000Z","data":{}}' },
          ...{ createdAt: AT, triedAt: AT, deliveredAt: AT },
        },
      ],
      pageInfo: { endCursor: null },
    },
  },
  usage: {
    value: {
      nodes: [{ day: AT.slice(0, 10), hour: null, requests: 1, ...PAID, keyPrefix: null }],
      pageInfo: { endCursor: null },
    },
  },
  receipt: {
    value: {
      ...PAID,
      requestId: REQUEST_ID,
      at: AT,
      operation: 'user-tweets',
      balanceAfter: toCredits(BALANCE - 2 * itemPrice('tweet', 'miss')),
      lines: [{ path: 'page', unit: 'tweet', cache: 'miss', items: 2, unitPrice: 1, credits: 2 }],
    },
  },
};

/** The example of a list that has none in `ROOTS`. */
function exampleOfList(name: string) {
  const read = LIST_READS.find((each) => documentName(each) === name);
  if (!read) throw new TypeError(`There is no example for ${name}.`);
  return page(holdsUsers(read) ? [FERRIES, OBSERVATORY] : [PHOTO, THREAD], CURSOR);
}

function page(nodes: readonly unknown[], endCursor: string | null = null) {
  const meta = { items: nodes.length, cache: 'miss', cacheHits: 0 };
  return { value: { nodes, pageInfo: { endCursor }, meta }, items: nodes.map(() => 'miss' as const) };
}

/** A batch whose first object was cached and the others were not. */
function batch(nodes: readonly unknown[], errors: readonly unknown[]) {
  const items: readonly ItemCache[] = nodes.map((_node, index) => (index === 0 ? 'hit' : 'miss'));
  return { value: { nodes, errors, meta: { items: nodes.length, cache: 'mixed', cacheHits: 1 } }, items };
}

function checkoutExample({ name, usd, credits }: (typeof PACKS)[number]) {
  return { url: 'https://checkout.example/session/1', pack: name, usd, credits };
}

/**
 * Example answers of an operation. The objects are invented; everything else is written by the service's own code.
 * `maxItems` is the most items that the example request can return.
 */
export function responseExamples(
  selections: Selections,
  operation: OperationDefinitionNode,
  maxItems: number,
): Record<string, Example> {
  const root = selections.rootOf(operation);
  const name = operation.name?.value ?? '';
  const example = ROOTS[name] ?? exampleOfList(name);
  const unit = priceOfField(root.field)?.unit;
  const data = { [root.name]: shaped(selections, root, example.value) };
  const { shared, own } = buildEnvelope(exampleAnswer(data, example.items ?? [], unit), REQUEST_ID, []);
  const answer: Example = { summary: unit ? 'A response' : 'The response', value: JSON.parse(`${shared.bytes}${own}`) };
  if (!unit) return { answer };
  return { answer, estimate: { summary: 'With `estimate=true`', value: estimated(unit, maxItems) } };
}

function exampleAnswer(data: Record<string, unknown>, items: readonly ItemCache[], unit: Unit | undefined): Answer {
  const amount = unit ? items.reduce((sum, cache) => sum + itemPrice(unit, cache), 0) : 0;
  const cached = items.filter((cache) => cache === 'hit').length;
  const cache = items.length > 0 && cached === items.length ? 'hit' : 'miss';
  return {
    kind: 'answer',
    operation: 'example',
    data,
    errors: [],
    charge: { amount, items: items.length, cacheHits: cached, cache, lines: [], ledgerLines: [] },
    balance: BALANCE - amount,
    fetchedAt: unit ? Date.parse(AT) : undefined,
  };
}

function estimated(unit: Unit, maxItems: number): unknown {
  const estimate = { maxItems, maxAmount: maxItems * itemPrice(unit, 'miss'), refused: null };
  return JSON.parse(String(estimateEnvelope({ ...exampleAnswer({}, [], undefined), estimate }, REQUEST_ID, [])));
}

/** The part of a value that its field's selection takes, under the names in the answer. */
function shaped(selections: Selections, { field, node }: Member, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  const named = getNamedType(field.type);
  const each = (one: unknown): unknown => {
    const type = isUnionType(named) ? named.getTypes()[0] : named;
    if (!isObjectType(type)) return one;
    return shapedObject(selections, type, node.selectionSet, one as Record<string, unknown>);
  };
  return Array.isArray(value) ? value.map(each) : each(value);
}

function shapedObject(
  selections: Selections,
  type: GraphQLObjectType,
  set: Member['node']['selectionSet'],
  value: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const members = selections.members(type, set);
  return Object.fromEntries(
    members.map((member) => [member.name, shaped(selections, member, value[member.field.name])]),
  );
}
