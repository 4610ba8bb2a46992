import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KeyProxy, startKeyProxy } from './key-proxy.js';
import { NOT_OURS, notOursAmong, PARTLY, WARNED } from './not-ours.js';
import { type McpService, startMcp } from './service.js';
import { runServerSuite, runSuite, type SuiteVersion } from './suite.js';

const LIMIT_MS = 180_000;

const RUNS: readonly (readonly [SuiteVersion, string])[] = [
  ['0.1', '2025-06-18'],
  ['0.1', '2025-11-25'],
  ['0.2', '2025-06-18'],
  ['0.2', '2025-11-25'],
  ['0.2', '2026-07-28'],
];

/** The server's scenarios that a list of the suite names for a revision. */
const scenariosIn = (listed: string, revision: string): string[] =>
  [...listed.matchAll(/^ {2}- (\S+) \[([^\]]*)\]/gm)]
    .filter(([, , revisions = '']) => revisions.split(',').includes(revision))
    .map(([, name = '']) => name);

describe("the MCP project's conformance suite", () => {
  let service: McpService;
  let proxy: KeyProxy;
  beforeAll(async () => {
    service = await startMcp();
    const { key } = await service.perch.account();
    // The suite sends more greetings a second than a client does.
    proxy = await startKeyProxy(service.url, key, () => service.clock.advance(1000));
  });
  afterAll(async () => {
    await proxy?.close();
    await service?.close();
  });

  it.each(RUNS)(
    'suite %s, revision %s: nothing fails but what asks for what there is not (A20)',
    async (version, revision) => {
      // What a run knows nothing of must not stand in its list of expected failures.
      const { output: listed } = await runSuite(version, ['list']);
      const expected = notOursAmong(scenariosIn(listed, revision));
      const args = ['--url', proxy.url.href, '--suite', 'all', '--spec-version', revision];
      const { code, output, failed } = await runServerSuite(version, args, [...expected, ...(WARNED[revision] ?? [])]);
      expect([...failed.keys()].sort()).toEqual(expected.sort());
      for (const [scenario, checks] of Object.entries(PARTLY)) {
        expect(failed.get(scenario) ?? checks, scenario).toEqual(checks);
      }
      expect(code, output).toBe(0);
    },
    LIMIT_MS,
  );

  it('each scenario left out has one reason', () => {
    const all = NOT_OURS.flatMap(({ scenarios }) => scenarios);
    expect(new Set(all).size).toBe(all.length);
  });
});
