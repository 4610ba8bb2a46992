import { randomBytes } from 'node:crypto';
import { OPERATOR } from '../../../src/domain/audit.js';
import { counted } from '../../../src/domain/figures.js';
import { Sessions } from '../../../src/sign-in/sessions.js';
import { createSessionStore } from '../../postgres/customers/sessions.js';
import { answer } from '../print.js';
import { withStores } from '../with-stores.js';
import { accountOf } from './account.js';

/** Ends every session of the account, on every browser. */
export async function signOutAccount(id: string, options: { json?: boolean }): Promise<void> {
  const ended = await withStores(async (stores) => {
    const { accountId } = await accountOf(stores, id);
    const store = createSessionStore(stores.sql);
    return new Sessions({ store, clock: { now: Date.now }, randomBytes }).endAll(accountId, null, OPERATOR);
  });
  answer(
    { account_id: id, sessions_ended: ended },
    options.json,
    () =>
      `${counted(ended, 'session')} signed out. Keys keep working, and links already sent can still be used to sign in.`,
  );
}

/** Stops the keys of the account, or lets them work again. */
export async function freezeAccount(id: string, frozen: boolean, options: { json?: boolean }): Promise<void> {
  await withStores(async (stores) => {
    await accountOf(stores, id);
    await stores.accounts.freeze(id, frozen);
  });
  answer({ account_id: id, frozen }, options.json, () =>
    frozen
      ? 'Account frozen: none of its keys works on any node. Run `perch account thaw` to undo this.'
      : 'Account thawed: its keys work again.',
  );
}
