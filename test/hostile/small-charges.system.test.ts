/** Whatever a caller writes into a document, the ledger stores little of the call, and only names of ours (M30). */
import { afterEach, describe, expect, it } from 'vitest';
import { post } from '../interfaces/graphql/client.js';
import { MOUNTS, type Mount, type Service, startService } from '../interfaces/graphql/service.js';
import type { TestAccount } from '../kit/perch.js';

const READS = 200;

let service: Service;
let account: TestAccount;
afterEach(() => service.close());

async function start(mount: Mount): Promise<void> {
  service = await startService({}, mount);
  account = await service.perch.account({ credits: 10_000 });
}

/** Sends this many documents, ten at a time. A document that is too large for other reasons is refused, and free. */
async function send(documentOf: (nth: number) => string, reads = READS): Promise<number> {
  let paid = 0;
  for (let nth = 0; nth < reads; nth += 10) {
    const texts = Array.from({ length: 10 }, (_, one) => documentOf(nth + one));
    for (const { status } of await Promise.all(texts.map((text) => post(service.perch, account, text)))) {
      expect([200, 400, 422]).toContain(status);
      if (status === 200) paid += 1;
    }
  }
  return paid;
}

const kept = async () => {
  const [sums] = await service.perch.database.sql<
    { rows: number; most: number; lines: number; name: number; names: number }[]
  >`
    select count(*) as rows, coalesce(max(pg_column_size(e.*)), 0) as most, coalesce(max(length(lines::text)), 0) as lines,
      coalesce(max(length(operation)), 0) as name, count(distinct operation) as names
    from ledger_entries e where kind = 'debit'`;
  return sums ?? { rows: 0, most: 0, lines: 0, name: 0, names: 0 };
};

describe.each(MOUNTS)('%s', (mount) => {
  it.each([31_000, 200])(
    'leaves a few hundred bytes in the ledger for an alias of %i characters',
    async (length) => {
      await start(mount);
      const paid = await send((nth) => `{ a${nth}${'x'.repeat(length)}: user(handle: "user1") { id } }`);
      const { rows, most, lines, name } = await kept();
      expect([rows, name]).toEqual([paid, paid === 0 ? 0 : 'query'.length]);
      expect(most).toBeLessThan(500);
      expect(lines).toBeLessThan(200);
    },
    60_000,
  );

  it('cuts names of operations, and stores the 101st and later ones of a day as `other`', async () => {
    await start(mount);
    const long = 'x'.repeat(30_000);
    const paid = await send((nth) => `query N${nth}_${nth % 2 ? long : ''} { user(handle: "user1") { id } }`);
    const { rows, most, name, names } = await kept();
    expect(rows).toBe(paid);
    expect(name).toBeLessThanOrEqual(64);
    expect(most).toBeLessThan(500);
    // A name whose claim is slow is `other`, too.
    expect(names).toBeLessThanOrEqual(101);
    const usage = await post(service.perch, account, '{ usage(group: "endpoint") { endpoint requests } }');
    const { usage: reported } = usage.body.data as { usage: { endpoint: string; requests: number }[] };
    expect(reported.length).toBe(names);
    expect(reported.find(({ endpoint }) => endpoint === 'other')?.requests).toBe(paid - (names - 1));
  });

  it("reports the answer's own paths, and schema paths on the receipt, with equal sums", async () => {
    await start(mount);
    const document =
      '{ mine: user(handle: "user1") { id last: tweets(first: 3) { nodes { id quote: quoted { id } } } } }';
    const { body } = await post(service.perch, account, document);
    const { breakdown, charged } = body.extensions.credits;
    expect(breakdown.map(({ path }) => path).sort()).toEqual(['mine', 'mine.last', 'mine.last.nodes.quote']);
    const receipt = await service.perch.ledger.receipt(account.accountId, body.extensions.request_id);
    expect(receipt?.lines.map(({ path }) => path).sort()).toEqual(['user', 'user.tweets', 'user.tweets.nodes.quoted']);
    expect(receipt?.lines.reduce((sum, { items, unitPrice }) => sum + items * unitPrice, 0)).toBe(charged * 1000);
  });
});
