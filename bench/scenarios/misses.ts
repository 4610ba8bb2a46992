import { openEmbeddedPostgres } from '../../adapters/postgres/embedded/launcher.js';
import { BUSY, handleOf, SMALL } from '../data/rows.js';
import { alternate, type Section } from '../figures.js';
import type { CallersResult } from '../load/callers.js';
import type { Target } from '../load/load.js';
import { SCENARIOS } from '../options.js';
import { startQueries, type Worker } from '../processes/fork.js';
import { postmasterOf, type Service, startPerch } from '../processes/perch.js';
import type { QueryLoad } from '../processes/queries.js';
import type { Workbench } from '../workbench.js';
import { READS } from './reads.js';
import { counted, linesOf, type Round, warmUp } from './rounds.js';
import { sendRequest } from './send-request.js';
import { paying } from './wallets.js';

export interface Miss {
  readonly name: string;
  readonly what: QueryLoad['what'];
  readonly subjects: readonly string[];
  readonly at: (subject: string) => Target;
}

/**
 * Reads of a different subject each time, as `fresh`: the same work as a miss except for the cache look-up, with the
 * network read and everything cached, as often as needed.
 */
export const MISSES: readonly Miss[] = [
  {
    name: 'a profile',
    what: 'profile',
    subjects: Array.from({ length: SMALL.users }, (_, index) => handleOf(index)),
    at: (handle) => ({ path: `/v1/users/${handle}?fresh=true` }),
  },
  {
    name: 'a timeline of 20',
    what: 'timeline',
    subjects: BUSY.map(({ id }) => id),
    at: (id) => ({ path: `/v1/users/${id}/tweets?count=20&fresh=true` }),
  },
];

const WARM_SECONDS = 2;
const OURS = 'Perch, all of it';
const QUERY = 'the query by itself, same driver';
const GOAL = '≥ 0.50';

interface Arena {
  readonly perch: Service;
  readonly keys: readonly string[];
  readonly postmaster: number;
  readonly queries: Worker<QueryLoad, CallersResult>;
}

/** K: uncached reads, compared with the statement that reads the data. */
export async function corpusMisses(bench: Workbench): Promise<Section[]> {
  if (!bench.options.letters.includes('K')) return [];
  const home = await bench.small();
  const keys = await home.customers();
  const server = await openEmbeddedPostgres({ home: home.folder });
  const perch = await startPerch(home, { path: READS[0]?.path ?? '/', key: home.key });
  const queries = startQueries(server.connection);
  try {
    bench.say('K  warming up');
    await warmUp(bench.generator, { url: perch.url + READS[0]?.path, keys });
    const arena = { perch, keys, postmaster: await postmasterOf(home), queries };
    const sections: Section[] = [];
    for (const miss of MISSES) {
      for (const connections of bench.options.loads) sections.push(await compare(bench, miss, connections, arena));
    }
    return sections;
  } finally {
    await Promise.all([perch.stop(), queries.stop()]);
    await server.stop();
  }
}

async function compare(
  { options, generator, say }: Workbench,
  { name, what, subjects, at }: Miss,
  connections: number,
  { perch, keys, postmaster, queries }: Arena,
): Promise<Section> {
  const targets = subjects.map(at);
  const { charged } = await sendRequest(perch.url + targets[0]?.path, { key: keys[0] ?? '' });
  const ourRound = (seconds: number): Promise<Round> =>
    counted({ server: perch.pid, postmaster }, () =>
      generator.run({ url: perch.url, keys, targets, connections, seconds }),
    );
  const theirRound = (seconds: number): Promise<Round> =>
    counted({ server: queries.pid, postmaster }, async () => ({
      ...(await queries.run({ what, subjects, callers: connections, seconds })),
      generatorBusy: 0,
    }));
  const { result, note } = await paying(perch.url, keys, async () => {
    const warm = await ourRound(WARM_SECONDS);
    await theirRound(WARM_SECONDS);
    const figures = await alternate(
      [
        { name: OURS, round: () => ourRound(options.seconds) },
        { name: QUERY, round: () => theirRound(options.seconds) },
      ],
      options.rounds,
      (text) => say(`K  ${name}, ${connections} connections: ${text}`),
    );
    const answers = (figures.get(OURS) ?? []).reduce((sum, round) => sum + round.answers, warm.answers);
    return { result: figures, delivered: { answers, credits: charged } };
  });
  return {
    letter: 'K',
    title: `${SCENARIOS.K}: ${name}, another each time; ${connections} connections`,
    lines: linesOf(result, (line) => (line === QUERY ? GOAL : undefined)),
    notes: [note, 'the query has no HTTP, no generator beside it, and its callers in its own process'],
  };
}
