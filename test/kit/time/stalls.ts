const TICK_MS = 10;

/** Time in which this process did not get to run, so nothing in the service made a test wait for it. */
export interface Stalls {
  /** Milliseconds of stalls so far. */
  ms(): number;
  stop(): void;
}

/** Returns the milliseconds since now without stalls. */
export function stopwatch(): () => number {
  const [beganMs, stalls] = [performance.now(), watchStalls()];
  return () => {
    stalls.stop();
    return performance.now() - beganMs - stalls.ms();
  };
}

export function watchStalls(): Stalls {
  let [lastMs, stalledMs] = [performance.now(), 0];
  const timer = setInterval(() => {
    const nowMs = performance.now();
    stalledMs += Math.max(0, nowMs - lastMs - 2 * TICK_MS);
    lastMs = nowMs;
  }, TICK_MS);
  return {
    ms: () => stalledMs,
    stop: () => clearInterval(timer),
  };
}
