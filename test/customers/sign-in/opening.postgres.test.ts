/** Accounts that are opened by sign-in: their starting credits, and the limits of mails. */
import { describe, expect, it } from 'vitest';
import { startSignIn } from './sign-in-server.js';

const FROM = { userAgent: 'Firefox', address: '192.0.2.1' };

describe('new accounts', () => {
  it('keep the link and the starting credits if granting them fails at first (M27)', async () => {
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
      // The operator opened this account without credits on purpose.
      await own.openAccount('empty@example.org');
      await own.signIn.requestLink('empty@example.org', { address: '192.0.2.9', next: null });
      await own.signIn.spend(await own.mailedSecret('empty@example.org'), FROM);
      expect(await balances()).toContainEqual({ balance: 0 });
    } finally {
      await own.close();
    }
  });

  it('get starting credits once per mailbox, however its address is written (A35)', async () => {
    const own = await startSignIn({ env: { PERCH_STARTING_CREDITS: '10' } });
    const { sql } = own.database;
    const open = async (email: string): Promise<number> => {
      await own.signIn.requestLink(email, { address: '192.0.2.9', next: null });
      const { session } = await own.signIn.spend(await own.mailedSecret(email), FROM);
      const visitor = await own.sessions.find(session.token);
      const [wallet] = await sql<{ balance: number }[]>`
        select balance_thousandths::int as balance from wallets where account_id = ${visitor?.personId ?? ''}`;
      return wallet?.balance ?? -1;
    };
    try {
      expect(await open('ada@example.org')).toBe(10_000);
      expect(await open('ada+1@example.org')).toBe(0);
      expect(await open('ADA+two+three@Example.org')).toBe(0);
      expect(await open('ada.l@example.org')).toBe(10_000);
      expect(await open('+ada@example.org')).toBe(10_000);
      expect(await open('g.race+a@googlemail.com')).toBe(10_000);
      expect(await open('grace@gmail.com')).toBe(0);
      await sql`update people set email = 'moved@example.net' where email = 'ada@example.org'`;
      expect(await open('ada+3@example.org')).toBe(0);
      const links = ['b+1@example.org', 'b+2@example.org', 'b+3@example.org'].map(async (email) => {
        await own.signIn.requestLink(email, { address: '192.0.2.10', next: null });
        return own.mailedSecret(email);
      });
      const secrets = await Promise.all(links);
      await Promise.all(secrets.map((secret) => own.signIn.spend(secret, FROM)));
      const [granted] = await sql<{ count: number }[]>`
        select count(*)::int from wallets join account_owners using (account_id)
        where email like 'b+%' and balance_thousandths > 0`;
      expect(granted?.count).toBe(1);
    } finally {
      await own.close();
    }
  });

  it('still get links at a first request, however many links eight other addresses requested (A36)', async () => {
    const own = await startSignIn();
    try {
      for (let quarter = 0; quarter < 4; quarter++) {
        for (let count = 0; count < 8 * 20; count++) {
          const address = `192.0.2.${count % 8}`;
          await own.signIn.requestLink(`a${quarter}-${count}@example.org`, { address, next: null });
          if (count % 50 === 0) await own.signIn.close();
        }
        await own.signIn.close();
        own.clock.advance(quarter < 3 ? 900_000 : 0);
      }
      for (let nth = 0; nth < 50; nth++) {
        const to = `new${nth}@example.org`;
        await own.signIn.requestLink(to, { address: `198.51.100.${nth}`, next: null });
        await own.signIn.close();
        expect(own.sent.at(-1)?.to).toBe(to);
      }
    } finally {
      await own.close();
    }
  });

  it('still get links at a first request, however many /64s of eight networks requested links (A36)', async () => {
    const own = await startSignIn();
    const answers: string[] = [];
    try {
      for (let count = 0; count < 8 * 90; count++) {
        const address = `2001:db8:${count % 8}:${count}::/64`;
        const request = own.signIn.requestLink(`a${count}@example.org`, { address, next: null });
        answers.push(
          await request.then(
            () => 'admitted',
            ({ message }) => message,
          ),
        );
        if (count % 50 === 0) await own.signIn.close();
      }
      expect(answers.slice(0, 8 * 80)).toEqual(Array(8 * 80).fill('admitted'));
      expect(new Set(answers.slice(8 * 80))).toEqual(new Set(['Too many links were requested from your network.']));
      for (let nth = 0; nth < 300; nth++) {
        const to = `new${nth}@example.org`;
        await own.signIn.requestLink(to, { address: `2001:db8:1${nth}:1::/64`, next: null });
        await own.signIn.close();
        expect(own.sent.at(-1)?.to).toBe(to);
      }
    } finally {
      await own.close();
    }
  });

  it('still get links at a first request, however steadily 24 networks request one (A36)', async () => {
    const own = await startSignIn();
    try {
      for (let count = 0; count < 24 * 45; count++) {
        if (count % 24 === 0) {
          await own.signIn.close();
          own.clock.advance(45_000);
        }
        await own.signIn.requestLink(`a${count}@example.org`, { address: `192.0.2.${count % 24}`, next: null });
      }
      await own.signIn.close();
      await own.signIn.requestLink('new@example.org', { address: '198.51.100.1', next: null });
      await own.signIn.close();
      expect(own.sent.at(-1)?.to).toBe('new@example.org');
    } finally {
      await own.close();
    }
  });

  it('share a limit of 600 mailed links an hour, which is not revealed', async () => {
    const own = await startSignIn();
    try {
      for (let count = 0; count < 601; count++) {
        const address = `192.0.2.${count % 200}`;
        await own.signIn.requestLink(`a${count}@example.org`, { address, next: null });
        if (count % 50 === 0) await own.signIn.close();
      }
      await own.signIn.close();
      expect(own.sent).toHaveLength(600);
      expect(own.mailFailures).toEqual([
        '600 links were mailed in the last hour, or 80 for one network: one was dropped',
      ]);
    } finally {
      await own.close();
    }
  });
});
