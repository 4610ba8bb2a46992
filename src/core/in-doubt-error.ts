/** The outcome of a charge is unknown: it may have been posted, or still be, so the call must not be reported as free. */
export class InDoubtError extends Error {
  override readonly name = 'InDoubtError';
}
