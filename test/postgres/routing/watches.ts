/** Calls of the ports for watches and deliveries, whose own tables stay on the coordinator. */
import { randomUUID } from 'node:crypto';
import { createDeliveries } from '../../../adapters/postgres/customers/deliveries.js';
import { writeDeliveries } from '../../../adapters/postgres/customers/new-deliveries.js';
import { createWatchLeases } from '../../../adapters/postgres/customers/watch-leases.js';
import { createWatchBook } from '../../../adapters/postgres/customers/watches.js';
import type { Sql } from '../../../adapters/postgres/sql.js';
import { OPERATOR } from '../../../src/domain/audit.js';
import type { DeliveryResult, DeliveryStore, DueWebhook, WebhookId } from '../../../src/ports/deliveries.js';
import type {
  HeldWatch,
  NewWatch,
  WatchBook,
  WatchId,
  WatchLeases,
  WatchStep,
  WatchStop,
} from '../../../src/ports/watches.js';
import { after, type PayingCustomer, type PortCalls } from './calls.js';

const URL = 'https://example.org/hook';
const NOTICE = { channel: 'webhook', subject: null, body: '{}' } as const;
const NOBODY: DeliveryResult = { status: null, excerpt: null, fault: 'f' };

type WatchPayer = Pick<PayingCustomer, 'accountId' | 'keyId'>;

const newWatch = ({ accountId, keyId }: WatchPayer): NewWatch => ({
  ...{ accountId, keyId, watchId: randomUUID(), subjectId: randomUUID(), position: 'p', at: Date.now() },
  ...{ kind: 'timeline', subject: randomUUID(), product: null, count: 20, webhookUrl: URL, dailyLimit: null },
});

const newStep = ({ position }: HeldWatch): WatchStep => ({
  ...{ from: position, position: randomUUID(), requestId: randomUUID(), items: 1, charged: 500, day: '2026-11-27' },
  ...{ newestAt: null, body: ['', '{}', ''], at: Date.now() },
});

const STOP: WatchStop = {
  state: 'waiting',
  reason: 'credits',
  dueAt: Date.now() + 1e6,
  at: Date.now(),
  notices: [NOTICE],
};

/** `sql` is a function because the pool is opened after the calls are listed. */
export function callsOfWatches(sql: () => Sql) {
  const book = () => createWatchBook(sql());
  const leases = () => createWatchLeases(sql());
  const deliveries = () => createDeliveries(sql());
  const add = async (payer: WatchPayer) => {
    const watch = newWatch(payer);
    await book().add(watch, 1_000, OPERATOR);
    return watch;
  };
  /** Adds a watch and claims its lease; returns the holder as well. */
  const hold = async (customer: PayingCustomer) => {
    const { watchId } = await add(customer);
    const holder = randomUUID();
    await leases().renew(holder, [], Date.now() + 1e6);
    const held = (await leases().claim(holder, Date.now(), 10_000)).find((each) => each.watchId === watchId);
    if (held === undefined) throw new Error('not held');
    return { holder, held };
  };
  /** Records one item of a leased watch as a delivery. */
  const take = async (customer: PayingCustomer) => {
    const { holder, held } = await hold(customer);
    const step = newStep(held);
    await leases().step(holder, held, step);
    return { holder, held, id: { ...held, deliveryId: step.requestId, isSilent: false } };
  };
  /** Records a delivery and claims it for sending. */
  const claim = async (customer: PayingCustomer) => {
    const { id } = await take(customer);
    const [claimed] = await deliveries().claim([id], Date.now() + 1_000, Date.now() + 60_000);
    if (claimed === undefined) throw new Error('not claimed');
    return claimed;
  };
  return {
    watches: callsOfBook(book, { add, take }),
    leases: callsOfLeases(leases, { add, hold, take }),
    deliveries: callsOfDeliveries(deliveries, { sql, take, claim }),
  };
}

interface Making {
  readonly add: (payer: WatchPayer) => Promise<NewWatch>;
  readonly hold: (customer: PayingCustomer) => Promise<Held>;
  readonly take: (customer: PayingCustomer) => Promise<Held & { readonly id: WebhookId & WatchId }>;
  readonly claim: (customer: PayingCustomer) => Promise<DueWebhook>;
}

interface Held {
  readonly holder: string;
  readonly held: HeldWatch;
}

const callsOfBook = (book: () => WatchBook, { add, take }: Pick<Making, 'add' | 'take'>): PortCalls<WatchBook> => ({
  list: after(add, ({ accountId }) => book().list(accountId, Date.now())),
  get: after(add, ({ accountId, watchId }) => book().get(accountId, watchId, Date.now())),
  add: {
    'a new one': (customer) => add(customer),
    'one that is there': after(add, (watch) => book().add({ ...watch, watchId: randomUUID() }, 1_000, OPERATOR)),
  },
  change: {
    'that pauses it': after(add, (watch) => book().change(watch, 'paused', Date.now(), OPERATOR)),
    'that resumes it with a key': after(
      async (customer) => {
        const { accountId, watchId } = await add(customer);
        await book().change({ accountId, watchId }, 'paused', Date.now(), OPERATOR);
        return { accountId, watchId, keyId: customer.capped.keyId };
      },
      (watch) => book().change(watch, 'active', Date.now(), OPERATOR),
    ),
  },
  sendsTo: after(add, ({ accountId }) => book().sendsTo(accountId, 'https://example.org')),
  keyHash: ({ accountId, keyId }) => book().keyHash(accountId, keyId),
  deliveries: after(take, ({ held }) =>
    book().deliveries(held.accountId, held.watchId, { below: null, limit: 10, bytes: 1e6 }),
  ),
});

const callsOfLeases = (
  leases: () => WatchLeases,
  { add, hold, take }: Pick<Making, 'add' | 'hold' | 'take'>,
): PortCalls<WatchLeases> => ({
  renew: after(hold, ({ holder, held }) => {
    const check = { ...held, checkedAt: Date.now(), everyMs: 1_000, failed: null };
    return leases().renew(holder, [check], Date.now() + 1e6);
  }),
  claim: {
    '': after(
      async (customer) => {
        const holder = randomUUID();
        await leases().renew(holder, [], Date.now() + 1e6);
        for (const payer of [customer, customer.test]) await add(payer);
        return holder;
      },
      (holder) => leases().claim(holder, Date.now(), 10_000),
    ),
    'of one that is named': after(
      async (customer) => {
        const holder = randomUUID();
        await leases().renew(holder, [], Date.now() + 1e6);
        return { holder, watch: await add(customer) };
      },
      ({ holder, watch }) => leases().claim(holder, Date.now(), 10_000, [watch]),
    ),
  },
  count: after(hold, () => leases().count(Date.now())),
  step: after(hold, ({ holder, held }) => leases().step(holder, held, newStep(held))),
  stop: after(hold, ({ holder, held }) => leases().stop(holder, held, STOP)),
  wake: after(hold, ({ holder, held }) => leases().wake(holder, held, Date.now())),
  backlog: after(take, ({ held }) => leases().backlog(held)),
  giveUp: after(hold, ({ holder, held }) => leases().giveUp(holder, [held])),
  release: after(hold, ({ holder }) => leases().release(holder, Date.now())),
  forget: () => leases().forget(0, 100),
});

function callsOfDeliveries(
  deliveries: () => DeliveryStore,
  { sql, take, claim }: Pick<Making, 'take' | 'claim'> & { readonly sql: () => Sql },
): PortCalls<DeliveryStore> {
  const later = () => Date.now() + 60_000;
  const mail = async ({ accountId, alertId }: PayingCustomer) => {
    const notice = { channel: 'mail', target: 'a@example.org', subject: 's', body: 'b', dueAt: 0 } as const;
    await writeDeliveries(sql(), { accountId, alertId }, [notice]);
    const [written] = await deliveries().list(accountId, 1);
    return written?.deliveryId ?? '';
  };
  return {
    list: after(mail, (_id, { accountId }) => deliveries().list(accountId, 10)),
    sendAgain: after(mail, (id, { accountId }) => deliveries().sendAgain(accountId, id, Date.now())),
    sendItemsAgain: after(claim, async (claimed) => {
      const { accountId, deliveryId, watchId } = claimed;
      await deliveries().sendItemsAgain(accountId, watchId ?? '', deliveryId, Date.now());
    }),
    takeMail: after(mail, () => deliveries().takeMail(Date.now(), later(), { isRetry: false, after: null })),
    dueWebhooks: after(take, () => deliveries().dueWebhooks(later(), null, 100, 10)),
    claim: after(take, ({ id }) => deliveries().claim([id], Date.now() + 1_000, later())),
    delivered: after(claim, (claimed) =>
      deliveries().delivered(claimed, Date.now(), { ...NOBODY, status: 200, fault: null }),
    ),
    failed: {
      'that is tried again': after(claim, (claimed) => deliveries().failed(claimed, Date.now(), NOBODY, later())),
      'that is given up': after(claim, (claimed) => deliveries().failed(claimed, Date.now(), NOBODY, null)),
    },
    giveUp: after(claim, (claimed) =>
      deliveries().giveUp(claimed, Date.now(), NOBODY, () => [{ ...NOTICE, target: URL, dueAt: 0 }]),
    ),
    forget: () => deliveries().forget(0, 0, 100),
  };
}
