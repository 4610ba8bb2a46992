export interface KindSpec {
  /** The number of accounts. */
  readonly count: number;
  readonly institution: boolean;
  /** The subjects they post about, in the format of `../subjects.ts`. */
  readonly subjects: string;
  /** Display names (institutions) or handle words (people). */
  readonly names: readonly string[];
  /** What a handle ends with; the shortest must leave room for a town's first letters. */
  readonly handles: readonly string[];
  readonly bios: readonly string[];
  /** Local hours during which most of their posts are written; the end may be past midnight (26 is 2 am). */
  readonly hours: readonly [number, number];
  /** How much more than others they post and are followed. */
  readonly activity: number;
  readonly fame: number;
}
