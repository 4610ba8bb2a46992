import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lazily } from '../src/lib/lazily.js';
import { type CorpusSize, largeOf, SMALL } from './data/rows.js';
import { writeCorpus } from './data/write.js';
import type { BenchOptions } from './options.js';
import { CREDITS, openCustomers, QPS } from './processes/customers.js';
import { type Generator, startGenerator } from './processes/fork.js';
import { type Home, openHome, runCommand } from './processes/perch.js';
import { watchMemory } from './processes/usage.js';

/** The number of accounts whose keys are used in turn. */
export const CUSTOMERS = 300;

export interface Import {
  readonly seconds: number;
  /** Resident memory in MB over the time of the import. */
  readonly memory: readonly number[];
  readonly tweets: number;
}

/** A data folder with a corpus and an account that can pay. */
export interface Furnished extends Home {
  readonly key: string;
  readonly accountId: string;
  /** One key each of accounts that can pay, which are opened when first needed. */
  readonly customers: () => Promise<readonly string[]>;
  readonly imported: Import;
}

/** What all scenarios share: a temporary folder, the load generator, and the two corpora, made when first needed. */
export interface Workbench {
  readonly options: BenchOptions;
  readonly folder: string;
  readonly generator: Generator;
  readonly small: () => Promise<Furnished>;
  readonly large: () => Promise<Furnished>;
  /** Prints progress to standard error. Throws once the benchmark was interrupted. */
  readonly say: (text: string) => void;
  readonly close: () => Promise<void>;
}

export async function openWorkbench(options: BenchOptions): Promise<Workbench> {
  const folder = await mkdtemp(join(tmpdir(), 'perch-bench-'));
  // The embedded Postgres may run as another user, who needs access.
  await chmod(folder, 0o755);
  const generator = startGenerator();
  // Stops everything, so that nothing is left behind. A second interrupt does not wait for that.
  let interrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (interrupted = true));
  const say = (text: string): void => {
    if (interrupted) throw new Error('interrupted');
    process.stderr.write(`${text}\n`);
  };
  const furnished = new Map<string, Promise<Furnished>>();
  const home = (name: string, size: CorpusSize) => (): Promise<Furnished> => {
    let made = furnished.get(name);
    if (!made) {
      say(`Making the ${name} corpus: ${size.tweets.toLocaleString('en')} tweets`);
      made = furnish(join(folder, name), size, options.logLevel);
      furnished.set(name, made);
    }
    return made;
  };
  return {
    options,
    folder,
    generator,
    small: home('small', SMALL),
    large: home('large', largeOf(options.tweets)),
    say,
    async close() {
      await generator.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Fills a new home through the command line, as an operator does, and measures the import. */
async function furnish(folder: string, size: CorpusSize, logLevel: string): Promise<Furnished> {
  const home = await openHome(folder, logLevel);
  const files = await writeCorpus(`${folder}-files`, size);
  // Done first, so that the import does not include setting up the database.
  const words = ['--name', 'bench', '--credits', String(CREDITS), '--qps', String(QPS), '--json'];
  const account = JSON.parse(await runCommand(home, ['account', 'create', ...words]).done) as {
    key: string;
    account_id: string;
  };
  const imported = await timedImport(home, files);
  await rm(files, { recursive: true });
  const { key, account_id: accountId } = account;
  const customers = lazily(() => openCustomers(home, CUSTOMERS)).get;
  return { ...home, key, accountId, customers, imported };
}

/** An import through the command line, into a home whose database is set up. */
export async function timedImport(home: Home, ...words: readonly string[]): Promise<Import> {
  const begin = performance.now();
  const command = runCommand(home, ['import', ...words, '--json']);
  const memory = watchMemory(command.pid);
  const summary = JSON.parse(await command.done) as { tweets: { added: number } };
  return { seconds: (performance.now() - begin) / 1000, memory: memory.stop(), tweets: summary.tweets.added };
}
