import { divideAt } from '../../adapters/networks/corpus/import/partitions.js';
import { createCorpusNetwork } from '../../adapters/networks/corpus/network.js';
import { openEmbeddedPostgres } from '../../adapters/postgres/embedded/launcher.js';
import { connect } from '../../adapters/postgres/sql.js';
import type { ListRef } from '../../src/domain/lists.js';
import type { Product } from '../../src/domain/model.js';
import type { Network } from '../../src/ports/network.js';
import { OLD_WORD, SUBJECT } from '../data/rows.js';
import { wordOf } from '../data/texts.js';
import { alternate, type Line, ratioOf, type Section, spread } from '../figures.js';
import { SCENARIOS } from '../options.js';
import type { Furnished, Workbench } from '../workbench.js';
import { deepPages } from './deep-pages.js';

/** Searches of every kind of cost, named by what makes them cheap or expensive. */
const SEARCHES: readonly { readonly name: string; readonly query: string; readonly product: Product }[] = [
  { name: 'a frequent word, Latest', query: wordOf(5), product: 'Latest' },
  { name: 'a frequent word, Top', query: wordOf(5), product: 'Top' },
  { name: 'a word of medium rank, Latest', query: wordOf(300), product: 'Latest' },
  { name: 'a rare word, Latest', query: wordOf(7000), product: 'Latest' },
  { name: 'two words, Latest', query: `${wordOf(20)} ${wordOf(200)}`, product: 'Latest' },
  { name: 'a phrase, Latest', query: `"${wordOf(1)} ${wordOf(3)}"`, product: 'Latest' },
  { name: 'a phrase of three very common words', query: `"${wordOf(1)} ${wordOf(2)} ${wordOf(3)}"`, product: 'Latest' },
  { name: 'a word common among old tweets only', query: OLD_WORD, product: 'Latest' },
  { name: 'one of two words, not a third', query: `(${wordOf(90)} OR ${wordOf(91)}) -${wordOf(1)}`, product: 'Latest' },
  { name: 'from: a busy author', query: `from:${SUBJECT.handle} ${wordOf(40)}`, product: 'Latest' },
  { name: 'a hashtag, Top', query: `#${wordOf(30)}`, product: 'Top' },
  { name: 'min_faves, media', query: 'min_faves:1000 filter:media', product: 'Latest' },
  { name: 'a word, Photos', query: wordOf(60), product: 'Photos' },
  { name: 'people', query: wordOf(60), product: 'People' },
];

/** Pages of one round, one after the other. */
const REPEATS = 20;

/** F: the cost of a hundred times as much data. */
export async function growth(bench: Workbench): Promise<Section[]> {
  if (!bench.options.letters.includes('F')) return [];
  const [small, large] = [await bench.small(), await bench.large()];
  return [await deepPages(bench, large), await searches(bench, small, large), await partitions(bench, large)];
}

async function searches(bench: Workbench, small: Furnished, large: Furnished): Promise<Section> {
  const [few, many] = [await openCorpus(small), await openCorpus(large)];
  try {
    const lines: Line[] = [];
    for (const { name, query, product } of SEARCHES) {
      const figures = await alternate(
        [few, many].map(({ network, tweets }) => ({
          name: `${tweets} tweets`,
          round: () => pageMs(network, { kind: 'search', subject: query, product }),
        })),
        bench.options.rounds,
        (text) => bench.say(`F  ${name}: ${text}`),
      );
      const [inFew = [], inMany = []] = figures.values();
      const ratio = ratioOf(inMany, inFew, `that of ${small.imported.tweets.toLocaleString('en')}`);
      lines.push({ name, unit: 'ms', value: spread(inMany), ...(ratio && { ratio }), goal: '≤ 3' });
    }
    const title = `${SCENARIOS.F.split(':')[0]}: search over ${large.imported.tweets.toLocaleString('en')} tweets`;
    return {
      letter: 'F',
      title,
      lines,
      notes: ['the network port alone, nothing cached: over HTTP the ratios are nearer to 1'],
    };
  } finally {
    await Promise.all([few.close(), many.close()]);
  }
}

/** Compares the same corpus as one table and as ten partitions, page by page. */
async function partitions(bench: Workbench, home: Furnished): Promise<Section> {
  const server = await openEmbeddedPostgres({ home: home.folder });
  const open = (database: string) => connect({ ...server.connection, database }, { max: 4, name: 'bench corpus' });
  const database = 'partitioned';
  const admin = open('postgres');
  await admin`drop database if exists ${admin(database)}`;
  await admin`create database ${admin(database)} template ${admin(server.connection.database)}`;
  await admin.end();
  const [one, ten] = [open(server.connection.database), open(database)];
  try {
    for (let part = 9; part > 0; part -= 1) {
      bench.say(`F  Cutting partition ${part + 1} of 10`);
      const [row] = await one<{ id: string }[]>`
        select id::text as id from corpus_tweets order by id offset ${Math.floor((part * home.imported.tweets) / 10)} limit 1`;
      if (row !== undefined) await divideAt(ten, 'corpus_tweets', row.id);
    }
    for (const sql of [one, ten]) await sql`vacuum (analyze) corpus_tweets`;
    const [whole, parts] = [createCorpusNetwork(one), createCorpusNetwork(ten)];
    const lines: Line[] = [];
    const searches = SEARCHES.filter(({ product }) => product !== 'People').map(({ name, query, product }) => ({
      name,
      list: { kind: 'search', subject: query, product } as const,
    }));
    for (const { name, list } of [
      ...searches,
      { name: 'a timeline', list: { kind: 'timeline', subject: SUBJECT.id } as const },
    ]) {
      const figures = await alternate(
        [
          { name: 'one table', round: () => pageMs(whole, list) },
          { name: 'ten partitions', round: () => pageMs(parts, list) },
        ],
        bench.options.rounds,
        (text) => bench.say(`F  ${name}: ${text}`),
      );
      const [inOne = [], inTen = []] = figures.values();
      const ratio = ratioOf(inTen, inOne, 'that of one table');
      lines.push({ name, unit: 'ms', value: spread(inTen), ...(ratio && { ratio }), goal: '≤ 1.3' });
    }
    const title = `${SCENARIOS.F.split(':')[0]}: the first page over ten partitions`;
    return { letter: 'F', title, lines, notes: ['the network port alone, nothing cached'] };
  } finally {
    await Promise.all([one.end({ timeout: 1 }), ten.end({ timeout: 1 })]);
    await server.stop();
  }
}

async function openCorpus(home: Furnished): Promise<{ network: Network; tweets: number; close: () => Promise<void> }> {
  const server = await openEmbeddedPostgres({ home: home.folder });
  const sql = connect(server.connection, { max: 2, name: 'bench corpus' });
  const close = async (): Promise<void> => {
    await sql.end({ timeout: 1 });
    await server.stop();
  };
  return { network: createCorpusNetwork(sql), tweets: home.imported.tweets, close };
}

/** Milliseconds per first page. The first read is not counted, because it fills the database's cache. */
export async function pageMs(network: Network, list: ListRef): Promise<number> {
  const { signal } = new AbortController();
  await network.page(list, null, { signal });
  const begin = performance.now();
  for (let turn = 0; turn < REPEATS; turn += 1) await network.page(list, null, { signal });
  return (performance.now() - begin) / REPEATS;
}
