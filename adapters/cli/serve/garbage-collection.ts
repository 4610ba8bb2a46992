import { setFlagsFromString } from 'node:v8';

/** What the service sets of V8, by option. docs/performance.md has the figures. */
const SETTINGS: Readonly<Record<string, string>> = {
  // Between two full collections, the heap may grow by three quarters. By itself, V8 lets a small heap grow to several
  // times that, which takes a third more memory under load and saves no time.
  'heap-growing-percent': '--heap-growing-percent=75',
  // Where most objects that a line of code made outlived collections, as at a start, V8 allocates its later ones in the old
  // generation at once. A pair of listeners of a response, in Node's `events`, is such an object: each kept its request, and
  // all that the request refers to, until the next full collection.
  'allocation-site-pretenuring': '--no-allocation-site-pretenuring',
};

/** Sets how V8 collects garbage under the load of a service. A setting of the operator has priority. */
export function tuneGarbageCollection(
  nodeOptions: readonly string[] = process.execArgv,
  setFlags: (flags: string) => void = setFlagsFromString,
): void {
  const given = new Set(nodeOptions.map(optionName));
  for (const [name, setting] of Object.entries(SETTINGS)) if (!given.has(name)) setFlags(setting);
}

/** The name of an option of V8: it takes an underscore for a hyphen, and `no` before the name of a switch. */
const optionName = (option: string): string => {
  const [name = ''] = option.split('=', 1);
  return name.replaceAll('_', '-').replace(/^--(no-?)?/, '');
};
