/** Thrown where a charge may have been made, or may still be, and nobody can say yet: it must not be called free. */
export class InDoubtError extends Error {
  override readonly name = 'InDoubt';
}
