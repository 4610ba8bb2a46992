import { SUBJECT } from '../data/rows.js';
import { alternate, type Line, ratioOf, type Section, spread } from '../figures.js';
import { startPerch } from '../processes/perch.js';
import type { Furnished, Workbench } from '../workbench.js';
import { READS } from './reads.js';
import { sendRequest } from './send-request.js';

/** Items per page: as many as the network returns at once, so that a page is one read. */
const COUNT = 100;
const DEEP = 100;
/** Few connections, so that requests do not wait for each other. */
const CONNECTIONS = 2;

/** Compares page 100 of a timeline with page 1, cached and fresh, by the time of an answer. */
export async function deepPages(bench: Workbench, home: Furnished): Promise<Section> {
  const perch = await startPerch(home, { path: READS[0]?.path ?? '/', key: home.key });
  const first = `${perch.url}/v1/users/${SUBJECT.id}/tweets?count=${COUNT}`;
  try {
    const { url: last, page } = await walk(first, home.key);
    const round = (name: string, url: string) => ({
      name,
      async round() {
        const load = {
          url,
          headers: { 'x-api-key': home.key },
          connections: CONNECTIONS,
          seconds: bench.options.seconds,
        };
        return (CONNECTIONS * 1000) / (await bench.generator.run(load)).perSecond;
      },
    });
    const contestants = ['', '&fresh=true'].flatMap((how) => [
      round(`1${how}`, first + how),
      round(`${page}${how}`, last + how),
    ]);
    const figures = await alternate(contestants, bench.options.rounds, (text) => bench.say(`F  page ${text}`));
    const [cached = [], cachedDeep = [], anew = [], anewDeep = []] = figures.values();
    return {
      letter: 'F',
      title: `growth: page ${page} of a timeline, ${COUNT} tweets a page`,
      lines: [...pair('cached', page, cached, cachedDeep), ...pair('read again', page, anew, anewDeep)],
      notes: [],
    };
  } finally {
    await perch.stop();
  }
}

function pair(how: string, page: number, first: readonly number[], deep: readonly number[]): Line[] {
  const ratio = ratioOf(deep, first, 'page 1');
  return [
    { name: `page 1, ${how}`, unit: 'ms', value: spread(first) },
    { name: `page ${page}, ${how}`, unit: 'ms', value: spread(deep), ...(ratio && { ratio }), goal: '≤ 1.3' },
  ];
}

/** Walks to page 100, or to the last full page if there are fewer. */
async function walk(first: string, key: string): Promise<{ url: string; page: number }> {
  let url = first;
  for (let page = 1; ; page += 1) {
    const { next_cursor: next } = (await sendRequest(url, { key })).body;
    if (page === DEEP || next === undefined) return { url, page };
    url = `${first}&cursor=${next}`;
  }
}
