/** Accounts that open themselves by sign-in: the credits they start with, and how many mails it takes. */
import { describe, expect, it } from 'vitest';
import { startSignIn } from './sign-in-server.js';

const FROM = { userAgent: 'Firefox', address: '192.0.2.1' };

describe('new accounts', () => {
  it('starting credits that could not be given cost neither the link nor the credits (M27)', async () => {
    const own = await startSignIn({ env: { PERCH_STARTING_CREDITS: '1000' } });
    const { sql } = own.database;
    const balances = () => sql`select balance_thousandths::int as balance from wallets`;
    try {
      await own.signIn.requestLink('start@example.org', { address: '192.0.2.9', next: null });
      const token = await own.mailedSecret('start@example.org');
      await sql`alter table statement_entries rename to away`;
      expect((await own.post('/sign-in', { token, seen: '1' })).status).toBe(500);
      await sql`alter table away rename to statement_entries`;
      expect(await balances()).toEqual([{ balance: 0 }]);
      expect((await own.post('/sign-in', { token, seen: '1' })).status).toBe(303);
      expect(await balances()).toEqual([{ balance: 1_000_000 }]);
      await own.signIn.requestLink('start@example.org', { address: '192.0.2.9', next: null });
      await own.signIn.spend(await own.mailedSecret('start@example.org'), FROM);
      expect(await balances()).toEqual([{ balance: 1_000_000 }]);
      // The operator opened this one with nothing, and meant it.
      await own.openAccount('empty@example.org');
      await own.signIn.requestLink('empty@example.org', { address: '192.0.2.9', next: null });
      await own.signIn.spend(await own.mailedSecret('empty@example.org'), FROM);
      expect(await balances()).toContainEqual({ balance: 0 });
    } finally {
      await own.close();
    }
  });

  it('mails at most 600 links an hour in total without revealing the limit', async () => {
    const own = await startSignIn();
    try {
      for (let count = 0; count < 601; count++) {
        const address = `192.0.2.${count % 200}`;
        await own.signIn.requestLink(`a${count}@example.org`, { address, next: null });
        if (count % 50 === 0) await own.signIn.close();
      }
      await own.signIn.close();
      expect(own.sent).toHaveLength(600);
      expect(own.mailFailures).toEqual(['600 sign-in links were mailed in the last hour: one was dropped']);
    } finally {
      await own.close();
    }
  });
});
