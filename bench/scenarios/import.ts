import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { largeOf } from '../data/rows.js';
import { writeCorpus } from '../data/write.js';
import { type Section, spread } from '../figures.js';
import { SCENARIOS } from '../options.js';
import { openHome, runCommand } from '../processes/perch.js';
import { timedImport, type Workbench } from '../workbench.js';

/** The same in one transaction, which leaves nothing behind when interrupted. */
async function importAtOnce({ folder, options }: Workbench): Promise<number> {
  const home = await openHome(join(folder, 'at-once'), options.logLevel);
  await runCommand(home, ['account', 'create', '--name', 'bench']).done;
  const files = await writeCorpus(join(folder, 'at-once-files'), largeOf(options.tweets));
  const { seconds } = await timedImport(home, '--strict', files);
  await rm(files, { recursive: true });
  return seconds;
}

/** H: imports a large corpus with `perch import`, once: it takes minutes, so noise matters little. */
export async function importLarge(bench: Workbench): Promise<Section[]> {
  if (!bench.options.letters.includes('H')) return [];
  const { imported } = await bench.large();
  const { seconds, memory, tweets } = imported;
  const atOnce = await importAtOnce(bench);
  const early = memory.slice(0, Math.ceil(memory.length / 4));
  const once = (value: number) => spread([value]);
  return [
    {
      letter: 'H',
      title: SCENARIOS.H,
      lines: [
        {
          name: `${tweets.toLocaleString('en')} tweets, kept every 20,000 rows`,
          unit: 's',
          value: once(seconds),
          ratio: { ...once(seconds / atOnce), of: 'one transaction' },
          goal: '< 180 for a million',
        },
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
