import { type Line, type Section, spread } from '../figures.js';
import { SCENARIOS } from '../options.js';
import { postmasterOf, startPerch } from '../processes/perch.js';
import { watchMemory } from '../processes/usage.js';
import type { Workbench } from '../workbench.js';
import { READS } from './reads.js';
import { AT_MOST_SECONDS, costsOf, counted, type Round } from './rounds.js';

/** Numbers of answers of a new process, whose cost is measured before and while its code is compiled. */
const COLD = [
  { from: 0, to: 2_000 },
  { from: 2_000, to: 50_000 },
] as const;

/** G: the time from a start, with the database, to the first paid answer; first answers' cost; memory under A to D. */
export async function secondStart(bench: Workbench): Promise<Section[]> {
  const { letters, rounds, seconds, connections } = bench.options;
  if (!letters.includes('G')) return [];
  const home = await bench.small();
  const firstRead = { path: READS[0]?.path ?? '/', key: home.key };
  const keys = await home.customers();
  const startsMs: number[] = [];
  const cold: Round[][] = COLD.map(() => []);
  const peaksMb: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    bench.say(`G  round ${round} of ${rounds}`);
    const perch = await startPerch(home, firstRead);
    try {
      startsMs.push(perch.startMs);
      const memory = watchMemory(perch.pid);
      const processes = { server: perch.pid, postmaster: await postmasterOf(home) };
      for (const [nth, { from, to }] of COLD.entries()) {
        const load = { url: perch.url + firstRead.path, keys, connections, seconds: AT_MOST_SECONDS };
        cold[nth]?.push(await counted(processes, () => bench.generator.run({ ...load, answers: to - from })));
      }
      for (const { path, body } of READS) {
        const load = { url: perch.url + path, headers: { 'x-api-key': home.key }, connections, seconds };
        await bench.generator.run({ ...load, ...(body !== undefined && { body }) });
      }
      peaksMb.push(Math.max(...memory.stop()));
    } finally {
      await perch.stop();
    }
  }
  return [
    {
      letter: 'G',
      title: SCENARIOS.G,
      lines: [
        { name: 'to the first paid answer', unit: 's', value: spread(startsMs.map((ms) => ms / 1000)), goal: '< 2' },
        ...COLD.map(({ from, to }, nth): Line => {
          const all = cold[nth] ?? [];
          const name = `answers ${from.toLocaleString('en')} to ${to.toLocaleString('en')} of a new process`;
          return {
            name: `${name}, ${connections} connections`,
            unit: 'answers/s',
            value: spread(all.map(({ perSecond }) => perSecond)),
            costs: costsOf(all),
          };
        }),
        { name: 'peak of resident memory', unit: 'MB', value: spread(peaksMb), goal: '< 300' },
      ],
      notes: ['the embedded Postgres starts with it and is not in its memory'],
    },
  ];
}
