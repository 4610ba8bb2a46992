import { loadCorpus } from '../../../adapters/networks/corpus/import/load.js';
import type { CorpusRow } from '../../../adapters/networks/corpus/rows.js';
import { type Client, createClient } from '../../kit/client.js';
import { range } from '../../kit/networks/scripted-network.js';
import type { TestAccount } from '../../kit/perch.js';
import { type Service, startService } from '../support/service.js';

/** Both networks have this many users and tweets, with the same ids and handles. */
const COUNT = 60;

const at = (id: number): string => new Date(Date.UTC(2020, 0, 1) + id * 1000).toISOString();

/** The invented network, smaller than the real one: the same ids as live, with other texts. */
const INVENTED: readonly CorpusRow[] = [
  ...range(COUNT).map(
    (id): CorpusRow => ({ kind: 'user', user: { id: String(id), handle: `user${id}`, name: `Invented ${id}` } }),
  ),
  ...range(COUNT).map(
    (id): CorpusRow => ({
      kind: 'tweet',
      tweet: { id: String(id), text: `invented ${id}`, authorId: '1', createdAt: at(id) },
    }),
  ),
];

/** A Perch whose live network is scripted, and whose invented network is `INVENTED`. */
export async function startTestMode(env: Record<string, string> = {}): Promise<Service> {
  const service = await startService({
    env,
    fill(net) {
      for (const id of range(COUNT)) net.user({ id: String(id), name: `Live ${id}` });
      const ids = range(COUNT).map((id) => net.tweet({ id: String(id), text: `live ${id}` }).id);
      net.list('timeline', '1', [...ids].reverse(), { pageSize: 20 });
    },
  });
  await loadCorpus(service.perch.stores.corpusSql, INVENTED, { tables: 'invented' });
  return service;
}

export interface Tester extends Client {
  readonly account: TestAccount;
}

/** A client with a test key of the customer. */
export async function testerOf({ perch }: Service, customer: { readonly account: TestAccount }): Promise<Tester> {
  const account = await perch.testKey(customer.account);
  return { ...createClient(perch.url, account.key), account };
}
