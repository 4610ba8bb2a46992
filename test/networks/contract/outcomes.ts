import type { ServiceError } from '../../../src/domain/errors.js';
import type { ListRef } from '../../../src/domain/lists.js';
import type { Found, ReadContext } from '../../../src/ports/network.js';

export const CONTEXT = (): ReadContext => ({ signal: AbortSignal.timeout(20_000) });

/** The code, followed by the reason if there is one. */
export const failed = (found: Found<unknown> | undefined): string =>
  found && 'fail' in found ? found.fail.code : 'found';

export const codeOf = (read: Promise<unknown>): Promise<string> =>
  read.then(
    () => 'answered',
    (error: ServiceError) => error.code,
  );

export const failureOf = (read: Promise<unknown>): Promise<ServiceError> =>
  read.then(
    () => {
      throw new Error('It was answered.');
    },
    (error: ServiceError) => error,
  );

export const list = (kind: ListRef['kind'], subject: string, more: Partial<ListRef> = {}): ListRef => ({
  kind,
  subject,
  ...more,
});
