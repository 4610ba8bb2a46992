/** A change that no test can notice, or none has to. */
interface Explained {
  readonly file: string;
  /** What stands in the place, and what is put there; on one line each. */
  readonly original: string;
  readonly replacement: string;
  readonly why: string;
}

export const EXPLAINED: readonly Explained[] = [];
