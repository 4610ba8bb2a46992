import { rm } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { toCredits } from '../../../src/domain/credits.js';
import { counted, figure } from '../../../src/domain/figures.js';
import type { ListRead } from '../../../src/domain/lists.js';
import { PRODUCTS, type Product } from '../../../src/domain/model.js';
import { fitsCorpus } from '../../networks/corpus/import/objects/fields.js';
import { atLeastOne, examples, intervalSeconds, path, someCredits, webAddress } from '../command-line.js';
import { configOfProcess, typedPath } from '../environment.js';
import { resolveApiKey, serviceUrl } from '../export/access.js';
import { ExportClient, type ExportPage, type ExportQuery, ExportRefusal } from '../export/client.js';
import { type ExportDestination, type ExportPaths, openDestination, resolvePaths } from '../export/destination.js';
import { checkFollow, checkFollowed, following } from '../export/follow.js';
import { EXPORTS, listPath, rowTypeOf } from '../export/lists.js';
import { takeLocks } from '../export/lock.js';
import { Measure } from '../export/measure.js';
import { FORMATS, type Format, inferFormat, rowText } from '../export/rows.js';
import { type End, type ExportRun, runExport } from '../export/run.js';
import { type ExportState, removeState, writeState } from '../export/state.js';
import { howToResume, printSummary, type Summary } from '../export/summary.js';
import { Failure, WRONG_USE } from '../failure.js';
import { note } from '../print.js';
import { openProgress, type Progress } from '../progress.js';
import { listenForStop } from '../shutdown-signals.js';

/** export. */
export function exportCommand(program: Command): void {
  program
    .command('export')
    .description('export a whole list or search from a running service to a file, within a credit budget')
    .addArgument(program.createArgument('<list>', 'list to export').choices([...EXPORTS.keys()]))
    .argument('<what>', '@handle or id of a user, id of a tweet, or a search query')
    .requiredOption('--max-credits <credits>', 'maximum credits to spend, over all runs of this export', someCredits)
    .option('--limit <items>', 'stop after this many items, over all runs of this export', atLeastOne)
    .option('--count <items>', 'items per call (default: the maximum for the list)', atLeastOne)
    .addOption(new Option('--product <product>', 'search product').choices([...PRODUCTS]))
    .option('--follow', 'continue with new items, until Ctrl-C')
    .option('--interval <seconds>', 'with --follow: seconds between two calls (default: 30)', intervalSeconds)
    .option('--fresh', 'bypass the cache, at double price')
    .addOption(
      new Option('--format <format>', 'output format (default: from the file name, else ndjson)').choices([...FORMATS]),
    )
    .option('--out <file>', 'write to a file instead of standard output', path)
    .option('--state <file>', 'file for the progress of the export (default: next to the --out file)', path)
    .option('--url <address>', 'URL of the service (default: PERCH_BASE_URL, else this machine)', webAddress)
    .option('--key-file <file>', 'file with the API key (default: PERCH_KEY, else the demo key of this machine)', path)
    .option('--json', 'print the summary as JSON')
    .addHelpText(
      'after',
      `
With --out, or with --state and >>, running the same command again resumes the export after Ctrl-C, a crash, a full disk or a
spent budget; no item is written twice. --max-credits, --limit and --count may change between runs. Only one run at a time can
write to a file. Once the whole list is there, --follow continues with new items until Ctrl-C; the same command resumes:
new rows are appended, the oldest first. Parquet files cannot be appended to, and are built from a row file kept next to them. CSV text is not escaped for spreadsheets, which
may take values starting with =, +, - or @ for formulas. When rows go to standard output, the summary goes to standard error.

Exit codes: 0 complete, or --limit or --max-credits reached; 1 wallet empty, spend cap of the key reached, failure, another run
is writing, or, with --follow, --max-credits perhaps used up by calls that were not answered; 2 invalid arguments or
configuration; 130 Ctrl-C; 143 SIGTERM.
${examples(
  'perch export followers @harbor_obs --max-credits 500 > followers.ndjson',
  'perch export tweets @harbor_obs --max-credits 500 --out tweets.parquet',
  "perch export search 'comet min_faves:50' --max-credits 100 --limit 100 --out comet.csv",
  'perch export tweets @harbor_obs --max-credits 500 --out tweets.ndjson --follow',
)}`,
    )
    .action(exportList);
}

interface ExportOptions {
  /** Thousandths. */
  readonly maxCredits: number;
  readonly limit?: number;
  readonly count?: number;
  readonly product?: Product;
  readonly follow?: boolean;
  readonly interval?: number;
  readonly fresh?: boolean;
  readonly format?: Format;
  readonly out?: string;
  readonly state?: string;
  readonly url?: string;
  readonly keyFile?: string;
  readonly json?: boolean;
}

/** Reads a list from a running service into a file or standard output. Throws a Failure with the exit code. */
async function exportList(list: string, what: string, options: ExportOptions): Promise<void> {
  const read = EXPORTS.get(list);
  if (read === undefined) throw new TypeError(`unknown list ${list}`);
  checkWords(list, read, what, options);
  const out = options.out === undefined ? null : typedPath(options.out);
  const format = options.format ?? inferFormat(out);
  checkFollow(list, read, format, options);
  const paths = resolvePaths(format, out, options.state === undefined ? null : typedPath(options.state));
  const config = configOfProcess();
  const url = options.url ?? serviceUrl(config);
  const key = await resolveApiKey(config, options.keyFile, url);
  const unlock = await takeLocks(paths.locks);
  try {
    await exportTo(paths, { list, read, what, options, url, key, format });
  } finally {
    unlock();
  }
}

interface ExportRequest {
  readonly list: string;
  readonly read: ListRead;
  readonly what: string;
  readonly options: ExportOptions;
  readonly url: string;
  readonly key: string;
  readonly format: Format;
}

async function exportTo(paths: ExportPaths, request: ExportRequest): Promise<void> {
  const { list, read, what, options, url, format } = request;
  const { product } = options;
  const fresh = options.fresh === true;
  const destination = await openDestination(paths, {
    url,
    list,
    subject: what,
    product: product ?? null,
    format,
    fresh,
  });
  checkFollowed(destination, paths, options);
  const rows = rowTypeOf(read, product);
  // Only tables have columns; they come from the schema, which takes a while to load.
  const columns = format === 'ndjson' ? [] : (await import('../export/columns.js')).exportColumns(read.operation, rows);
  const query = {
    ...(read.list.subject === 'query' && { q: what }),
    product,
    fresh: fresh ? 'true' : undefined,
  };
  try {
    const { state, end, exitCode } = await readAll({
      ...request,
      paths,
      destination,
      query,
      text: rowText(format, columns),
    });
    if (paths.rows !== null && paths.out !== null && paths.rows !== paths.out && end !== 'interrupted') {
      const { writeParquet } = await import('../export/parquet.js');
      await writeParquet(paths.out, paths.rows, columns);
    }
    if (end === 'complete') await removeTraces(paths);
    printSummary(summariseExport(list, what, { state, end, paths, format }), {
      json: options.json,
      follow: options.follow,
      exitCode,
    });
  } finally {
    await destination.sink.close();
  }
}

function checkWords(
  list: string,
  { list: { subject }, size }: ListRead,
  what: string,
  { product, count }: ExportOptions,
): void {
  if (subject === 'tweet' && !/^[0-9]+$/.test(what))
    throw new Failure(`${list} requires the numeric id of a tweet`, WRONG_USE);
  if (what.trim() === '') throw new Failure(`${list} requires a non-empty argument`, WRONG_USE);
  if (product !== undefined && subject !== 'query') throw new Failure('--product is only for search', WRONG_USE);
  if (count !== undefined && count > size.max)
    throw new Failure(`--count for ${list} can be at most ${size.max}`, WRONG_USE);
}

interface Reading extends ExportRequest {
  readonly paths: ExportPaths;
  readonly destination: ExportDestination;
  readonly query: ExportQuery;
  readonly text: ExportRun['text'];
}

/** Reads until the end, Ctrl-C (which finishes the page in flight) or a failure, with a progress bar on a terminal. */
async function readAll(reading: Reading): Promise<{ state: ExportState; end: End; exitCode: number }> {
  const { read, what, options, paths, destination } = reading;
  if (destination.isResumed) note(`perch: resuming after ${inItems(destination.state.items)}`);
  // A second signal is like a kill: the next run starts after the last complete page.
  const stopping = listenForStop();
  const progress = openProgressBar(paths, options);
  const say = progress?.line ?? note;
  const limit = options.limit ?? null;
  const checkIds = idCheck(reading.format, say);
  const measure = new Measure({ list: reading.list, subject: what, limit, maxSpent: options.maxCredits });
  let last = destination.state;
  const client = new ExportClient({
    url: reading.url,
    key: reading.key,
    stop: stopping.signal,
    isPatient: options.follow === true,
    onWait: (seconds, why) => void (seconds > 1 && say(`perch: waiting ${seconds} s: ${why}`)),
  });
  try {
    const ended = await runExport(
      {
        client,
        path: listPath(read, what),
        operation: read.operation,
        query: reading.query,
        count: options.count ?? read.size.max,
        limit,
        maxSpent: options.maxCredits,
        stop: stopping.signal,
        follow: options.follow === true ? following(client, options.interval, say) : null,
        seen: destination.seen,
        text: reading.text,
        sink: destination.sink,
        save: async (state) => {
          last = state;
          if (paths.state !== null) await writeState(paths.state, state);
        },
        onLost: (charged) => say(lostPage(charged)),
        onProgress(state, items) {
          checkIds(items);
          measure.see(items);
          const { done, total } = measure.of(state);
          progress?.update(done, soFar(state, options), total);
        },
      },
      destination.state,
    );
    // A signal that arrived during the last page has interrupted nothing.
    return { ...ended, exitCode: ended.end === 'interrupted' ? stopping.exitCode() : 0 };
  } catch (error) {
    const isBegun = destination.isResumed || last.items + last.spent + last.unsure > 0;
    if (!isBegun) await removeAll(paths);
    throw inWords(error, what, { ...paths, isBegun });
  } finally {
    progress?.stop();
  }
}

const lostPage = (charged: number | null): string =>
  charged === null
    ? 'perch: a page did not arrive and may have been charged; reading it again'
    : `perch: a page that did not arrive was charged ${counted(toCredits(charged), 'credit')}; reading it again`;

/** Warns once if the ids are too large for a corpus. Only for NDJSON, because no other format can be imported. */
function idCheck(format: Format, say: (text: string) => void): (items: ExportPage['data']) => void {
  let isSaid = format !== 'ndjson';
  return (items) => {
    if (isSaid || !items.some((item) => !fitsCorpus(typeof item === 'string' ? item : item.id))) return;
    isSaid = true;
    say('perch: the ids of this network have more than 63 bits: "perch import" cannot read this export');
  };
}

const soFar = ({ items, spent }: ExportState, { maxCredits }: ExportOptions): string =>
  `${inItems(items)}, ${figure(toCredits(spent))} of ${figure(toCredits(maxCredits))} credits`;

const inItems = (items: number): string => counted(items, 'item');

/** Only on a terminal, and not if the rows are printed there too, because a bar would clutter them. */
function openProgressBar({ rows }: ExportPaths, { maxCredits }: ExportOptions): Progress | null {
  const isSeen = process.stderr.isTTY && !(rows === null && process.stdout.isTTY);
  return isSeen ? openProgress('Exporting', maxCredits) : null;
}

/** Adds to a failure what it means for the export. */
function inWords(
  error: unknown,
  what: string,
  { out, state, isBegun }: ExportPaths & { readonly isBegun: boolean },
): unknown {
  if (error instanceof ExportRefusal && error.reason?.startsWith('cursor_')) {
    const written = [state, out].filter((path) => path !== null);
    const again =
      written.length === 0 ? 'run the command again to start over' : `to start over, remove ${written.join(' and ')}`;
    return new Failure(
      `this export cannot be resumed (${error.message.replace(/\.$/, '')}). What has been written is kept; ${again}`,
    );
  }
  if (!(error instanceof Failure)) return error;
  const message =
    error instanceof ExportRefusal && error.code === 'not_found' ? `${what}: ${error.message}` : error.message;
  return new Failure(isBegun ? `${message.replace(/\.$/, '')}; ${howToResume(state)}` : message, error.exitCode);
}

/** For an export without any result, such as one of an unknown handle: there is nothing to resume. */
async function removeAll(paths: ExportPaths): Promise<void> {
  await removeTraces(paths);
  if (paths.out !== null && paths.out === paths.rows) await rm(paths.out, { force: true });
}

async function removeTraces({ out, rows, state }: ExportPaths): Promise<void> {
  if (state !== null) await removeState(state);
  if (rows !== null && rows !== out) await rm(rows, { force: true });
}

const summariseExport = (
  list: string,
  what: string,
  { state, end, paths, format }: { state: ExportState; end: End; paths: ExportPaths; format: Format },
): Summary => ({
  list,
  what,
  format,
  file: paths.out,
  end,
  items: state.items,
  repeats: state.repeats,
  credits_spent: toCredits(state.spent),
  credits_unsure: toCredits(state.unsure),
  state: end === 'complete' ? null : paths.state,
});
