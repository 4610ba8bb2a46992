import type { VocabularyName } from '../../../../adapters/networks/x/vocabulary.js';
import type { ListRef } from '../../../../src/domain/lists.js';
import { PRODUCTS } from '../../../../src/domain/model.js';
import { idOf, openScripted, post, replyTo, user } from './scripted.js';

/** What the adapter sent: path and query. */
export interface Sent {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** Longer than the length that X states for a token. */
const NEXT = '7140dibdnow9c7btw3w4sp4d62kxfjas0dxxpk3q5wmr9';

/**
 * Everything the adapter can send in one vocabulary: each kind of read, first page and next, with the least and the
 * most items, and with every bound of a search.
 */
export async function everyRequest(vocabulary: VocabularyName): Promise<Sent[]> {
  const sent: Sent[] = [];
  for (const search of ['recent', 'archive'] as const) {
    const at = await openScripted(answer, { vocabulary, search });
    await readEverything(at.network);
    await at.network.selfCheck?.({ signal: AbortSignal.timeout(20_000) });
    sent.push(...at.requests);
    await at.close();
  }
  return sent;
}

function answer({ path, query }: Sent): { body: object } {
  if (path === '/2/users') return { body: { data: (query.get('ids') ?? '').split(',').map((id) => user(id)) } };
  const ofUsers = /followers|following|retweeted_by|^\/2\/users\/(?:by|search)$/.test(path);
  const focal = post(idOf(2), replyTo(idOf(3), idOf(4)));
  const data = ofUsers ? [user('7')] : path === '/2/tweets' ? [focal] : [post(idOf(1), replyTo(idOf(2), idOf(4)))];
  const isLast = query.has('next_token') || query.has('pagination_token');
  return { body: { data, meta: isLast ? {} : { next_token: NEXT } } };
}

async function readEverything(network: Awaited<ReturnType<typeof openScripted>>['network']): Promise<void> {
  const context = { signal: AbortSignal.timeout(20_000) };
  const handles = Array.from({ length: 100 }, (_, index) => ({ handle: `handle_${index}` }));
  await network.users(handles, context);
  await network.users([{ id: '7' }, { id: '8' }], context);
  await network.tweets(
    Array.from({ length: 100 }, (_, index) => String(10n ** 18n + BigInt(index))),
    context,
  );
  const lists: ListRef[] = [
    ...(['timeline', 'followers', 'following', 'quotes', 'retweeters', 'replies', 'thread'] as const).map((kind) => ({
      kind,
      subject: idOf(2),
    })),
    ...PRODUCTS.filter((product) => product !== 'People').flatMap((product) =>
      ['', ` since_id:${idOf(5)} until:2026-11-21`, ` since:2026-11-20 max_id:${idOf(1)}`].map((bounds) => ({
        kind: 'search' as const,
        subject: `(tide OR "low water") -from:gull min_faves:3${bounds}`,
        product,
      })),
    ),
    { kind: 'search', subject: 'harbour master', product: 'People' },
  ];
  for (const list of lists) {
    const { next } = await network.page(list, null, context);
    if (next !== null) await network.page(list, next, context);
    for (const want of [1, 1000]) await network.page(list, null, context, want);
  }
}
