/** deploy/kubernetes: the resources are valid by their schemas, and agree with the rest of the project. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { MOST_CONNECTIONS } from '../../../app/databases.js';
import { FINISH_MS } from '../../../app/listening.js';
import { readConfig } from '../../../src/config/config.js';
import { SETTING_NAMES } from '../../../src/config/read-settings.js';
import { VERSION } from '../../../src/domain/version.js';
import { REPOSITORY } from '../../cli/support/support.js';
import { blockWith, readPage } from '../../docs/readme/markdown.js';

interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly annotations?: object };
  // biome-ignore lint/suspicious/noExplicitAny: its form depends on the kind, and is checked by schemas.
  readonly [field: string]: any;
}

/** The kinds of Kubernetes itself and of the Prometheus operator. */
const PACKAGES: readonly (readonly [group: RegExp, name: string])[] = [
  [/^monitoring\.coreos\.com\//, '@kubernetes-models/prometheus-operator'],
  [/^(?!.*\bcnpg\.io\/)/, 'kubernetes-models'],
];
const PAGE = readPage('docs/deploying.md');
const CUSTOM = JSON.parse(readFileSync(join(REPOSITORY, 'test/ops/deploy/cloudnative-pg.json'), 'utf8'));
const require = createRequire(import.meta.url);

const isInstalled = spawnSync('kubectl', ['version', '--client']).error === undefined;
const leftOut = !isInstalled && process.env.CI !== 'true';

function render(folder: string): Resource[] {
  const { stdout, stderr, status } = spawnSync('kubectl', ['kustomize', join(REPOSITORY, 'deploy', folder)], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout).map((document) => document.toJS() as Resource);
}

const moduleOf = ({ apiVersion, kind }: Resource): string | null => {
  const [, name] = PACKAGES.find(([group]) => group.test(apiVersion)) ?? [];
  return name === undefined ? null : `${name}/${apiVersion}/${kind}`;
};

/** The schema without additional properties, because the server silently drops unknown fields. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const all = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return 'properties' in all && !('additionalProperties' in all) ? { ...all, additionalProperties: false } : all;
}

describe.skipIf(leftOut)(`deploy/kubernetes${leftOut ? ' [left out: no kubectl]' : ''}`, () => {
  const all = leftOut ? [] : [...render('kubernetes'), ...render('monitoring')];
  const of = (kind: string, name = 'perch'): Resource => {
    const found = all.find((each) => each.kind === kind && each.metadata.name.replace(/-[a-z0-9]{10}$/, '') === name);
    if (found === undefined) throw new Error(`There is no ${kind} ${name}.`);
    return found;
  };
  const pod = () => of('Deployment').spec.template.spec;
  const container = () => pod().containers[0];
  const config = () =>
    readConfig({ env: { NODE_ENV: 'production', ...of('ConfigMap').data }, cwd: '/perch', terminal: false });

  it('has only values that the schemas of their kinds allow', () => {
    for (const resource of all) {
      const path = moduleOf(resource);
      if (path === null) continue;
      const { [resource.kind]: Model } = require(path);
      expect(() => new Model(resource).validate(), path).not.toThrow();
    }
  });

  it('has only fields that the kinds define', { timeout: 120_000 }, () => {
    // The compiler refuses a field that a type does not have, at any depth.
    const typed = all.filter((each) => moduleOf(each) !== null);
    const folder = mkdtempSync(join(REPOSITORY, 'node_modules/.perch-kubernetes-'));
    try {
      const lines = typed.flatMap((each, n) => [
        `import type { I${each.kind} as Type${n} } from '${moduleOf(each)}';`,
        `export const value${n}: Type${n} = ${JSON.stringify(each)};`,
      ]);
      // The check notices.
      const wrong = JSON.stringify(of('Deployment')).replace('"periodSeconds"', '"periodSecond"');
      const nth = typed.indexOf(of('Deployment'));
      lines.push('// @ts-expect-error', `export const wrong: Type${nth} = ${wrong};`);
      const file = join(folder, 'resources.ts');
      writeFileSync(file, lines.join('\n'));
      const options = { strict: true, skipLibCheck: true, noEmit: true, types: [], target: ts.ScriptTarget.ES2022 };
      const program = ts.createProgram([file], {
        ...options,
        module: ts.ModuleKind.NodeNext,
        moduleResolution: ts.ModuleResolutionKind.NodeNext,
      });
      const found = ts
        .getPreEmitDiagnostics(program)
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
      expect(found).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
    expect(typed.length).toBeGreaterThan(12);
  });

  it('has valid resources of CloudNativePG', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const custom = all.filter((each) => moduleOf(each) === null);
    expect(custom.map(({ kind }) => kind).sort()).toEqual(['Cluster', 'ObjectStore', 'ScheduledBackup']);
    const cluster = of('Cluster', 'perch-postgres');
    const restored = { ...cluster, spec: { ...cluster.spec, ...parse(blockWith(PAGE, 'externalClusters:')) } };
    for (const resource of [...custom, restored]) {
      const schema = CUSTOM[`${resource.apiVersion} ${resource.kind}`];
      const { spec } = schema.properties;
      const check = ajv.compile(closed(spec) as object);
      check(resource.spec);
      expect(check.errors ?? [], resource.kind).toEqual([]);
      // The check notices.
      expect(check({ ...resource.spec, instancess: 3 })).toBe(false);
    }
  });

  it('sets known variables of the service to valid values', () => {
    expect(Object.keys(of('ConfigMap').data).filter((name) => !(SETTING_NAMES as string[]).includes(name))).toEqual([]);
    expect(config().redisUrls).toEqual(['redis://perch-redis:6379']);
    expect(new URL(config().baseUrl ?? '').host).toBe(of('Ingress').spec.rules[0].host);
    expect(container().ports).toContainEqual({ name: 'metrics', containerPort: config().metricsPort });
    expect(container().image).toBe(`perch:${VERSION}`);
  });

  it('gets no variables of services, and no request twice', () => {
    expect(pod().enableServiceLinks).toBe(false);
    expect(of('Ingress').metadata.annotations).toEqual({ 'nginx.ingress.kubernetes.io/proxy-next-upstream': 'off' });
  });

  it('refers to a restored cluster from all files that name it', () => {
    const [, from = '', to = '', files = ''] =
      /^sed -i 's\/(.*)\/(.*)\/' (.*)$/.exec(blockWith(PAGE, 'sed -i').trim()) ?? [];
    const folder = join(REPOSITORY, 'deploy/kubernetes');
    const naming = readdirSync(folder).filter((name) => readFileSync(join(folder, name), 'utf8').includes(from));
    expect([...files.split(' '), 'postgres.yaml'].sort()).toEqual(naming.sort());
    expect([from, to]).toEqual([of('Cluster', from).metadata.name, 'perch-restored']);
  });

  it('refers only to existing resources', () => {
    expect(container().envFrom[0].configMapRef.name).toBe(of('ConfigMap').metadata.name);
    // CloudNativePG names this secret after its cluster.
    expect(container().env[0].valueFrom.secretKeyRef.name).toBe(`${of('Cluster', 'perch-postgres').metadata.name}-app`);
    expect(new URL(config().redisUrls[0] ?? '').hostname).toBe(of('Service', 'perch-redis').metadata.name);
    const store = of('ObjectStore', 'perch-backups').metadata.name;
    expect(of('Cluster', 'perch-postgres').spec.plugins[0].parameters.barmanObjectName).toBe(store);
    const labels = Object.entries(of('Deployment').spec.template.metadata.labels);
    for (const selector of [
      of('Service').spec.selector,
      of('PodDisruptionBudget').spec.selector.matchLabels,
      of('PodMonitor').spec.selector.matchLabels,
      of('NetworkPolicy').spec.podSelector.matchLabels,
    ]) {
      expect(labels).toEqual(expect.arrayContaining(Object.entries(selector)));
    }
    for (const each of all) if (each.kind !== 'Namespace') expect(each.metadata.namespace, each.kind).toBe('perch');
  });

  it('kills no pod before it has drained and finished, and drains for longer than readiness checks take', () => {
    expect(pod().terminationGracePeriodSeconds * 1000).toBeGreaterThan(config().drainMs + FINISH_MS);
    const { periodSeconds, failureThreshold, timeoutSeconds } = container().readinessProbe;
    expect((periodSeconds * failureThreshold + timeoutSeconds) * 1000).toBeLessThan(config().drainMs);
  });

  it('has a Postgres that accepts all connections of the most pods, and one more during an update', () => {
    const { maxReplicas } = of('HorizontalPodAutoscaler').spec;
    const pods = maxReplicas + of('Deployment').spec.strategy.rollingUpdate.maxSurge;
    const allowed = Number(of('Cluster', 'perch-postgres').spec.postgresql.parameters.max_connections);
    expect(allowed).toBeGreaterThanOrEqual(pods * (config().workers + 1) * MOST_CONNECTIONS + 3);
  });

  it('adds pods before all request slots are taken', () => {
    const [{ pods }] = of('HorizontalPodAutoscaler').spec.metrics;
    expect(pods.metric.name).toBe('perch_places_taken');
    const places = config().workers * config().overload.maxInFlight;
    expect(Number(pods.target.averageValue)).toBeLessThan(0.5 * places);
  });

  it('confirms a commit only once a standby has it, on servers that share no machine', () => {
    const { instances, affinity, postgresql } = of('Cluster', 'perch-postgres').spec;
    expect(instances).toBe(3);
    expect(affinity.podAntiAffinityType).toBe('required');
    expect(postgresql.synchronous).toMatchObject({ number: 1, dataDurability: 'required', failoverQuorum: true });
  });
});
