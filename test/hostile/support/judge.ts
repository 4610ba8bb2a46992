import type { Trial } from './arena.js';
import type { Expected } from './attack.js';
import type { Answer } from './client.js';
import { type Seen, seenBy, slownessIn } from './innocents.js';

/** The longest that an innocent may wait, in milliseconds. */
const BOUNDS = { healthzMs: 300, customerMs: 500 } as const;

export interface Verdict {
  readonly healthz: Seen;
  /** The customer who reads what is cached, on the interface where it was worse. */
  readonly customer: Seen;
  /** The server that does nothing. */
  readonly controlMs: number;
  /** How many times slower the machine was than when idle. */
  readonly slowness: number;
  /** What a busy machine can also cause, so it must happen three times. */
  readonly late: readonly string[];
  /** What no machine causes by itself. */
  readonly wrong: readonly string[];
}

export function judge(trial: Trial): Verdict {
  const { control, healthz, rest, graphql } = trial.innocents;
  const probe = seenBy(healthz, trial.innocents);
  const readers = [seenBy(rest, trial.innocents), seenBy(graphql, trial.innocents)] as const;
  const customer = readers[0].worstMs > readers[1].worstMs ? readers[0] : readers[1];
  const controlMs = Math.max(0, ...control.map(({ ms }) => ms));
  const refused = readers.reduce((sum, seen) => sum + seen.refused + seen.broken, 0);
  const slowness = slownessIn(trial.innocents);
  const late = [
    ...over('the probe waited', probe.worstMs, BOUNDS.healthzMs, 'ms'),
    ...over('the customer waited', customer.worstMs, BOUNDS.customerMs, 'ms'),
    ...slow(trial.answers, trial.attack.expected, slowness),
    ...trial.beside.flatMap(({ what, answer, withinMs }) => over(`${what} took`, answer.ms / slowness, withinMs, 'ms')),
    ...over('the process keeps', trial.keptMb, trial.attack.memoryMb, 'MB'),
  ];
  const wrong = [
    ...(trial.hung ? ['the service answered nobody any more'] : []),
    ...(refused > 0 ? [`the customer was refused ${refused} times`] : []),
    ...(probe.refused + probe.broken > 0 ? [`the probe was refused ${probe.refused + probe.broken} times`] : []),
    ...answered(trial.answers, trial.attack.expected),
    ...(trial.attack.expected.free && trial.spent !== 0 ? [`the attacker paid ${trial.spent} thousandths`] : []),
    ...trial.beside
      .filter(({ answer }) => answer.status !== 200)
      .map(({ what, answer }) => `${what} was answered with ${summaryOf([answer])} after ${Math.round(answer.ms)} ms`),
    ...trial.faults,
  ];
  return { healthz: probe, customer: { ...customer, refused }, controlMs, slowness, late, wrong };
}

const over = (what: string, value: number, bound: number, unit: string): string[] =>
  value <= bound || Number.isNaN(value) ? [] : [`${what} ${Math.round(value)} ${unit}, over ${bound}`];

function slow(answers: readonly Answer[], { halfWithinMs }: Expected, slowness: number): string[] {
  if (halfWithinMs === undefined || answers.length === 0) return [];
  const half = [...answers].sort((a, b) => a.ms - b.ms)[Math.floor(answers.length / 2)]?.ms ?? 0;
  return over('half of the answers took', half / slowness, halfWithinMs, 'ms');
}

/** Statuses whose message states the bound. A missing key or an exceeded rate has other words. */
const SAYS_THE_BOUND: ReadonlySet<number> = new Set([400, 413, 414, 422, 431, 503]);

/**
 * The share of an attacker's answers that may say that it has used its share for now; a busy machine does less work.
 */
const MAY_BE_SHED = 0.5;

function answered(answers: readonly Answer[], { statuses, message }: Expected): string[] {
  const unexpected = answers.filter(({ status }) => !statuses.includes(status));
  const shed = unexpected.filter(({ status, retryAfter }) => status === 503 && retryAfter);
  const strange =
    shed.length > answers.length * MAY_BE_SHED ? unexpected : unexpected.filter((answer) => !shed.includes(answer));
  const silent = answers.filter(
    (answer) => message && SAYS_THE_BOUND.has(answer.status) && !message.test(answer.message ?? answer.text),
  );
  return [
    ...(strange.length > 0 ? [`${strange.length} of ${answers.length} answers were ${summaryOf(strange)}`] : []),
    ...(silent[0]
      ? [`${silent.length} answers do not say the bound: ${silent[0].message ?? silent[0].text.slice(0, 200)}`]
      : []),
    ...(answers.some(({ status }) => status === 503) &&
    answers.some((answer) => answer.status === 503 && !answer.retryAfter)
      ? ['a 503 came without Retry-After']
      : []),
  ];
}

/** `40 × 400 bad_request, 2 × 0`. */
export function summaryOf(answers: readonly Answer[]): string {
  const counts = new Map<string, number>();
  for (const { status, code } of answers) {
    const kind = status === 0 ? 'no answer' : `${status}${code === null ? '' : ` ${code}`}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => `${count} × ${kind}`).join(', ');
}
