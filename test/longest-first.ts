import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LONG, PROJECTS } from './projects.js';

/**
 * One project after the other, each in an order of chance, by the run's seed, but long files first: at the end no worker waits
 * for the other's long file.
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
