/** The network's pace, one for all nodes: who may send when. Lanes are independent of each other. */
export interface Pace {
  /**
   * Books the lane's next place in time and tells how many milliseconds from now it is: 0, send at once. Places lie
   * `1000 / perSecond` apart; an idle lane saves nothing up, but up to 10 ms of lateness are caught up, so that late timers do
   * not lower the pace. In any t milliseconds there are at most `1 + (t + 10) * perSecond / 1000` places.
   */
  reserve(key: string, perSecond: number): Promise<number>;
}
