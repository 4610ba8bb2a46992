import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { machineLine } from '../machine.js';
import { startPerch } from '../processes/perch.js';
import { CLIENTS } from '../scenarios/clients.js';
import { MISSES } from '../scenarios/misses.js';
import { READS, TOOL_CALLS } from '../scenarios/reads.js';
import type { Workbench } from '../workbench.js';
import { costsOf, costTable, type Profiled, stepTable } from './costs.js';
import { withOriginals } from './originals.js';

/** Most code is compiled by then. */
const WARM_SECONDS = 5;

/** Writes a CPU profile and its costs per read and client. The developer tools of any browser open the files. */
export async function profileReads(bench: Workbench, folder: string): Promise<void> {
  const { letters, connections, clients, seconds, print } = bench.options;
  const home = await bench.small();
  const keys = await home.customers();
  const into = resolve(folder);
  await mkdir(into, { recursive: true });
  const misses = MISSES.map(({ name, subjects, at }) => {
    const targets = subjects.map(at);
    return { letter: 'K', how: name, path: targets[0]?.path ?? '/', targets, clients: ['plain'] } as const;
  });
  const selected = [...READS, ...TOOL_CALLS, ...misses]
    .filter((read) => letters.includes(read.letter))
    .flatMap((read) => read.clients.filter((each) => clients.includes(each)).map((client) => ({ ...read, client })));
  const profiled: Profiled[] = [];
  for (const { client, ...read } of selected) {
    const { letter, path, how = path } = read;
    const { title: who, headers, traced } = CLIENTS[client];
    const name = `${[letter, ...how.matchAll(/[a-z]+/g), client].join('-')}.cpuprofile`;
    const flags = ['--cpu-prof', `--cpu-prof-dir=${into}`, `--cpu-prof-name=${name}`];
    const perch = await startPerch(home, { path: READS[0]?.path ?? '/', key: home.key }, flags);
    const load = {
      url: perch.url,
      targets: read.targets ?? [read],
      keys,
      headers,
      traced,
      connections,
    };
    let beginMs: number;
    let endMs: number;
    let perSecond: number;
    try {
      await bench.generator.run({ ...load, seconds: WARM_SECONDS });
      beginMs = Date.now() - perch.startedAt;
      ({ perSecond } = await bench.generator.run({ ...load, seconds }));
      endMs = Date.now() - perch.startedAt;
    } finally {
      await perch.stop();
    }
    const profile = withOriginals(JSON.parse(await readFile(join(into, name), 'utf8')));
    const costs = costsOf(profile, beginMs, endMs);
    profiled.push({ name: `${letter}: ${how}, ${who}`, costs, perSecond });
    if (print === 'markdown') continue;
    const title = `${letter}  ${how}, ${who}: ${Math.round(perSecond)} answers/s while profiled (${join(into, name)})`;
    process.stdout.write(`\n${title}\n${costTable(costs, perSecond)}\n`);
  }
  if (print === 'markdown')
    process.stdout.write(
      `${machineLine()}; ${seconds} s of each, ${connections} connections.\n\n${stepTable(profiled)}\n`,
    );
}
