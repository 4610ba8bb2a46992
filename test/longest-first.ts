import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LONG, PROJECTS } from './projects.js';

/**
 * Runs one project after the other: long files first, so that at the end no worker waits for the long file of another, then
 * the rest in random order by the run's seed.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root, sequence } = this.ctx.config;
    const rankOf = ({ moduleId, project: { name } }: TestSpecification): string => {
      const path = relative(root, moduleId);
      const place = LONG.indexOf(path);
      const chance = createHash('sha256').update(`${sequence.seed} ${path}`).digest('hex');
      const turn = PROJECTS.findIndex((each) => each.name === name);
      return `${turn} ${place < 0 ? 'short' : String(place).padStart(3, '0')} ${chance}`;
    };
    const ranked = files.map((file) => [rankOf(file), file] as const);
    return ranked.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, file]) => file);
  }
}
