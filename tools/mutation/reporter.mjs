/**
 * A plugin of Stryker that reports each surviving change at once, because a whole run takes long. In plain JavaScript,
 * because the processes that run the tests load it, too.
 */
import { relative } from 'node:path';

/** The status of changes that were not tested in this run. */
const LIVING = new Set(['Survived', 'NoCoverage']);

const reporter = {
  onMutantTested({ status, fileName, location: { start }, mutatorName, replacement }) {
    if (!LIVING.has(status)) return;
    const place = `${relative('', fileName)}:${start.line}:${start.column}`;
    console.log(`lives so far: ${place} ${mutatorName} → ${replacement.replaceAll(/\s+/g, ' ').slice(0, 80)}`);
  },
};

export const strykerPlugins = [{ kind: 'Reporter', name: 'survivors', value: reporter }];
