import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Answers } from '../contestants/answers.js';
import type { Section } from '../figures.js';
import type { ServerName } from '../processes/child.js';
import { type Served, startServer } from '../processes/fork.js';
import { type Service, startPerch } from '../processes/perch.js';
import type { Furnished, Workbench } from '../workbench.js';
import { ask } from './ask.js';
import { compare } from './compare.js';
import { READS } from './reads.js';

/** A to D: cached reads, beside servers that answer the same bytes or the same selection from memory. */
export async function cachedReads(bench: Workbench): Promise<Section[]> {
  const reads = READS.filter(({ letter }) => bench.options.letters.includes(letter));
  if (reads.length === 0) return [];
  const home = await bench.small();
  const perch = await startPerch(home, { path: READS[0]?.path ?? '/', key: home.key });
  const servers = new Map<ServerName, Served>();
  try {
    const file = join(bench.folder, 'answers.json');
    await writeFile(file, JSON.stringify(await answersOf(perch, home)));
    for (const name of new Set(reads.flatMap(({ against }) => against.map(({ server }) => server)))) {
      servers.set(name, await startServer(name, file));
    }
    const sections: Section[] = [];
    for (const read of reads) sections.push(await compare(bench, read, { perch, home, servers }));
    return sections;
  } finally {
    await Promise.all([perch.stop(), ...[...servers.values()].map((server) => server.stop())]);
  }
}

/** Every answer the contestants give, as Perch gave it once it cached what is in it. */
async function answersOf(perch: Service, { key }: Furnished): Promise<Answers> {
  const rest: Record<string, string> = {};
  let graphql: unknown;
  for (const { path, body } of READS) {
    const options = { key, ...(body !== undefined && { body }) };
    await ask(perch.url + path, options);
    const cached = await ask(perch.url + path, options);
    if (cached.cache !== 'hit') throw new Error(`${path}, asked again, is no hit: ${cached.text.slice(0, 500)}`);
    if (body === undefined) rest[path] = cached.text;
    else graphql = cached.data;
  }
  return { rest, graphql: graphql as Answers['graphql'] };
}
