import { counted } from '../../../src/domain/figures.js';
import { Failure } from '../failure.js';
import { note, print } from '../print.js';
import type { End } from './run.js';

/** The result of an export, over all its runs. */
export interface Summary {
  readonly list: string;
  readonly what: string;
  readonly format: string;
  /** Null: standard output. */
  readonly file: string | null;
  readonly end: End;
  readonly items: number;
  /** Items that were charged but left out, because they occurred again after the list moved. */
  readonly repeats: number;
  readonly credits_spent: number;
  /** The most that calls without an answer may have cost in addition. */
  readonly credits_unsure: number;
  /** The state from which the same command resumes. */
  readonly state: string | null;
}

const WHY: Readonly<Record<End, string>> = {
  complete: 'complete',
  limit: '--limit reached',
  max_credits: '--max-credits spent',
  no_credits: 'the wallet is empty',
  key_cap: 'the spend cap of the key is reached',
  interrupted: 'interrupted',
};

/** How to resume an export that ended early; `state` is the file with its progress. */
export const howToResume = (state: string | null): string =>
  state === null
    ? 'no state was saved: to be able to resume, use --out, or --state and >>'
    : 'run the same command to resume';

interface Printing {
  readonly json: boolean | undefined;
  readonly follow: boolean | undefined;
  /** The exit code of an interrupted command. */
  readonly exitCode: number;
}

/** On standard output, unless rows are printed there. Throws the command's Failure if it failed. */
export function printSummary(summary: Summary, { json, follow, exitCode }: Printing): void {
  const say = summary.file === null ? note : print;
  say(json === true ? JSON.stringify(summary) : inWords(summary));
  const { end, state, credits_unsure } = summary;
  if (end === 'interrupted') throw new Failure(`interrupted; ${howToResume(state)}`, exitCode);
  // An export without an end is to be started again if its budget may be left.
  if (follow === true && end === 'max_credits' && credits_unsure > 0)
    throw new Failure(`calls that were not answered may have used up --max-credits: raise it; ${howToResume(state)}`);
  if (end === 'no_credits' || end === 'key_cap') throw new Failure(`${WHY[end]}; ${howToResume(state)}`);
}

function inWords({ items, file, credits_spent, credits_unsure, repeats, end, state }: Summary): string {
  const where = file === null ? '' : ` in ${file}`;
  const again =
    repeats === 0 ? '' : ` ${counted(repeats, 'duplicate item')} ${repeats === 1 ? 'was' : 'were'} skipped.`;
  const unsure =
    credits_unsure === 0
      ? ''
      : ` Up to ${counted(credits_unsure, 'more credit')} may have been charged for interrupted calls.`;
  const more = end === 'max_credits' || end === 'limit' ? ' Raise it and run the same command to continue.' : '';
  const isTooSmall = end === 'max_credits' && items + credits_spent + credits_unsure === 0;
  const why = isTooSmall ? '--max-credits does not cover one item' : WHY[end];
  return `${counted(items, 'item')}${where} for ${counted(credits_spent, 'credit')}: ${why}.${again}${unsure}${state === null ? '' : more}`;
}
