/** The pace of upstream calls, shared by all nodes. Keys are independent of each other. */
export interface Pace {
  /**
   * Reserves the key's next time slot and returns how many milliseconds from now it is: 0 means send at once. Slots lie
   * `1000 / perSecond` apart; an idle key saves nothing up, but up to 10 ms of lateness are made up for, so that late
   * timers do not lower the pace. In any t milliseconds there are at most `1 + (t + 10) * perSecond / 1000` slots.
   */
  reserve(key: string, perSecond: number): Promise<number>;
}
