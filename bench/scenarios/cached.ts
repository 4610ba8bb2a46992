import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openEmbeddedPostgres } from '../../adapters/postgres/embedded/launcher.js';
import { connect } from '../../adapters/postgres/sql.js';
import type { Answers, Sent } from '../contestants/answers.js';
import { type Line, type Section, spread } from '../figures.js';
import { SCENARIOS } from '../options.js';
import { type Served, startServer } from '../processes/fork.js';
import { postmasterOf, type Service, startPerch } from '../processes/perch.js';
import { watchMemory } from '../processes/usage.js';
import type { Workbench } from '../workbench.js';
import { CLIENTS } from './clients.js';
import { compare, contestantsOf } from './compare.js';
import { CHARGED, type Peer, READS, type Read, TOOL_CALLS, VARIED } from './reads.js';
import { warmUp } from './rounds.js';
import { sendRequest } from './send-request.js';

/** A to E and L: cached reads, compared with servers that keep the same promise or answer the same from memory. */
export async function cachedReads(bench: Workbench): Promise<Section[]> {
  const { letters, clients, loads } = bench.options;
  const reads = [...READS, ...VARIED, ...CHARGED, ...TOOL_CALLS].filter(({ letter }) => letters.includes(letter));
  if (reads.length === 0) return [];
  const home = await bench.small();
  const keys = await home.customers();
  // We start Postgres first, so that it is not a child of the service.
  const server = await openEmbeddedPostgres({ home: home.folder });
  const sql = connect(server.connection, { max: 1, name: 'bench books' });
  const perch = await startPerch(home, { path: READS[0]?.path ?? '/', key: home.key });
  const started: Served[] = [];
  try {
    const file = join(bench.folder, 'answers.json');
    const answers = await answersOf(perch, home.key, reads);
    const logFile = join(bench.folder, 'contestants.log');
    await writeFile(file, JSON.stringify({ ...answers, keys, database: server.connection, logFile } satisfies Answers));
    const servers = new Map<Peer['server'], Pick<Served, 'url' | 'pid'>>([['perch', perch]]);
    for (const name of new Set(reads.flatMap(({ against }) => against.map(({ server }) => server)))) {
      if (name === 'perch') continue;
      const one = await startServer(name, file);
      started.push(one);
      servers.set(name, one);
    }
    const arena = { perch, keys, postmaster: await postmasterOf(home), servers, sql };
    const sections: Section[] = [];
    const memory: Line[] = [];
    const warmed = new Set<string>();
    for (const read of reads) {
      const own = read.clients.filter((each) => clients.includes(each));
      for (const { name, url, targets } of contestantsOf(read, arena)) {
        const warming = `${read.letter}  warming up: ${name}`;
        if (own.length === 0 || warmed.has(warming)) continue;
        bench.say(warming);
        await warmUp(bench.generator, { url, targets, keys });
        warmed.add(warming);
      }
      const seen = watchMemory(perch.pid);
      for (const client of own) {
        for (const connections of read.loads ?? loads)
          sections.push(await compare(bench, read, { client, connections }, arena));
      }
      memory.push(peakLine(read, seen.stop()));
    }
    return [...sections, memorySection(memory)];
  } finally {
    await Promise.all([perch.stop(), sql.end({ timeout: 1 }), ...started.map((each) => each.stop())]);
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

/** Headers that belong to one call or one connection. */
const OF_A_CALL =
  /^(?:x-credits-remaining|x-request-id|ratelimit.*|server-timing|content-length|date|connection|keep-alive)$/;

/** Every answer that contestants give, as Perch gave it from its cache. */
async function answersOf(
  { url }: Service,
  key: string,
  reads: readonly Read[],
): Promise<Pick<Answers, 'rest' | 'graphql'>> {
  const rest: Sent[] = [];
  const graphql: Record<string, Answers['graphql'][string]> = {};
  for (const { targets, clients, ...read } of reads) {
    for (const target of targets ?? [read]) {
      const options = { key, ...(target.body !== undefined && { body: target.body }) };
      await sendRequest(url + target.path, { ...options, headers: { ...target.headers } });
      for (const { headers } of clients.map((client) => CLIENTS[client])) {
        const { cache, text, data, sent } = await sendRequest(url + target.path, {
          ...options,
          headers: { ...headers, ...target.headers },
        });
        if (cache !== 'hit') throw new Error(`${target.path}, asked again, is no hit: ${text.slice(0, 500)}`);
        if (read.letter === 'L') continue;
        if (target.body !== undefined) {
          graphql[JSON.parse(target.body).variables.handle] = data as Answers['graphql'][string];
          continue;
        }
        rest.push({
          path: target.path,
          acceptEncoding: ('accept-encoding' in headers && headers['accept-encoding']) || '',
          headers: Object.fromEntries(
            Object.entries(sent.headers).flatMap(([name, value]) =>
              OF_A_CALL.test(name) || value === undefined ? [] : [[name, String(value)]],
            ),
          ),
          base64: sent.bytes.toString('base64'),
          text,
        });
      }
    }
  }
  return { rest, graphql };
}
