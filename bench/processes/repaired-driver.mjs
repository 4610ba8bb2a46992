// Preloaded, because the benchmark runs from its sources: the Postgres driver as the build puts it into the program.
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { REPAIRED_FILE, repaired } from '../../app/build/postgres-driver.mjs';

// Hooks run in a thread of their own, which loads this file again.
if (isMainThread) register(import.meta.url);

export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  if (!url.startsWith('file:') || !REPAIRED_FILE.test(fileURLToPath(url))) return loaded;
  return { ...loaded, source: repaired(String(loaded.source), fileURLToPath(url)) };
}
