/** How many calls a network's own buckets have left until they reset: what all nodes have learned from its answers. */
export interface CallsLeft {
  /** Takes one of the bucket's calls; 0 only looks. */
  take(bucket: string, calls: 0 | 1): Promise<Taken>;
  /** Returns a call that was `counted` and not answered. */
  giveBack(bucket: string): Promise<void>;
  /** What an answer says. Calls that were taken and are not answered yet stay taken. */
  note(bucket: string, remaining: number, resetsInMs: number): Promise<void>;
}

export interface Taken {
  /** Milliseconds until the bucket's reset if none is left; 0 if there is one, or nothing is known. */
  readonly waitMs: number;
  /** Whether what is left was known, and is one less now. */
  readonly counted: boolean;
}
