import { type ErrorCode, ServiceError } from '../../src/core/errors.js';

/** What a read came to. */
export type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** As it travels: an outcome, or word that it does not travel. */
type Written =
  | { readonly value: unknown }
  | { readonly failure: { readonly code?: ErrorCode; readonly message: string; readonly detail?: object } }
  | { readonly untold: true };

const LARGEST_BYTES = 8 * 1024 * 1024;

const UNTOLD = JSON.stringify({ untold: true } satisfies Written);

function failureOf(error: unknown): Written {
  if (!(error instanceof ServiceError)) {
    return { failure: { message: error instanceof Error ? error.message : String(error) } };
  }
  const { cause: _, ...detail } = error.detail;
  return { failure: { code: error.code, message: error.message, detail } };
}

/** A value that is no JSON, or too large to pass around, does not travel. */
export function writeOutcome(outcome: Outcome): string {
  if ('value' in outcome && outcome.value === undefined) return UNTOLD;
  try {
    const text = JSON.stringify('value' in outcome ? outcome : failureOf(outcome.error));
    return Buffer.byteLength(text) > LARGEST_BYTES ? UNTOLD : text;
  } catch {
    return UNTOLD;
  }
}

/** Undefined: it did not travel. */
export function readOutcome(text: string): Outcome | undefined {
  const written = JSON.parse(text) as Written;
  if ('value' in written) return written;
  if ('untold' in written) return undefined;
  const { code, message, detail } = written.failure;
  return { error: code === undefined ? new Error(message) : new ServiceError(code, message, detail) };
}
