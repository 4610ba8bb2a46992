/** Whether to stop, and why, for those who poll: an AbortSignal, or an object with the same two properties. */
export type AbortState = Pick<AbortSignal, 'aborted' | 'reason'>;

/** An abort state with a signal for those who listen, made when it is first asked for: most calls end without one. */
export interface LazySignal extends AbortState {
  readonly signal: AbortSignal;
}
