import type { CpuProfile } from './originals.js';
import { stepsOf } from './steps.js';

export interface Costs {
  /** Microseconds in all, idle time included. */
  readonly total: number;
  readonly idle: number;
  /** Microseconds by function, in itself and in what it called. */
  readonly functions: readonly { readonly name: string; readonly self: number; readonly whole: number }[];
  /** Microseconds by the step of a request. */
  readonly steps: readonly { readonly name: string; readonly self: number }[];
  /** Microseconds by the folder or package of the function. */
  readonly places: readonly { readonly name: string; readonly self: number }[];
}

const nameOf = ({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string => {
  const file = url
    .replace(/^file:\/\//, '')
    .replace(/^.*\/node_modules\//, '')
    .replace(/^.*\/((?:src|adapters|schema)\/)/, '$1');
  return `${functionName || '(anonymous)'}${file ? `  ${file}:${lineNumber + 1}` : ''}`;
};

function placeOf(url: string): string {
  const inPackage = /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (inPackage) return inPackage;
  return (
    /\/((?:src|adapters)\/[^/]+|schema)\//.exec(url)?.[1] ?? (url.startsWith('node:') ? 'node' : '(V8 and system)')
  );
}

/** The costs between two moments, given in milliseconds since the start of the process. */
export function costsOf(profile: CpuProfile, beginMs: number, endMs: number): Costs {
  const { nodes, samples, timeDeltas } = profile;
  const self = new Map<number, number>();
  let at = 0;
  samples.forEach((id, index) => {
    const took = timeDeltas[index] ?? 0;
    at += took;
    if (at >= beginMs * 1000 && at <= endMs * 1000) self.set(id, (self.get(id) ?? 0) + took);
  });
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const functions = new Map<string, { self: number; whole: number }>();
  const places = new Map<string, number>();
  /** Total time counts a function once per stack, however often it appears there. */
  const walk = (id: number, above: ReadonlySet<string>): number => {
    const node = byId.get(id);
    if (!node) return 0;
    const name = nameOf(node.callFrame);
    const own = self.get(id) ?? 0;
    const within = above.has(name) ? above : new Set([...above, name]);
    const whole = (node.children ?? []).reduce((sum, child) => sum + walk(child, within), own);
    const entry = functions.get(name) ?? { self: 0, whole: 0 };
    functions.set(name, { self: entry.self + own, whole: entry.whole + (above.has(name) ? 0 : whole) });
    const place = placeOf(node.callFrame.url);
    places.set(place, (places.get(place) ?? 0) + own);
    return whole;
  };
  const total = walk(nodes[0]?.id ?? 0, new Set());
  return {
    total,
    idle: functions.get('(idle)')?.self ?? 0,
    functions: [...functions].map(([name, times]) => ({ name, ...times })),
    steps: stepsOf(profile, self),
    places: [...places].map(([name, time]) => ({ name, self: time })).sort((a, b) => b.self - a.self),
  };
}

const TOP = 40;

/** The top costs as text, in microseconds per answer. */
export function costTable({ total, idle, functions, steps, places }: Costs, perSecond: number): string {
  const answers = (total / 1e6) * perSecond;
  const perAnswer = (time: number): string => (time / answers).toFixed(2).padStart(8);
  const top = (by: 'self' | 'whole') => [...functions].sort((a, b) => b[by] - a[by]).slice(0, TOP);
  return [
    `  ${perAnswer(total - idle)} µs busy per answer, ${((100 * idle) / total).toFixed(0)} % idle`,
    '  by step, µs per answer:',
    ...steps.map(({ name, self }) => `  ${perAnswer(self)}  ${name}`),
    '  by place:',
    ...places.slice(0, 20).map(({ name, self }) => `  ${perAnswer(self)}  ${name}`),
    '  by function, itself:',
    ...top('self').map(({ name, self }) => `  ${perAnswer(self)}  ${name}`),
    '  by function, with what it calls:',
    ...top('whole').map(({ name, whole }) => `  ${perAnswer(whole)}  ${name}`),
  ].join('\n');
}

/** The profiled read, and the rate at which it was answered. */
export interface Profiled {
  readonly name: string;
  readonly costs: Costs;
  readonly perSecond: number;
}

/** Microseconds per answer and step of everything that was profiled, as a table for `docs/performance.md`. */
export function stepTable(all: readonly Profiled[]): string {
  const names = [...new Set(all.flatMap(({ costs }) => costs.steps.map(({ name }) => name)))];
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const each = (of: (costs: Costs) => number): string[] =>
    all.map(({ costs, perSecond }) => ((of(costs) / costs.total / perSecond) * 1e6).toFixed(0));
  const rows = names
    .map((name) => [name, ...each(({ steps }) => steps.find((step) => step.name === name)?.self ?? 0)])
    .filter(([, ...figures]) => figures.some((figure) => figure !== '0'));
  return [
    row(['CPU µs', ...all.map(({ name }) => name)]),
    row(['---', ...all.map(() => '--:')]),
    ...rows.map(row),
    row(['**in all**', ...each(({ total, idle }) => total - idle)]),
  ].join('\n');
}
