import { basename } from 'node:path';
import type { Command } from 'commander';
import { counted, figure } from '../../../src/domain/figures.js';
import type { ImportSummary } from '../../networks/corpus/import/summary.js';
import { type Begun, rowsRead } from '../../networks/corpus/import/unfinished.js';
import { examples, paths } from '../command-line.js';
import { typedPath } from '../environment.js';
import { Failure } from '../failure.js';
import { answer, note, table } from '../print.js';
import { openProgress, type Progress } from '../progress.js';
import { withStores } from '../with-stores.js';

/** import. */
export function importCommand(program: Command): void {
  program
    .command('import')
    .description(
      'import files or folders into the database (network corpus); running it again resumes where it stopped, or changes nothing',
    )
    .argument('<path...>', 'files or folders to import', paths)
    .option('--strict', 'stop at the first invalid line and import nothing')
    .option('--escaped', 'decode texts that X escaped (&amp;), in rows that use Perch’s names')
    .option('--json', 'print the summary as JSON')
    .addHelpText(
      'after',
      `
Supported files: .ndjson, .jsonl or .json (also .gz) with users, tweets, follows or X API v2 pages; tweets.js, account.js and
profile.js of an X archive. Invalid lines are reported as file:line: message and skipped;
if no line is valid, the exit code is 1. An import that was interrupted resumes where it stopped.
${examples('perch import ../corpus', 'perch import users.ndjson.gz tweets.ndjson.gz follows.ndjson', 'perch import --strict ~/twitter-archive')}`,
    )
    .action(importFiles);
}

interface ImportOptions {
  readonly strict?: boolean;
  readonly escaped?: boolean;
  readonly json?: boolean;
}

/** Reports invalid lines on standard error as it finds them, and prints the summary as the result. */
async function importFiles(given: readonly string[], options: ImportOptions): Promise<void> {
  const [{ findFiles }, { importPaths }] = await Promise.all([
    import('../../networks/corpus/import/files/find-files.js'),
    import('../../networks/corpus/import/import-paths.js'),
  ]);
  // Checked first, so that a wrong path creates no database.
  await findFiles(given.map(typedPath));
  const summary = await withStores(
    async ({ corpusWrites }, { network }) => {
      if (network !== 'corpus')
        note(`perch: PERCH_NETWORK is ${network}; imported data is only served when it is corpus`);
      let progress: Progress | undefined;
      let faults = 0;
      let kept = 0;
      try {
        return await importPaths(corpusWrites, given.map(typedPath), {
          strict: options.strict === true,
          areEscaped: options.escaped === true,
          onFault({ file, line, message }) {
            faults += 1;
            (progress?.line ?? note)(`${file}:${line}: ${message}`);
          },
          onProgress({ file, bytesRead, bytesTotal }) {
            progress ??= openProgress('Importing', bytesTotal);
            progress.update(bytesRead, basename(file));
          },
          onWait: () => note('Another import is running; this one starts when it has finished.'),
          onBegin: reportBeginning,
          onKept: (rows) => (kept = rows),
        });
      } catch (error) {
        progress?.stop();
        if (kept > 0) note(`Stored so far: ${counted(kept, 'row')}. Run the same command again to resume there.`);
        // The line was already reported; the fault is in the file, not in the command line.
        if (faults > 0 && options.strict === true)
          throw new Failure('stopped at the first invalid line; nothing was imported');
        throw error;
      } finally {
        progress?.stop();
      }
    },
    { others: 'created' },
  );
  answer(summary, options.json, () => formatSummary(summary));
  // An empty file is not a failure: a daily import may have nothing new.
  const { count } = summary.faults;
  if (count > 0 && KINDS.every((kind) => summary[kind].read === 0))
    throw new Failure(
      `nothing was imported: ${count === 1 ? 'the only line is' : `all ${figure(count)} lines are`} invalid`,
    );
}

function reportBeginning({ reached, isChanged, begunAt }: Begun): void {
  const when = `${begunAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  if (isChanged) note(`The import that began ${when} did not finish, and files have changed since, so it starts over.`);
  else if (reached !== null)
    note(`Resuming after ${counted(rowsRead(reached.summary), 'row')} of the import that began ${when}.`);
}

const KINDS = ['users', 'tweets', 'follows'] as const;

function formatSummary(summary: ImportSummary): string {
  const rows = KINDS.map((kind) => [kind, summary[kind].read, summary[kind].added, summary[kind].changed]);
  const { count } = summary.faults;
  const omitted = summary.omitted
    .map((each) => `\n${each.file}: left out ${figure(each.count)} ${each.omitted}`)
    .join('');
  const faults = count === 0 ? '' : `\n${counted(count, 'invalid line')} skipped; see above.`;
  const isNew = KINDS.some((kind) => summary[kind].added + summary[kind].changed > 0);
  const nothing = isNew || count > 0 ? '' : '\nNothing to do: everything is already there.';
  return table(['', 'read', 'added', 'changed'], rows) + omitted + faults + nothing;
}
