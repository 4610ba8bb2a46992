import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readExposition } from '../observing/exposition.js';

/** What is alive in a node after a garbage collection. */
export interface Sample {
  /** Unix milliseconds. */
  readonly atMs: number;
  readonly bytes: number;
  readonly timers: number;
}

/** The file to which nodes write their reports. */
export class Reports {
  readonly #folder = mkdtempSync(join(tmpdir(), 'perch-soak-'));

  /** The settings of a node that writes reports. */
  envOf(node: number): Record<string, string> {
    const preload = fileURLToPath(new URL('inside.mjs', import.meta.url));
    return { NODE_OPTIONS: `--import ${preload}`, SOAK_REPORT: this.#fileOf(node) };
  }

  samplesOf(node: number): Sample[] {
    const lines = readFileSync(this.#fileOf(node), 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as Sample);
  }

  close(): void {
    rmSync(this.#folder, { recursive: true });
  }

  #fileOf(node: number): string {
    return join(this.#folder, `${node}.ndjson`);
  }
}

/** The size of a node's bounded memories (docs/limits.md) by its metrics: they fill slowly, which is not a leak. */
export async function weighedIn(metricsPort: number): Promise<{ atMs: number; bytes: number }> {
  const families = readExposition(await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text());
  const samples = families.get('perch_memory_bytes')?.samples ?? [];
  return { atMs: Date.now(), bytes: samples.reduce((sum, { value }) => sum + value, 0) };
}

/** The number of open files, sockets and pipes of a process. */
export const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** A least-squares line through the points: its slope, and the standard error of the slope. */
export function trendOf(points: readonly (readonly [x: number, y: number])[]): { slope: number; error: number } {
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [middleX, middleY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const spread = points.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0);
  const slope = points.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0) / spread;
  const rest = points.reduce((sum, [x, y]) => sum + (y - middleY - slope * (x - middleX)) ** 2, 0);
  return { slope, error: Math.sqrt(rest / (points.length - 2) / spread) };
}
