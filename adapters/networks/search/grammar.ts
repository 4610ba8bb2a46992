import { readFileSync } from 'node:fs';
import peggy from 'peggy';

/**
 * The search parser, generated from its grammar when this module is loaded (in the built program: when that is built),
 * so no generated file can lag behind its source. With `cache`, parsing takes linear time for any text.
 */
export const parser = peggy.generate(readFileSync(new URL('./query.peggy', import.meta.url), 'utf8'), { cache: true });
