/** deploy/ha/compose.yaml merged over compose.yaml as Compose does it. This needs no Docker, and does not test it. */
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../../src/config/config.js';
import { hostsOf } from '../../../src/lib/database-address.js';
import { interpolate, readCompose, readRoot, type Service } from './compose-file.js';

const ENV = { PERCH_SECRET: 'c0ffee'.repeat(8), POSTGRES_PASSWORD: 'abc123' };
const SERVERS = ['pg1', 'pg2', 'pg3'];
const VOTERS = ['etcd1', 'etcd2', 'etcd3'];

interface Overrides {
  readonly services: Readonly<Record<string, Service | null>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

/** The two tags of Compose leave their values unchanged; their effect is what the tests below expect. */
const TAGS = ['!reset', '!override'].flatMap((tag) => [
  { tag, resolve: () => null },
  { tag, collection: 'map' as const },
]);
const text = interpolate(readRoot('deploy/ha/compose.yaml'), ENV);
const over = parse(text, { merge: true, customTags: TAGS }) as Overrides;
const base = readCompose(ENV);
const patroni = parse(readRoot('deploy/ha/patroni.yml'));

describe('deploy/ha/compose.yaml', () => {
  const of = (name: string): Service => {
    const found = over.services[name];
    if (!found) throw new Error(`no service ${name}`);
    return found;
  };
  const perch = { ...base.services.perch?.environment, ...of('perch').environment };

  it('replaces Postgres in compose.yaml, and nothing else', () => {
    expect(text).toMatch(/^ {2}postgres: !reset null$/m);
    expect(Object.keys(over.services).filter((name) => name in base.services)).toEqual(['perch', 'postgres']);
    expect(
      Object.keys(over.services)
        .filter((name) => !(name in base.services))
        .sort(),
    ).toEqual([...VOTERS, ...SERVERS]);
    expect(Object.keys(of('perch'))).toEqual(['environment', 'depends_on']);
  });

  it('names all servers to Perch, and waits for each', () => {
    const { databaseUrl } = readConfig({ env: { NODE_ENV: 'production', ...perch }, cwd: '/perch', terminal: false });
    expect(hostsOf(databaseUrl ?? '')).toEqual(SERVERS.map((name) => `${name}:5432`));
    expect(Object.keys(of('perch').depends_on ?? {})).toEqual([...SERVERS, 'redis']);
  });

  it.each(SERVERS)('gives %s its own name, addresses and volume, and the settings that patroni.yml omits', (name) => {
    const { environment = {}, volumes = [], healthcheck } = of(name);
    expect(environment).toMatchObject({
      PATRONI_NAME: name,
      PATRONI_RESTAPI_CONNECT_ADDRESS: `${name}:8008`,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${name}:5432`,
    });
    expect(volumes).toEqual([`${name}:/data`]);
    expect(over.volumes).toHaveProperty(name);
    expect(healthcheck?.test[0]).toBe('CMD');
    const named = readRoot('deploy/ha/patroni.yml').match(/\b(?:PATRONI|PERCH)_[A-Z0-9_]+/g) ?? [];
    expect(named.filter((variable) => !(variable in environment))).toEqual([]);
  });

  it.each(VOTERS)('makes %s one of three that vote, with a volume of its own', (name) => {
    const { environment = {}, volumes = [] } = of(name);
    expect(environment.ETCD_NAME).toBe(name);
    expect(environment.ETCD_INITIAL_CLUSTER?.split(',')).toEqual(VOTERS.map((each) => `${each}=http://${each}:2380`));
    expect(volumes).toEqual([`${name}:/etcd-data`]);
    expect(of('pg1').environment?.PATRONI_ETCD3_HOSTS?.split(',')).toContain(`${name}:2379`);
  });

  it('allows as many connections as the Postgres that it replaces', () => {
    const before = Number(/max_connections=(\d+)/.exec(base.services.postgres?.command?.join(' ') ?? '')?.[1]);
    expect(patroni.bootstrap.dcs.postgresql.parameters.max_connections).toBe(before);
  });

  it('has timeouts that fit together, as Patroni requires', () => {
    const { ttl, loop_wait: loopWait, retry_timeout: retryTimeout } = patroni.bootstrap.dcs;
    expect(loopWait + 2 * retryTimeout).toBeLessThanOrEqual(ttl);
  });

  it('installs the client of etcd with Patroni, which Debian omits', () => {
    for (const path of ['deploy/ha/Dockerfile', 'docs/deploying.md'])
      expect(readRoot(path)).toMatch(/apt-get install .*\bpatroni python3-etcd\b/);
  });

  it('names images by a fixed version', () => {
    for (const name of ['etcd1', 'pg1']) expect(of(name).image).toMatch(/:v?\d+(?:\.\d+)*$/);
    expect(readRoot('deploy/ha/Dockerfile')).toMatch(/^FROM debian:13\.\d+-slim$/m);
  });
});
