import { CommanderError } from 'commander';
import { ConfigError } from '../../src/config/config.js';
import { withCaret } from '../../src/domain/caret.js';
import { ServiceError } from '../../src/domain/errors.js';

/** Exit codes: `FAILED` for a failed check or command, `WRONG_USE` for a wrong command line or configuration. */
export const FAILED = 1;
export const WRONG_USE = 2;

/** Ends a command with a message and an exit code. */
export class Failure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = FAILED) {
    super(message);
    this.name = 'Failure';
    this.exitCode = exitCode;
  }
}

const NEXT_STEPS: Readonly<Record<string, Readonly<Record<'read' | 'written', string>>>> = {
  ENOENT: { read: 'there is no such file', written: 'create its folder first' },
  ENOTDIR: { read: 'a part of this path is a file', written: 'a part of this path is a file' },
  EACCES: { read: 'this user may not read it', written: 'this user may not write there' },
};

/** A failure to read or write a file, with what to do about it. */
export function fileFailure(
  name: string,
  to: 'read' | 'written',
  { code = 'failed' }: NodeJS.ErrnoException,
  exitCode: number = FAILED,
): Failure {
  const step = NEXT_STEPS[code]?.[to];
  return new Failure(`${name} cannot be ${to} (${code})${step === undefined ? '' : `: ${step}`}`, exitCode);
}

export interface Ending {
  readonly exitCode: number;
  /** The message to print; null if it was already printed. */
  readonly message: string | null;
}

/** The last message and the exit code of the process, for any thrown value. */
export function toEnding(error: unknown): Ending {
  // Help and version are also thrown, with 0; the parser's other errors mean a wrong command line.
  if (error instanceof CommanderError) return { exitCode: error.exitCode === 0 ? 0 : WRONG_USE, message: null };
  if (error instanceof Failure) return { exitCode: error.exitCode, message: error.message };
  if (error instanceof ConfigError) return { exitCode: WRONG_USE, message: error.message };
  if (error instanceof ServiceError) {
    const message = withCaret(error.message, error.detail.place);
    return { exitCode: error.code === 'bad_request' ? WRONG_USE : FAILED, message };
  }
  return { exitCode: FAILED, message: error instanceof Error ? error.message || error.name : String(error) };
}
