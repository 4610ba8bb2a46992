import { createCorpusNetwork } from '../../adapters/networks/corpus/network.js';
import { openEmbeddedPostgres } from '../../adapters/postgres/embedded/launcher.js';
import { connect, type Sql } from '../../adapters/postgres/sql.js';
import type { ListRef } from '../../src/domain/lists.js';
import { SUBJECT } from '../data/rows.js';
import { wordOf } from '../data/texts.js';
import { type Line, ratioOf, type Section, spread } from '../figures.js';
import { SCENARIOS } from '../options.js';
import type { Workbench } from '../workbench.js';
import { pageMs } from './growth.js';

const PROTECTED = 1_000_000;
/** The first id above those of all generated profiles. */
const FIRST_ID = 1_000_000_000;

const LISTS: readonly { readonly name: string; readonly list: ListRef }[] = [
  { name: 'a timeline', list: { kind: 'timeline', subject: SUBJECT.id } },
  { name: 'a frequent word, Latest', list: { kind: 'search', subject: wordOf(5), product: 'Latest' } },
  { name: 'a frequent word, Top', list: { kind: 'search', subject: wordOf(5), product: 'Top' } },
  { name: 'a rare word, Latest', list: { kind: 'search', subject: wordOf(3000), product: 'Latest' } },
  {
    name: 'a word, by nobody verified',
    list: { kind: 'search', subject: `${wordOf(5)} -filter:verified`, product: 'Latest' },
  },
];

/** M: what a million protected profiles cost reads of the others. */
export async function protectedProfiles(bench: Workbench): Promise<Section[]> {
  if (!bench.options.letters.includes('M')) return [];
  const home = await bench.small();
  const server = await openEmbeddedPostgres({ home: home.folder });
  const sql = connect(server.connection, { max: 2, name: 'bench corpus' });
  try {
    const without = await measure(bench, sql, 'none');
    await sql`insert into corpus_users (id, handle, name, protected, verified)
      select ${FIRST_ID}::bigint + n, 'private_' || n, 'P', true, true from generate_series(1, ${PROTECTED}) n`;
    await sql`vacuum (analyze) corpus_users`;
    const beside = await measure(bench, sql, PROTECTED.toLocaleString('en'));
    await sql`delete from corpus_users where id > ${FIRST_ID}`;
    const lines = LISTS.map(({ name }): Line => {
      const ratio = ratioOf(beside.get(name) ?? [], without.get(name) ?? [], 'that with none');
      return { name, unit: 'ms', value: spread(beside.get(name) ?? []), ...(ratio && { ratio }), goal: '≤ 1.5 times' };
    });
    const notes = ['the network port alone, nothing cached; over the small corpus'];
    return [{ letter: 'M', title: SCENARIOS.M, lines, notes }];
  } finally {
    await sql.end({ timeout: 1 });
    await server.stop();
  }
}

async function measure(bench: Workbench, sql: Sql, how: string): Promise<Map<string, number[]>> {
  const network = createCorpusNetwork(sql);
  const figures = new Map<string, number[]>();
  for (let round = 0; round < bench.options.rounds; round += 1) {
    for (const { name, list } of LISTS) {
      const ms = await pageMs(network, list);
      bench.say(`M  ${name}, ${how} protected: ${ms.toFixed(2)} ms`);
      figures.set(name, [...(figures.get(name) ?? []), ms]);
    }
  }
  return figures;
}
