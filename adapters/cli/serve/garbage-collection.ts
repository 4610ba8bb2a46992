import { setFlagsFromString } from 'node:v8';

/** V8 settings of the service, by option. docs/performance.md has the figures. */
const SETTINGS: Readonly<Record<string, string>> = {
  // Between two full collections, the heap may grow by three quarters. By default, V8 lets a small heap grow to several
  // times that, which takes a third more memory under load and saves no time.
  'heap-growing-percent': '--heap-growing-percent=75',
  // If most objects created by a line of code have survived collections, as happens at startup, V8 allocates later ones
  // from that line directly in the old generation. That happened to a pair of listeners of each response, in Node's
  // `events`: each pair kept its request, and all that the request refers to, until the next full collection.
  'allocation-site-pretenuring': '--no-allocation-site-pretenuring',
};

/** Tunes V8's garbage collection for the load of a service. The operator's own settings have priority. */
export function tuneGarbageCollection(
  nodeOptions: readonly string[] = process.execArgv,
  setFlags: (flags: string) => void = setFlagsFromString,
): void {
  const given = new Set(nodeOptions.map(optionName));
  for (const [name, setting] of Object.entries(SETTINGS)) if (!given.has(name)) setFlags(setting);
}

/** The name of a V8 option, which may be written with underscores, or with `no` before the name of a switch. */
const optionName = (option: string): string => {
  const [name = ''] = option.split('=', 1);
  return name.replaceAll('_', '-').replace(/^--(no-?)?/, '');
};
