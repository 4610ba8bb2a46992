/** One read at a time per key on all nodes: who comes second waits for the first one's result (M7). */
export interface SingleFlight {
  /**
   * `led` tells the caller whether it ran `read` itself. A failure reaches all who joined and is not remembered; a leader that
   * dies is succeeded by one of those who wait. Values are plain JSON.
   */
  join<T>(key: string, read: () => Promise<T>): Promise<{ value: T; led: boolean }>;
}
