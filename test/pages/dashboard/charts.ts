/** What people see of the charts in a page: the text for screen readers, labels, bars and lines, and tooltips. */
export interface ShownChart {
  readonly text: string;
  /** Of both axes. */
  readonly labels: readonly string[];
  /** How many bar parts, and how many dots of lines, have each colour class. */
  readonly bars: Readonly<Record<string, number>>;
  readonly lines: Readonly<Record<string, number>>;
  /** The values of each bar, as its tooltip shows them. */
  readonly values: readonly string[];
}

const all = (html: string, pattern: RegExp): RegExpExecArray[] => [...html.matchAll(pattern)];

const moves = (path: string): number => path.split('M').length - 1;

export const chartsIn = (html: string): ShownChart[] =>
  all(html, /<figure class="chart">.*?<\/figure>/gs).map(([figure]) => ({
    text: /<svg role="img" aria-label="([^"]*)"/.exec(figure)?.[1] ?? '',
    labels: all(figure, /<text [^>]*>([^<]*)</g).map(([, label = '']) => label),
    bars: Object.fromEntries(
      all(figure, /<path class="bars(?: seams)? ([\w-]+)" d="([^"]*)"/g).map(([, name, d = '']) => [name, moves(d)]),
    ),
    lines: Object.fromEntries(
      all(figure, /<g class="line ([\w-]+)">.*?<path class="dots" d="([^"]*)"/gs).map(([, name, d = '']) => [
        name,
        moves(d),
      ]),
    ),
    values: all(figure, /<title>([^<]*)<\/title>/g).map(([, value = '']) => value),
  }));
