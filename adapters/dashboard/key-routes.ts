import type { FastifyReply } from 'fastify';
import type { KeyRecord } from '../../src/ports/truth.js';
import { freshKeyPage } from './fresh-key.js';
import { type KeyModel, keyPage } from './key.js';
import { type KeyTyped, NOTHING_TYPED, overlapOf, readKeyForm, typedIn } from './key-forms.js';
import { typedOf } from './key-parts.js';
import { keysPage } from './keys.js';
import type { DashboardServices, Visit } from './services.js';
import { aroundOf, backTo, isTold, namedIn, notHere, type Rooms, sendDashboard } from './visit.js';

type KeyServices = Pick<DashboardServices, 'keys' | 'grants' | 'clock'>;

/** Keys: all of them, one of them, and what can be done with it. */
export function mountKeys(rooms: Rooms, services: KeyServices, baseUrl: () => string): void {
  const { keys, clock } = services;
  const showKey = (
    visit: Visit,
    reply: FastifyReply,
    record: KeyRecord,
    rest: Partial<KeyModel> = {},
  ): FastifyReply => {
    const model = { around: aroundOf(visit), nowMs: clock.now(), record, typed: typedOf(record), error: null };
    return sendDashboard(reply, keyPage({ ...model, ...rest }));
  };
  rooms.page('/dashboard/keys', async (visit, reply) =>
    sendDashboard(reply, await listPage(visit, services, { typed: NOTHING_TYPED, error: null })),
  );
  rooms.form('/dashboard/keys', '/dashboard/keys', async (visit, form, reply) => {
    const typed = typedIn(form);
    try {
      const { key, record } = await keys.create(visit.account.accountId, readKeyForm(typed), visit.by);
      return sendDashboard(reply, freshKeyPage({ around: aroundOf(visit), key, record, baseUrl: baseUrl() }));
    } catch (error) {
      if (!isTold(error)) throw error;
      const page = await listPage(visit, services, { typed, error: error.message });
      return sendDashboard(reply.code(error.status), page);
    }
  });
  rooms.page('/dashboard/keys/:keyId', (visit, reply) => showKey(visit, reply, ownKey(visit)));
  const change = (what: 'change' | 'rotate' | 'revoke', act: Change): void =>
    rooms.form(`/dashboard/keys/:keyId/${what}`, '/dashboard/keys', async (visit, form, reply) => {
      const record = ownKey(visit);
      try {
        return await act(visit, record, form, reply);
      } catch (error) {
        if (!isTold(error)) throw error;
        const typed = what === 'change' ? typedIn(form) : typedOf(record);
        return showKey(visit, reply.code(error.status), record, {
          typed,
          error: { form: what, message: error.message },
        });
      }
    });
  change('change', async ({ account, by }, { keyId }, form, reply) => {
    await keys.change(account.accountId, keyId, readKeyForm(typedIn(form)), by);
    return backTo(reply, `/dashboard/keys/${keyId}?done=key-changed`);
  });
  change('rotate', async (visit, { keyId }, form, reply) => {
    const overlapMs = overlapOf(form);
    const { key, record } = await keys.rotate(visit.account.accountId, keyId, overlapMs, visit.by);
    const oldEnds = overlapMs === 0 ? null : new Date(clock.now() + overlapMs).toISOString();
    return sendDashboard(reply, freshKeyPage({ around: aroundOf(visit), key, record, baseUrl: baseUrl(), oldEnds }));
  });
  change('revoke', async ({ account, by }, { keyId }, _form, reply) => {
    await keys.revoke(account.accountId, keyId, by);
    return backTo(reply, '/dashboard/keys?done=key-revoked');
  });
}

type Change = (visit: Visit, record: KeyRecord, form: URLSearchParams, reply: FastifyReply) => Promise<FastifyReply>;

/** The key of the path among the account's own; those of clients are managed under clients. Throws `not_found`. */
function ownKey({ request, account }: Visit): KeyRecord {
  const keyId = namedIn(request, 'keyId');
  const record = account.keys.find((key) => key.keyId === keyId && key.grantId === null);
  if (record === undefined) throw notHere('key');
  return record;
}

async function listPage(
  visit: Visit,
  { grants, clock }: KeyServices,
  form: { readonly typed: KeyTyped; readonly error: string | null },
): Promise<string> {
  const { account } = visit;
  const clients = account.keys.some(({ grantId }) => grantId !== null) ? await grants.list(account.accountId) : [];
  return keysPage({
    around: aroundOf(visit),
    nowMs: clock.now(),
    keys: account.keys.toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1)),
    clients: new Map(clients.map(({ grantId, clientName }) => [grantId, clientName])),
    ...form,
  });
}
