import type { NetworkPage, ReadContext } from '../../../src/ports/network.js';
import type { Api } from './api.js';
import { notFound } from './failures.js';
import { statusToTweet } from './map.js';
import { hiddenAs, hiddenTweet, isIdHere, isShown } from './objects.js';
import { context as contextSchema, type Status, status } from './schemas.js';

/** The most that the server shows of a conversation. One that reaches a limit may be incomplete. */
const LIMITS = {
  anonymous: { ancestors: 40, descendants: 60, depth: 20 },
  token: { ancestors: 4096, descendants: 4096, depth: Number.POSITIVE_INFINITY },
} as const;

interface Around {
  readonly ancestors: readonly Status[];
  readonly descendants: readonly Status[];
  readonly isCut: boolean;
}

/** The requested post, its ancestors from the root down, and its descendants, in the server's order: one page. */
export async function readThread(api: Api, id: string, context: ReadContext): Promise<NetworkPage> {
  if (!isIdHere(id)) throw notFound('No such tweet.');
  const cached = await context.cached?.tweet(id);
  const focal = cached?.isOfThisCall ? cached.value : statusToTweet(await readShown(api, id, context));
  const { ancestors, descendants, isCut } = await readAround(api, id, context);
  const page = toPage([...ancestors, ...descendants], isCut);
  return { ...page, tweets: [focal, ...(page.tweets ?? [])] };
}

/** The direct replies. */
export async function readReplies(api: Api, id: string, context: ReadContext): Promise<NetworkPage> {
  if (!isIdHere(id)) throw notFound('No such tweet.');
  if (!(await context.cached?.tweet(id))) await readShown(api, id, context);
  const { descendants, isCut } = await readAround(api, id, context);
  return toPage(
    descendants.filter(({ in_reply_to_id }) => in_reply_to_id === id),
    isCut,
  );
}

/** The status, if it is public: a token may see others too. */
async function readShown(api: Api, id: string, context: ReadContext): Promise<Status> {
  const focal = await api.get({ path: `/api/v1/statuses/${id}`, schema: status, context });
  const reason = hiddenAs(focal);
  if (reason !== undefined) throw hiddenTweet(reason);
  return focal;
}

async function readAround(api: Api, id: string, context: ReadContext): Promise<Around> {
  const path = `/api/v1/statuses/${id}/context`;
  const { ancestors, descendants } = await api.get({ path, schema: contextSchema, context });
  const limits = LIMITS[api.hasToken(context) ? 'token' : 'anonymous'];
  const isCut =
    ancestors.length >= limits.ancestors ||
    descendants.length >= limits.descendants ||
    maxDepth(id, descendants) >= limits.depth;
  return { ancestors, descendants, isCut };
}

/** How deeply replies are nested. Relies on the server's order, in which a parent comes before its children. */
function maxDepth(id: string, descendants: readonly Status[]): number {
  const depths = new Map([[id, 0]]);
  for (const each of descendants) depths.set(each.id, (depths.get(each.in_reply_to_id ?? '') ?? 0) + 1);
  return Math.max(...depths.values());
}

const toPage = (all: readonly Status[], isCut: boolean): NetworkPage => ({
  tweets: all.filter(isShown).map(statusToTweet),
  next: null,
  ...(isCut && { endReason: 'network_limit' as const }),
});
