/** It is unknown whether a charge was posted, or still may be, so the call must not be reported as free. */
export class InDoubtError extends Error {
  override readonly name = 'InDoubtError';
}
