import { Positions } from '../../../../src/live/positions.js';
import { watchCall } from '../../../../src/watches/follower.js';
import type { MemoryWatches, Row } from '../../../engine/live/memory-watches.js';
import { SECRETS, type World } from './world.js';

const POSITIONS = new Positions(SECRETS.cursor);

/** The ids of what a watch delivered. */
export const deliveredTo = (store: MemoryWatches, watchId: string): string[] =>
  itemsOf(store, watchId).flatMap(({ ids }) => ids);

const itemsOf = (store: MemoryWatches, watchId: string) =>
  store
    .of({ watchId })
    .filter(({ number }) => number !== null)
    .map(({ body, deliveryId, charged, number }) => {
      const { data } = JSON.parse(body) as {
        data: { data: { id: string }[]; credits_charged: number; number: number };
      };
      const reported = { number: data.number, charged: Math.round(data.credits_charged * 1_000) };
      return { deliveryId: deliveryId ?? '', charged, number, reported, ids: data.data.map(({ id }) => id) };
    });

/** A watch delivers everything from its beginning on, in order and once; charges, deliveries and sums agree. */
export function watchesDeliverOnce({ watches, database }: World): string[] {
  if (watches === null) return [];
  const { store, posted } = watches;
  const wrong: string[] = [];
  const delivered = new Set<string>();
  const mayLack = new Set<string>();
  for (const row of store.rows.values()) {
    const { watchId, accountId, state, reason, spent, number, dailyLimit } = row;
    const name = `watch ${watchId.slice(-4)}`;
    const all = itemsOf(store, watchId);
    const ids = all.flatMap((one) => one.ids);
    if (ids.join() !== posted.slice(0, ids.length).join()) wrong.push(`${name} delivered ${ids} of ${posted}`);
    if (state === 'active' && ids.length < posted.length) wrong.push(`${name} delivered only ${ids} of ${posted}`);
    // A stopped watch gets its last charged items when it continues.
    if (state !== 'active') mayLack.add(nextCharge(row));
    for (const [nth, one] of all.entries()) {
      delivered.add(one.deliveryId);
      const paid = database.row(one.deliveryId);
      if (paid?.accountId !== accountId || paid.amount !== one.charged || one.reported.charged !== one.charged)
        wrong.push(
          `${name} delivered ${one.deliveryId.slice(-4)} for ${one.charged}, reported ${one.reported.charged}, charged ${paid?.amount}`,
        );
      if (one.number !== nth + 1 || one.reported.number !== nth + 1)
        wrong.push(`${name} has number ${one.number} at ${nth}`);
    }
    const sum = all.reduce((total, { charged }) => total + (charged ?? 0), 0);
    if (sum !== spent || number !== all.length) wrong.push(`${name} spent ${spent} on ${number}, not ${sum}`);
    if (dailyLimit !== null && spent > dailyLimit) wrong.push(`${name} spent ${spent}, over its limit ${dailyLimit}`);
    if (state === 'paused' && reason === 'list') wrong.push(`${name} was paused, though its list is there`);
  }
  for (const { rows } of database.wallets.values()) {
    for (const { requestId, operation } of rows) {
      if (operation.startsWith('live-') && !delivered.has(requestId) && !mayLack.has(requestId))
        wrong.push(`${requestId.slice(-4)} was charged to a watch, and is not delivered`);
    }
  }
  return wrong;
}

/** The id that the next charge would have. */
function nextCharge(row: Row): string {
  const [position] = POSITIONS.decode(row.position, 1);
  return position === undefined
    ? ''
    : POSITIONS.requestId(position, watchCall({ call: () => ({}) as never }, row).queryKey);
}
