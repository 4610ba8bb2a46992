import { isAscii } from '../fold.js';

/** A text made from another, cluster by cluster (what readers see as one character), with the places it came from. */
export interface Mapped {
  readonly text: string;
  /** The part of the original that these characters came from, whole clusters only; in UTF-16 units, like the input. */
  readonly from: (index: number) => number;
  readonly to: (index: number) => number;
}

const clusters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** `change` must leave the length of ASCII as it is. */
export function mapped(original: string, change: (cluster: string) => string): Mapped {
  if (isAscii(original)) return { text: change(original), from: (index) => index, to: (index) => index };
  let text = '';
  const starts: number[] = [];
  const ends: number[] = [];
  for (const { segment, index } of clusters.segment(original)) {
    const changed = change(segment);
    text += changed;
    for (let unit = 0; unit < changed.length; unit += 1) {
      starts.push(index);
      ends.push(index + segment.length);
    }
  }
  const whole = change(original);
  // An invisible character may stand between a letter and its accent; the changed clusters do not make the whole then.
  if (whole !== text) return { text: whole, from: () => 0, to: () => original.length };
  return { text, from: (index) => starts[index] ?? original.length, to: (index) => ends[index - 1] ?? 0 };
}
