import cliProgress from 'cli-progress';
import { note } from './print.js';

/** Shows the progress of long work on standard error: a bar on a terminal, a few plain lines elsewhere. */
export interface Progress {
  /**
   * `done` and `total` are in the work's own unit; `doing` is shown next to the bar. A new total replaces the old one.
   */
  update(done: number, doing?: string, total?: number): void;
  /** A permanent line, above the bar. */
  line(text: string): void;
  /** Ends the bar; later messages appear below it. */
  stop(): void;
}

/** Percentage points between two plain lines. */
const STEP = 25;

export const openProgress = (title: string, total: number): Progress =>
  process.stderr.isTTY ? bar(title, total) : lines(title, total);

function bar(title: string, expected: number): Progress {
  let total = expected;
  const shown = new cliProgress.SingleBar({
    stream: process.stderr,
    format: `${title} {bar} {percentage}% {doing}`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 30,
    hideCursor: false,
    gracefulExit: false,
    // Ctrl-C ends the command through its own handler.
    emptyOnZero: true,
  });
  shown.start(total, 0, { doing: '' });
  return {
    update(done, doing = '', given = total) {
      if (given !== total) shown.setTotal(given);
      total = given;
      shown.update(Math.min(done, total), { doing });
    },
    line(text) {
      process.stderr.write('\r\u001b[K');
      note(text);
    },
    stop: () => shown.stop(),
  };
}

function lines(title: string, expected: number): Progress {
  let reported = -1;
  return {
    update(done, _doing, total = expected) {
      const percent = total === 0 ? 100 : Math.floor((100 * Math.min(done, total)) / total);
      const step = percent - (percent % STEP);
      if (step <= reported) return;
      reported = step;
      note(`${title}: ${step}%`);
    },
    line: note,
    stop() {},
  };
}
