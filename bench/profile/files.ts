import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'undici';
import { type Lines, openLines } from '../load/paced.js';
import { requestsOf } from '../load/requests.js';
import { freePort, startPerch } from '../processes/perch.js';
import { READS } from '../scenarios/reads.js';
import type { Workbench } from '../workbench.js';
import { KINDS } from './kinds.js';

/** Requests before those that are counted: the first ones load and remember things that later ones do not. */
const WARM = 20;
/** Repetitions: work that runs once a second does not run during each of them. */
const TIMES = 8;
/** Milliseconds to wait after an answer for the work that follows it, such as its log line and cache entries. */
const AFTER_MS = 40;

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCE = 'adapters/cli/bin.ts';

/** The files of each kind by name: those with a function that every request calls, in a service run from sources. */
export async function filesOfRequests(bench: Workbench): Promise<Map<string, readonly string[]>> {
  const home = await bench.small();
  const inspector = await freePort();
  const words = [`--inspect=127.0.0.1:${inspector}`, '--import', 'tsx'];
  const perch = await startPerch(home, { path: READS[0]?.path ?? '/', key: home.key }, words, ROOT + SOURCE);
  try {
    const lines = await openLines(perch.url, 1);
    const calls = await watchCalls(inspector);
    const files = new Map<string, readonly string[]>();
    for (const { name, at } of KINDS) {
      bench.say(`Files  ${name}`);
      files.set(
        name,
        await filesOf(calls, lines, (nth) => requestsOf({ url: perch.url, keys: [home.key], targets: [at(nth)] })()),
      );
    }
    calls.close();
    lines.close();
    return files;
  } finally {
    await perch.stop();
  }
}

/** Prints them. */
export async function printFiles(bench: Workbench): Promise<void> {
  const files = await filesOfRequests(bench);
  for (const { name, most, goal } of KINDS) {
    const own = files.get(name) ?? [];
    const beside = [`at most ${most}`, goal !== undefined && `goal ${goal}`].filter(Boolean).join(', ');
    process.stdout.write(`\n${own.length} files (${beside}): ${name}\n${own.map((file) => `  ${file}\n`).join('')}`);
  }
}

async function filesOf(calls: Calls, lines: Lines, requestAt: (nth: number) => string): Promise<string[]> {
  for (let nth = 0; nth < WARM; nth += 1) await lines.send(0, requestAt(nth));
  let files: Set<string> | undefined;
  for (let nth = WARM; nth < WARM + TIMES; nth += 1) {
    await sleep(AFTER_MS);
    await calls.filesSince();
    await lines.send(0, requestAt(nth));
    await sleep(AFTER_MS);
    const seen = await calls.filesSince();
    files = files ? new Set([...files].filter((file) => seen.has(file))) : seen;
  }
  return [...(files ?? [])].sort();
}

interface Calls {
  /** Our own files with a function that was called since the previous call of this one. */
  readonly filesSince: () => Promise<Set<string>>;
  readonly close: () => void;
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

/** Counts the calls of all functions in a process that was started with an inspector. */
async function watchCalls(port: number): Promise<Calls> {
  const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
    webSocketDebuggerUrl: string;
  }[];
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
  await once(socket, 'open');
  let id = 0;
  const send = async <T>(method: string, params: object = {}): Promise<T> => {
    id += 1;
    socket.send(JSON.stringify({ id, method, params }));
    const [{ data }] = (await once(socket, 'message')) as [{ data: string }];
    const said = JSON.parse(data) as { id: number; result: T; error?: { message: string } };
    if (said.error || said.id !== id) throw new Error(`the inspector answered ${method} with ${data.slice(0, 500)}`);
    return said.result;
  };
  await send('Profiler.enable');
  await send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {
    async filesSince() {
      const { result } = await send<Coverage>('Profiler.takePreciseCoverage');
      const called = result.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0));
      return new Set(called.flatMap(({ url }) => ownFile(url) ?? []));
    },
    close: () => socket.close(),
  };
}

function ownFile(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined;
  const path = fileURLToPath(url);
  return path.startsWith(ROOT) && !path.includes('/node_modules/') ? path.slice(ROOT.length) : undefined;
}
