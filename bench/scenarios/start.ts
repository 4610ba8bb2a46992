import { type Section, spread } from '../figures.js';
import { SCENARIOS } from '../options.js';
import { startPerch } from '../processes/perch.js';
import { watchMemory } from '../processes/usage.js';
import type { Workbench } from '../workbench.js';
import { READS } from './reads.js';

/** G: from nothing running, database included, to the first paid answer; and the process's memory while A to D are asked of it. */
export async function secondStart(bench: Workbench): Promise<Section[]> {
  const { letters, rounds, seconds, connections } = bench.options;
  if (!letters.includes('G')) return [];
  const home = await bench.small();
  const firstRead = { path: READS[0]?.path ?? '/', key: home.key };
  const startsMs: number[] = [];
  const peaksMb: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    bench.say(`G  round ${round} of ${rounds}`);
    const perch = await startPerch(home, firstRead);
    try {
      startsMs.push(perch.startMs);
      const memory = watchMemory(perch.pid);
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
        { name: 'peak of resident memory', unit: 'MB', value: spread(peaksMb), goal: '< 300' },
      ],
      notes: ['the embedded Postgres starts with it and is not in its memory'],
    },
  ];
}
