import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type McpService, startMcp } from '../service.js';
import { type Results, runServerSuite, runSuite, type SuiteVersion } from '../suite.js';
import { type ExampleNode, startExample } from './example-node.js';
import { type KeyProxy, startKeyProxy } from './key-proxy.js';
import { NOT_CARRIED, NOT_OURS, notCarriedAmong, notOursAmong, PARTLY, WARNED, WARNED_ALWAYS } from './not-ours.js';

const LIMIT_MS = 180_000;

const RUNS: readonly (readonly [SuiteVersion, string])[] = [
  ['0.1', '2025-06-18'],
  ['0.1', '2025-11-25'],
  ['0.2', '2025-06-18'],
  ['0.2', '2025-11-25'],
  ['0.2', '2026-07-28'],
];

/** The server's scenarios that a version of the suite has for a revision. */
async function scenariosOf(version: SuiteVersion, revision: string): Promise<string[]> {
  const { output } = await runSuite(version, ['list']);
  return [...output.matchAll(/^ {2}- (\S+) \[([^\]]*)\]/gm)]
    .filter(([, , revisions = '']) => revisions.split(',').includes(revision))
    .map(([, name = '']) => name);
}

const runAll = (
  proxy: KeyProxy,
  [version, revision]: (typeof RUNS)[number],
  expected: readonly string[],
): Promise<Results> =>
  runServerSuite(
    version,
    ['--url', proxy.url.href, '--suite', 'all', '--spec-version', revision],
    // Scenarios that a run does not have must not be listed here.
    expected,
  );

describe("the MCP project's conformance suite", () => {
  let service: McpService;
  let proxy: KeyProxy;
  beforeAll(async () => {
    service = await startMcp();
    const { key } = await service.perch.account();
    // The suite connects more often in a second than a client does.
    proxy = await startKeyProxy(service.url, key, () => service.clock.advance(1000));
  });
  afterAll(async () => {
    await proxy?.close();
    await service?.close();
  });

  it.each(RUNS)(
    'suite %s, revision %s: fails only where it asks for what Perch does not have (A20)',
    async (version, revision) => {
      const expected = notOursAmong(await scenariosOf(version, revision));
      const ran = await runAll(proxy, [version, revision], [...expected, ...(WARNED[revision] ?? [])]);
      expect([...ran.failed.keys()].sort()).toEqual(expected.sort());
      for (const [scenario, checks] of Object.entries(PARTLY)) {
        expect(ran.failed.get(scenario) ?? checks, scenario).toEqual(checks);
      }
      expect(ran.code, ran.output).toBe(0);
    },
    LIMIT_MS,
  );

  it('leaves out each scenario for one reason', () => {
    const all = NOT_OURS.flatMap(({ scenarios }) => scenarios);
    expect(new Set(all).size).toBe(all.length);
  });
});

describe('the conformance suite, over the same transport', () => {
  let example: ExampleNode;
  let proxy: KeyProxy;
  beforeAll(async () => {
    example = await startExample();
    proxy = await startKeyProxy(example.url, example.key, () => example.clock.advance(1000));
  });
  afterAll(async () => {
    await proxy?.close();
    await example?.close();
  });

  it.each(RUNS)(
    'suite %s, revision %s: fails only where the transport does not carry it',
    async (version, revision) => {
      const expected = notCarriedAmong(await scenariosOf(version, revision), revision);
      const ran = await runAll(proxy, [version, revision], [...expected, ...(WARNED_ALWAYS[revision] ?? [])]);
      expect([...ran.failed.keys()].sort()).toEqual(expected.sort());
      expect(ran.code, ran.output).toBe(0);
    },
    LIMIT_MS,
  );

  it('leaves out no scenario that the service itself passes', () => {
    const all = NOT_OURS.flatMap(({ scenarios }) => scenarios);
    expect(NOT_CARRIED.flatMap(({ scenarios }) => scenarios).filter((name) => !all.includes(name))).toEqual([]);
  });
});
