/** `npm run bench`: see README.md beside this file. */
import type { Section } from './figures.js';
import { MACHINE, runLine } from './machine.js';
import { readOptions } from './options.js';
import { beChild } from './processes/child.js';
import { CHILD } from './processes/fork.js';
import { printFiles } from './profile/files.js';
import { profileReads } from './profile/profile.js';
import { markdownOf, tableOf } from './report.js';
import { cachedReads } from './scenarios/cached.js';
import { following } from './scenarios/following.js';
import { growth } from './scenarios/growth.js';
import { importLarge } from './scenarios/import.js';
import { durableCharges } from './scenarios/ledger/charges.js';
import { historyBeside } from './scenarios/ledger/history.js';
import { millionWallets } from './scenarios/ledger/million-wallets.js';
import { overWorkers } from './scenarios/ledger/workers.js';
import { corpusMisses } from './scenarios/misses.js';
import { manyNodes } from './scenarios/nodes.js';
import { protectedProfiles } from './scenarios/protected.js';
import { secondStart } from './scenarios/start.js';
import { steadyService } from './scenarios/steady.js';
import { openWorkbench } from './workbench.js';

const SCENARIOS_IN_ORDER = [
  cachedReads,
  corpusMisses,
  durableCharges,
  secondStart,
  importLarge,
  growth,
  protectedProfiles,
  manyNodes,
  steadyService,
  following,
  millionWallets,
  historyBeside,
  overWorkers,
];

async function main(argv: readonly string[]): Promise<void> {
  const options = readOptions(argv);
  const bench = await openWorkbench(options);
  try {
    if (options.files) return await printFiles(bench);
    if (options.profileFolder !== null) return await profileReads(bench, options.profileFolder);
    const all: Section[] = [];
    for (const scenario of SCENARIOS_IN_ORDER) {
      for (const section of await scenario(bench)) {
        all.push(section);
        if (options.print === 'text') process.stdout.write(`\n${tableOf(section)}`);
      }
    }
    if (options.print === 'json') process.stdout.write(`${JSON.stringify({ ...MACHINE, sections: all }, null, 2)}\n`);
    if (options.print === 'markdown') process.stdout.write(`${runLine(options)}\n\n${markdownOf(all)}\n`);
  } finally {
    await bench.close();
  }
}

const [first = '', name = '', file = ''] = process.argv.slice(2);
await (first === CHILD ? beChild(name, file) : main(process.argv.slice(2)));
