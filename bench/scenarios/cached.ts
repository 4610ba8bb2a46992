import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openEmbeddedPostgres } from '../../adapters/postgres/embedded/launcher.js';
import type { Answers, Sent } from '../contestants/answers.js';
import { type Line, type Section, spread } from '../figures.js';
import { SCENARIOS } from '../options.js';
import type { ServerName } from '../processes/child.js';
import { type Served, startServer } from '../processes/fork.js';
import { postmasterOf, type Service, startPerch } from '../processes/perch.js';
import { watchMemory } from '../processes/usage.js';
import type { Workbench } from '../workbench.js';
import { ask } from './ask.js';
import { CLIENTS } from './clients.js';
import { compare } from './compare.js';
import { READS, type Read, TOOL_CALLS, VARIED } from './reads.js';
import { warmUp } from './rounds.js';

/** A to D and L: cached reads, beside servers that answer the same bytes or the same selection from memory. */
export async function cachedReads(bench: Workbench): Promise<Section[]> {
  const { letters, clients, loads } = bench.options;
  const reads = [...READS, ...VARIED, ...TOOL_CALLS].filter(({ letter }) => letters.includes(letter));
  if (reads.length === 0) return [];
  const home = await bench.small();
  const keys = await home.customers();
  // Ours to begin with, so that it is no child of the service.
  const server = await openEmbeddedPostgres({ home: home.folder });
  const perch = await startPerch(home, { path: READS[0]?.path ?? '/', key: home.key });
  const servers = new Map<ServerName, Served>();
  try {
    const file = join(bench.folder, 'answers.json');
    await writeFile(file, JSON.stringify(await answersOf(perch, home.key, reads)));
    for (const name of new Set(reads.flatMap(({ against }) => against.map(({ server }) => server)))) {
      servers.set(name, await startServer(name, file));
    }
    bench.say('A to D  warming up');
    await warmUp(bench.generator, { url: perch.url + READS[0]?.path, keys });
    const arena = { perch, keys, postmaster: await postmasterOf(home), servers };
    const sections: Section[] = [];
    const memory: Line[] = [];
    for (const read of reads) {
      const seen = watchMemory(perch.pid);
      for (const client of read.clients.filter((each) => clients.includes(each))) {
        for (const connections of loads) sections.push(await compare(bench, read, { client, connections }, arena));
      }
      memory.push(peakLine(read, seen.stop()));
    }
    return [...sections, memorySection(memory)];
  } finally {
    await Promise.all([perch.stop(), ...[...servers.values()].map((server) => server.stop())]);
    await server.stop();
  }
}

const peakLine = ({ letter, how }: Read, seenMb: readonly number[]): Line => ({
  name: [SCENARIOS[letter], how].filter(Boolean).join(', '),
  unit: 'MB',
  value: spread([Math.max(...seenMb)]),
  goal: '< 300',
});

const memorySection = (lines: readonly Line[]): Section => ({
  letter: 'Memory',
  title: "peak of the service's resident memory, one after the other in the same process",
  lines,
  notes: ['Postgres is not in it'],
});

/** Every answer the contestants give, as Perch gave it once it cached what is in it. */
async function answersOf({ url }: Service, key: string, reads: readonly Read[]): Promise<Answers> {
  const rest: Sent[] = [];
  const graphql: Record<string, Answers['graphql'][string]> = {};
  for (const { asks, clients, ...read } of reads) {
    for (const asked of asks ?? [read]) {
      const options = { key, ...(asked.body !== undefined && { body: asked.body }) };
      await ask(url + asked.path, { ...options, headers: { ...asked.headers } });
      for (const { headers } of clients.map((client) => CLIENTS[client])) {
        const { cache, text, data, sent } = await ask(url + asked.path, {
          ...options,
          headers: { ...headers, ...asked.headers },
        });
        if (cache !== 'hit') throw new Error(`${asked.path}, asked again, is no hit: ${text.slice(0, 500)}`);
        if (read.letter === 'L') continue;
        if (asked.body !== undefined) {
          graphql[JSON.parse(asked.body).variables.handle] = data as Answers['graphql'][string];
          continue;
        }
        rest.push({
          path: asked.path,
          acceptEncoding: ('accept-encoding' in headers && headers['accept-encoding']) || '',
          contentEncoding: sent.encoding ?? null,
          base64: sent.bytes.toString('base64'),
        });
      }
    }
  }
  return { rest, graphql };
}
