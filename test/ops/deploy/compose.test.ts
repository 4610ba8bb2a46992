import { describe, expect, it } from 'vitest';
import { MOST_CONNECTIONS } from '../../../app/databases.js';
import { FINISH_MS } from '../../../app/listening.js';
import { readConfig } from '../../../src/config/config.js';
import { SETTING_NAMES } from '../../../src/config/read-settings.js';
import { VERSION } from '../../../src/domain/version.js';
import { interpolate, readCompose, readRoot, type Service } from './compose-file.js';

const ENV = { PERCH_SECRET: 'c0ffee'.repeat(8), POSTGRES_PASSWORD: 'abc123' };

describe('compose.yaml', () => {
  const { services, volumes, configs } = readCompose(ENV);
  const service = (name: string): Service => {
    const found = services[name];
    if (!found) throw new Error(`no service ${name}`);
    return found;
  };
  const environment = service('perch').environment ?? {};
  const config = readConfig({ env: { NODE_ENV: 'production', ...environment }, cwd: '/perch', terminal: false });

  it.each(['PERCH_SECRET', 'POSTGRES_PASSWORD'] as const)('reports that %s is missing', (name) => {
    expect(() => readCompose({ ...ENV, [name]: '' })).toThrow(`${name}: set it in .env`);
  });

  it('needs no other values', () => {
    expect(interpolate(readRoot('compose.yaml'), ENV)).not.toMatch(/\$\{/);
  });

  it('sets known variables of the service to valid values', () => {
    expect(Object.keys(environment).filter((name) => !(SETTING_NAMES as string[]).includes(name))).toEqual([]);
    // Numbers and booleans of YAML would reach the service in another spelling.
    expect(Object.values(environment).every((value) => typeof value === 'string')).toBe(true);
    expect(config.warnings.filter((warning) => warning.includes('misspelled'))).toEqual([]);
  });

  it('gives every container the same secret, stores that they share, and no demo', () => {
    expect(config).toMatchObject({ secret: ENV.PERCH_SECRET, redisUrls: ['redis://redis:6379'], demo: false });
    const database = new URL(config.databaseUrl ?? '');
    const { POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB } = service('postgres').environment ?? {};
    expect(database.hostname).toBe('postgres');
    expect([database.username, database.password]).toEqual([POSTGRES_USER, POSTGRES_PASSWORD]);
    expect(database.pathname).toBe(`/${POSTGRES_DB}`);
  });

  it('kills no container before it has drained and finished', () => {
    const graceMs = Number.parseInt(service('perch').stop_grace_period ?? '', 10) * 1000;
    expect(graceMs).toBeGreaterThan(config.drainMs + FINISH_MS);
  });

  it('names images by a fixed version, its own by this one', () => {
    for (const { image } of Object.values(services)) expect(image).toMatch(/:\d+\.\d+(?:\.\d+)?(?:-[a-z]+)?$/);
    expect(service('perch').image).toBe(`perch:${VERSION}`);
  });

  it('opens only the balancer, or the proxy with TLS, and keeps metrics internal', () => {
    const open = Object.keys(services).filter((name) => services[name]?.ports);
    expect(open.filter((name) => !services[name]?.profiles)).toEqual(['balancer']);
    expect(open.filter((name) => services[name]?.profiles).map((name) => [name, service(name).profiles])).toEqual([
      ['proxy', ['tls']],
    ]);
    expect(service('perch').expose).toEqual(['4000', String(config.metricsPort)]);
  });

  it('refers only to existing services, volumes and configurations', () => {
    for (const { depends_on = {}, volumes: mounted = [], configs: files = [] } of Object.values(services)) {
      expect(Object.keys(services)).toEqual(expect.arrayContaining(Object.keys(depends_on)));
      expect(Object.keys(volumes)).toEqual(expect.arrayContaining(mounted.map((mount) => mount.split(':')[0])));
      expect(Object.keys(configs)).toEqual(expect.arrayContaining(files.map(({ source }) => source)));
    }
    // Services that others wait for have a health check. That of perch is in its image.
    for (const name of ['postgres', 'redis']) expect(service(name).healthcheck?.test[0]).toBe('CMD');
  });

  it('has a Postgres that accepts all connections of its containers', () => {
    const allowed = Number(/max_connections=(\d+)/.exec(service('postgres').command?.join(' ') ?? '')?.[1]);
    const replicas = service('perch').deploy?.replicas ?? 1;
    // The supervisor counts like a worker, and Postgres reserves three connections for its superuser.
    expect(allowed).toBeGreaterThanOrEqual(replicas * (config.workers + 1) * MOST_CONNECTIONS + 3);
  });

  it('has a balancer that waits longer than any read, and notices a stop within the drain', () => {
    const haproxy = configs.haproxy?.content ?? '';
    const seconds = (pattern: RegExp): number => Number(pattern.exec(haproxy)?.[1]);
    expect(seconds(/timeout server (\d+)s/) * 1000).toBeGreaterThan(config.deadlineMs);
    // The number of failed checks that it takes, and one that hangs.
    const noticedMs = (seconds(/inter (\d+)s/) * seconds(/fall (\d+)/) + seconds(/timeout check (\d+)s/)) * 1000;
    expect(noticedMs).toBeLessThan(config.drainMs);
  });
});
