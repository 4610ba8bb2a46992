/** deploy/monitoring: alert rules are checked by Prometheus's own tools, and every metric they use exists. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { freePort } from '../../../adapters/cli/workers/free-port.js';
import { DEMO_HANDLE } from '../../../adapters/pages/kit/first-reads.js';
import { type Demo, SLOW_MS, startDemo } from '../../cli/support/service.js';
import { REPOSITORY } from '../../cli/support/support.js';
import { describeOnRedis } from '../../kit/redis/redis.js';
import { type Family, readExposition } from '../observing/exposition.js';
import { isInstalled } from './proxies.js';

const FOLDER = join(REPOSITORY, 'deploy/monitoring');
const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

const { groups } = parse(read('perch.rules.yml')) as { groups: { rules: { alert: string; expr: string }[] }[] };
const RULES = groups.flatMap(({ rules }) => rules);
const dashboard = JSON.parse(read('perch-dashboard.json')) as Dashboard;
/** The queries of the dashboard as Grafana sends them. */
const QUERIES = dashboard.panels.flatMap(({ targets }) =>
  targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'perch')),
);

it('shows the largest share of failing requests by the same ratio as the alert', () => {
  const alert = RULES.find((rule) => rule.alert === 'PerchFailsRequests')?.expr ?? '';
  const [fails, all] = alert.split(' > 0.05 * ');
  const panel = dashboard.panels.find(({ title }) => title === 'Requests that fail')?.targets[0]?.expr;
  expect(panel?.replaceAll(/job="\$job",?/g, '').replaceAll('{}', '')).toBe(`max(${fails} / ${all})`);
});

const leftOut = !isInstalled('promtool') && process.env.CI !== 'true';
describe.skipIf(leftOut)(`Prometheus${leftOut ? ' [left out: no promtool]' : ''}`, () => {
  const promtool = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8', cwd: FOLDER });
    return { status, said: stdout + stderr };
  };

  it('accepts the rules, and fires each alert when its test says so, not before, and not while all is well', () => {
    expect(promtool('check', 'rules', '--lint=all', '--lint-fatal', 'perch.rules.yml')).toMatchObject({ status: 0 });
    expect(promtool('test', 'rules', 'perch.rules.test.yml')).toMatchObject({ status: 0 });
    const tests = parse(read('perch.rules.test.yml')) as {
      tests: { alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[] }[];
    };
    const all = tests.tests.flatMap((each) => each.alert_rule_test);
    const names = (fires: boolean) =>
      [
        ...new Set(all.filter((each) => (each.exp_alerts !== undefined) === fires).map(({ alertname }) => alertname)),
      ].sort();
    const alerts = RULES.map(({ alert }) => alert).sort();
    expect(names(true)).toEqual(alerts);
    expect(names(false)).toEqual(alerts);
  });

  it('parses every query of the dashboard', () => {
    const folder = mkdtempSync(join(tmpdir(), 'perch-queries-'));
    const rules = QUERIES.map((expr, n) => ({ record: `query:${n}`, expr }));
    writeFileSync(join(folder, 'queries.yml'), stringify({ groups: [{ name: 'queries', rules }] }));
    const checked = promtool('check', 'rules', join(folder, 'queries.yml'));
    rmSync(folder, { recursive: true });
    expect(checked).toMatchObject({ status: 0, said: expect.stringContaining(`${QUERIES.length} rules found`) });
  });
});

describeOnRedis('the metrics of the service', (redis) => {
  let demo: Demo;
  let families: ReadonlyMap<string, Family>;
  beforeAll(async () => {
    const port = String(await freePort('127.0.0.1'));
    demo = await startDemo({ REDIS_URL: redis().urls[0] ?? '', PERCH_METRICS_PORT: port });
    const key = readFileSync(join(demo.cli.home, 'demo-key'), 'utf8').trim();
    const read = await fetch(`${demo.url}/v1/users/${DEMO_HANDLE}`, { headers: { 'x-api-key': key } });
    expect(read.status, await read.text()).toBe(200);
    // More requests than an address may send in a second, because a label exists only after its first use.
    await Promise.all(Array.from({ length: 40 }, () => fetch(`${demo.url}/status`)));
    families = readExposition(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
  }, SLOW_MS);
  afterAll(() => demo?.close(), SLOW_MS);

  it.each([
    ['alerts', RULES.map(({ expr }) => expr)],
    ['panels', QUERIES],
  ])('have every name, label and value that the %s use', (_what, exprs) => {
    const used = exprs.flatMap((expr) => [
      ...expr.matchAll(/\b((?:perch|process|nodejs)_\w+?)(?:_(?:bucket|sum|count))?(?:\{([^}]*)\}|(?=[^\w{]|$))/g),
    ]);
    expect(used.length).toBeGreaterThan(exprs.length / 2);
    for (const [whole, name = '', labels = ''] of used) {
      // Exists only with a replica; tested in history.system.test.ts.
      if (name.startsWith('perch_history_replica_')) continue;
      const family = families.get(name);
      expect(family, whole).toBeDefined();
      for (const [, label = '', is, value] of labels.matchAll(/(\w+)(=~?|!=)"([^"]*)"/g)) {
        // Prometheus adds these.
        if (['job', 'instance'].includes(label)) continue;
        const known = family?.samples.flatMap((sample) => sample.labels[label] ?? []);
        expect(known, whole).not.toEqual([]);
        if (is === '=') expect(known, whole).toContain(value);
      }
    }
    const by = exprs.flatMap((expr) =>
      [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(', ')),
    );
    const every = new Set(
      [...families.values()].flatMap(({ samples }) => samples.flatMap(({ labels }) => Object.keys(labels))),
    );
    for (const label of by) if (label !== 'instance') expect([...every]).toContain(label);
  });
});
