/** The configurations in docs/deploying.md, read by the programs that they are for. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf, readPage } from '../../docs/readme/markdown.js';

const ENV = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` };
const BLOCKS = blocksOf(readPage('docs/deploying.md'));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'perch-proxies-'));
  const files = ['-keyout', join(folder, 'perch.key'), '-out', join(folder, 'perch.crt')];
  const certificate = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=perch.example', ...files];
  execFileSync('openssl', certificate, { stdio: 'ignore' });
  const pem = ['perch.crt', 'perch.key'].map((name) => readFileSync(join(folder, name), 'utf8')).join('');
  writeFileSync(join(folder, 'perch.pem'), pem);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A server's part of nginx's configuration, as a whole one. */
const inHttp = (text: string): string => `events {}\npid ${folder}/pid;\nhttp {\naccess_log off;\n${text}}\n`;

describe.each([
  ['nginx', 'nginx.conf', ['nginx', '-t', '-c'], inHttp],
  ['caddyfile', 'Caddyfile', ['caddy', 'validate', '--adapter', 'caddyfile', '--config'], String],
  ['haproxy', 'haproxy.cfg', ['haproxy', '-c', '-f'], String],
  ['ini', 'perch.service', ['systemd-analyze', 'verify', '--man=no'], String],
] as const)('the example for %s', (language, name, [program, ...args], whole) => {
  const isInstalled = !spawnSync(program, ['--version'], { env: ENV }).error;
  const why = isInstalled ? '' : ` [left out: no ${program}]`;

  it.skipIf(!isInstalled)(`is accepted by ${program}${why}`, () => {
    const [block] = BLOCKS.filter((each) => each.language === language);
    const file = join(folder, name);
    writeFileSync(file, whole((block?.text ?? '').replaceAll('/etc/ssl/', `${folder}/`)));
    const { status, stdout, stderr } = spawnSync(program, [...args, file], { env: ENV, encoding: 'utf8' });
    expect(status, stdout + stderr).toBe(0);
  });
});
