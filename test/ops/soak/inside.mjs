/**
 * Loaded into a node of the soak. Every few seconds, it collects garbage and appends what is still alive as a line of
 * JSON to the file in SOAK_REPORT.
 */
import { appendFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

const EVERY_MS = 4000;
const file = process.env.SOAK_REPORT;

if (file !== undefined && isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  setInterval(() => {
    collect();
    const resources = process.getActiveResourcesInfo();
    const timers = resources.filter((name) => name === 'Timeout' || name === 'Immediate').length;
    const { heapUsed, external } = process.memoryUsage();
    appendFileSync(file, `${JSON.stringify({ atMs: Date.now(), bytes: heapUsed + external, timers })}\n`);
  }, EVERY_MS).unref();
}
