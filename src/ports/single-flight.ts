/** One read at a time per key on all nodes; other calls wait for its result (M7). */
export interface SingleFlight {
  /**
   * `led` is true for the caller whose `read` was run. A failure reaches all who joined and is not remembered. If a
   * leader dies, one of the waiters takes over. Values are plain JSON.
   */
  join<T>(key: string, read: () => Promise<T>): Promise<{ value: T; led: boolean }>;
}
