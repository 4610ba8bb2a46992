import { fromPlain, type PlainFailure, plainFailure, ServiceError } from '../../src/domain/errors.js';

/** The result of a read. */
export type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** The stored form: an outcome, or a note that it was not stored. */
type Written =
  | { readonly value: unknown }
  | { readonly failure: PlainFailure }
  | { readonly message: string }
  | { readonly untold: true };

const LARGEST_BYTES = 8 * 1024 * 1024;

const UNTOLD = JSON.stringify({ untold: true } satisfies Written);

function failureOf(error: unknown): Written {
  if (!(error instanceof ServiceError)) {
    return { message: error instanceof Error ? error.message : String(error) };
  }
  return { failure: plainFailure(error) };
}

/** Stores no value that is not JSON, or too large to pass around. */
export function writeOutcome(outcome: Outcome): string {
  if ('value' in outcome && outcome.value === undefined) return UNTOLD;
  try {
    const text = JSON.stringify('value' in outcome ? outcome : failureOf(outcome.error));
    return Buffer.byteLength(text) > LARGEST_BYTES ? UNTOLD : text;
  } catch {
    return UNTOLD;
  }
}

/** Undefined: the outcome was not stored. */
export function readOutcome(text: string): Outcome | undefined {
  const written = JSON.parse(text) as Written;
  if ('value' in written) return written;
  if ('untold' in written) return undefined;
  return { error: 'failure' in written ? fromPlain(written.failure) : new Error(written.message) };
}
