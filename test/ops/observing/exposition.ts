/** One sample of the Prometheus text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly type: string;
  readonly help: string;
  readonly samples: Sample[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/y;
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (NaN|[+-]Inf|[-+]?(?:\\d+\\.?\\d*|\\.\\d+)(?:e[-+]?\\d+)?)$`, 'i');
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
};

/** Parses the exposition format, version 0.0.4. Throws if anything in it is not allowed. */
export function readExposition(text: string): Map<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  const families = new Map<string, Family>();
  const seen = new Set<string>();
  let open: { name: string; help: string } | undefined;
  let current: [string, Family] | undefined;
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [, kind, name = '', rest = ''] = new RegExp(`^# (HELP|TYPE) (${NAME}) (.*)$`).exec(line) ?? [];
    if (kind === 'HELP') open = { name, help: rest };
    else if (kind === 'TYPE') {
      if (!/^(counter|gauge|histogram|summary|untyped)$/.test(rest)) throw new Error(`no such type: ${line}`);
      if (families.has(name)) throw new Error(`${name} is there twice`);
      const family: Family = { type: rest, help: open?.name === name ? open.help : '', samples: [] };
      families.set(name, family);
      current = [name, family];
    } else if (!line.startsWith('#')) addSample(line, current, seen);
  }
  for (const [name, family] of families) if (family.type === 'histogram') checkHistogram(name, family);
  return families;
}

function addSample(line: string, current: [string, Family] | undefined, seen: Set<string>): void {
  const [, name = '', labels = '', value = ''] = SAMPLE.exec(line) ?? [];
  if (name === '') throw new Error(`not a sample: ${line}`);
  if (current === undefined) throw new Error(`of no type: ${line}`);
  const [family, { type, samples }] = current;
  if (!(SUFFIXES[type] ?? ['']).some((suffix) => name === family + suffix)) throw new Error(`out of place: ${line}`);
  const identity = `${name}{${labels.split(',').sort().join()}}`;
  if (seen.has(identity)) throw new Error(`twice: ${line}`);
  seen.add(identity);
  samples.push({ name, labels: readLabels(labels), value: Number(value.replace('Inf', 'Infinity')) });
}

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < text.length) {
    const [, name = '', value = ''] = LABEL.exec(text) ?? [];
    if (name === '' || name in labels) throw new Error(`not labels: ${text}`);
    labels[name] = value;
  }
  return labels;
}

function checkHistogram(name: string, { samples }: Family): void {
  const series = new Map<string, Sample[]>();
  for (const sample of samples) {
    const { le: _, ...labels } = sample.labels;
    const key = JSON.stringify(labels);
    series.set(key, [...(series.get(key) ?? []), sample]);
  }
  for (const [key, all] of series) {
    const buckets = all.filter((sample) => sample.name.endsWith('_bucket')).map(({ value }) => value);
    const count = all.find((sample) => sample.name === `${name}_count`)?.value;
    const infinite = all.find(({ labels }) => labels.le === '+Inf')?.value;
    if (buckets.some((value, index) => value < (buckets[index - 1] ?? 0))) throw new Error(`${name}${key} falls`);
    if (infinite === undefined || infinite !== count) throw new Error(`${name}${key} does not add up`);
  }
}
