import { setFlagsFromString } from 'node:v8';

const FLAG = '--heap-growing-percent';

/** Between two full garbage collections, the heap may grow by as much as it holds. */
const PERCENT = 100;

/**
 * V8 lets a small heap grow to several times what it holds before it collects all of it. Under load, that took a third
 * more memory and saved no time that could be measured (docs/performance.md). A setting of the operator has priority.
 */
export function boundHeapGrowth(
  nodeOptions: readonly string[] = process.execArgv,
  setFlags: (flags: string) => void = setFlagsFromString,
): void {
  // V8 takes an underscore for a hyphen.
  const isSet = nodeOptions.some((option) => option.replaceAll('_', '-').startsWith(FLAG));
  if (!isSet) setFlags(`${FLAG}=${PERCENT}`);
}
