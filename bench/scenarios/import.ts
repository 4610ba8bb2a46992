import { type Section, spread } from '../figures.js';
import { SCENARIOS } from '../options.js';
import type { Workbench } from '../workbench.js';

/** H: a large corpus by `perch import`, once: minutes are enough to see through the noise. */
export async function importLarge(bench: Workbench): Promise<Section[]> {
  if (!bench.options.letters.includes('H')) return [];
  const { imported } = await bench.large();
  const { seconds, memory, tweets } = imported;
  const early = memory.slice(0, Math.ceil(memory.length / 4));
  const once = (value: number) => spread([value]);
  return [
    {
      letter: 'H',
      title: SCENARIOS.H,
      lines: [
        { name: `${tweets.toLocaleString('en')} tweets`, unit: 's', value: once(seconds), goal: '< 180 for a million' },
        { name: 'tweets per second', unit: 'tweets/s', value: once(tweets / seconds) },
        {
          name: 'peak of resident memory',
          unit: 'MB',
          value: once(Math.max(...memory)),
          ratio: { ...once(Math.max(...memory) / Math.max(...early)), of: "the first quarter's" },
          goal: 'flat: near 1',
        },
      ],
      notes: ['users and follow edges come along; the database is at work beside it and not in its memory'],
    },
  ];
}
