import { check } from 'recheck';
import type { Pattern } from './find-patterns.js';

/** The limit for one pattern. Our slowest takes a second, or four where only the checker's JavaScript build runs. */
const TIMEOUT_MS = 180_000;

/** By pattern and flags, because the code has some patterns several times, and tests check them again. */
export type Verdicts = Map<string, Promise<string | null>>;

/**
 * The patterns that can take more than linear time, each with the checker's verdict and a text that shows it. A pattern that
 * the checker cannot decide counts as slow. Its inner time limits are off, so that a busy machine gives the same verdict.
 */
export async function slowPatterns(patterns: readonly Pattern[], verdicts: Verdicts = new Map()): Promise<string[]> {
  const found: string[] = [];
  for (const { source, flags, at } of patterns) {
    const key = `${flags}/${source}`;
    const known = verdicts.get(key) ?? verdictOn(source, flags);
    verdicts.set(key, known);
    const verdict = await known;
    if (verdict !== null) found.push(`${at} /${source}/${flags}: ${verdict}`);
  }
  return found;
}

async function verdictOn(source: string, flags: string): Promise<string | null> {
  const answer = await check(source, flags, { timeout: TIMEOUT_MS, attackTimeout: null, incubationTimeout: null });
  if (answer.status === 'safe') return null;
  if (answer.status === 'unknown') return `undecided (${answer.error.kind})`;
  return `${answer.complexity.summary}, for example ${answer.attack.pattern}`;
}
