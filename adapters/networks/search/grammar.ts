import { readFileSync } from 'node:fs';
import peggy from 'peggy';

/**
 * The parser of searches, out of its grammar: here when the module is loaded, and in the built program when that is built. So
 * there is no generated file that can lag behind its source. With `cache` no text takes more than linear time.
 */
export const parser = peggy.generate(readFileSync(new URL('./query.peggy', import.meta.url), 'utf8'), { cache: true });
