import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, fetch, type RequestInit, type Response } from 'undici';
import { freePort } from '../../../adapters/cli/workers/free-port.js';
import { blocksOf, readPage } from '../../docs/readme/markdown.js';
import { until } from '../../kit/time/until.js';
import { readCompose } from './compose-file.js';

/** Servers are in /usr/sbin, which is on few users' PATH. */
export const ENV = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` };

export const isInstalled = (program: string): boolean => !spawnSync(program, ['--version'], { env: ENV }).error;

const PAGE = readPage('docs/going-to-production.md');

/** The only block of the page in that language. */
export function shownFor(language: string): string {
  const [block, ...more] = blocksOf(PAGE).filter((each) => each.language === language);
  if (block === undefined || more.length > 0) throw new Error(`The page has not one block for ${language}.`);
  return block.text;
}

/** Applies the replacements that a test needs. Throws if there is nothing to replace. */
export function adapted(text: string, changes: readonly (readonly [from: string, to: string])[]): string {
  return changes.reduce((all, [from, to]) => {
    if (!all.includes(from)) throw new Error(`There is no ${from} in\n${all}`);
    return all.replaceAll(from, to);
  }, text);
}

/** Creates a certificate for localhost and its key, as one file and as two, valid for that many days. */
export function makeCertificate(folder: string, days = 60): { ca: string; caFile: string; key: string } {
  const file = (name: string): string => join(folder, `perch.${name}`);
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const made = ['-days', String(days), '-keyout', file('key'), '-out', file('crt')];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...names, ...made], { stdio: 'ignore' });
  const [ca, key] = [readFileSync(file('crt'), 'utf8'), readFileSync(file('key'), 'utf8')];
  writeFileSync(file('pem'), ca + key);
  return { ca, caFile: file('crt'), key };
}

export interface Place {
  /** The folder of the certificate and of the proxy's files. */
  readonly folder: string;
  /** The port of the proxy. */
  readonly port: number;
  /** The port of Perch on 127.0.0.1. */
  readonly perchPort: number;
}

/** A program, its arguments before the name of the configuration file, and the text of that file. */
interface Program {
  readonly program: string;
  readonly words: readonly string[];
  readonly config: string;
}

const nginx = ({ folder, port, perchPort }: Place): Program => {
  const server = adapted(shownFor('nginx'), [
    ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
    ['perch.example', 'localhost'],
    ['/etc/ssl', folder],
    ['127.0.0.1:4000', `127.0.0.1:${perchPort}`],
  ]);
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const folders = kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join('\n');
  const main = `daemon off;\npid ${folder}/nginx.pid;\nerror_log ${folder}/nginx.log;\nevents {}\n`;
  return { program: 'nginx', words: ['-c'], config: `${main}http {\naccess_log off;\n${folders}\n${server}}\n` };
};

/** Global options of Caddy: no admin endpoint, and no listener on port 80. */
const CADDY = '{\n\tadmin off\n\tauto_https disable_redirects\n}\n';

function caddy(text: string, site: string, { folder, port }: Place, to: readonly [string, string]): Program {
  const [, tls = ''] = /`(tls [^`]+)`/.exec(PAGE) ?? [];
  const given = adapted(tls, [['/etc/ssl', folder]]);
  const config = adapted(text, [[`${site} {`, `https://localhost:${port} {\n\tbind 127.0.0.1\n\t${given}`], to]);
  return { program: 'caddy', words: ['run', '--adapter', 'caddyfile', '--config'], config: CADDY + config };
}

const haproxy = (config: string): Program => ({ program: 'haproxy', words: ['-db', '-f'], config });

/** The proxies of the page and of compose.yaml, each with the few replacements that a test needs. */
export const PROXIES: Readonly<Record<string, (place: Place) => Promise<readonly Program[]>>> = {
  nginx: async (place) => [nginx(place)],
  caddy: async (place) => {
    const to = ['127.0.0.1:4000', `127.0.0.1:${place.perchPort}`] as const;
    return [caddy(shownFor('caddyfile'), 'perch.example', place, to)];
  },
  haproxy: async ({ folder, port, perchPort }) => [
    haproxy(
      adapted(shownFor('haproxy'), [
        ['bind :443', `bind 127.0.0.1:${port}`],
        ['/etc/ssl', folder],
        ['127.0.0.1:4000', `127.0.0.1:${perchPort}`],
      ]),
    ),
  ],
  'caddy and haproxy': async (place) => {
    const { configs } = readCompose({ PERCH_SECRET: 'x', POSTGRES_PASSWORD: 'x' });
    const [open, inner] = [await freePort('127.0.0.1'), await freePort('127.0.0.1')];
    const balancer = localBalancer(configs.haproxy?.content ?? '', [place.perchPort], { open, inner });
    const to = ['balancer:8081', `127.0.0.1:${inner}`] as const;
    return [haproxy(balancer), caddy(configs.caddy?.content ?? '', '{$PERCH_BASE_URL}', place, to)];
  },
};

/** The balancer of compose.yaml, run on this machine in front of servers on these ports. */
export function localBalancer(
  text: string,
  servers: readonly number[],
  ports: { open: number; inner: number },
): string {
  const [template = ''] = /^ *server-template .+$/m.exec(text) ?? [];
  const lines = servers.map((port, index) => `  server perch${index} 127.0.0.1:${port}`);
  return adapted(text, [
    [template, lines.join('\n')],
    ['bind :8080', `bind 127.0.0.1:${ports.open}`],
    ['bind :8081', `bind 127.0.0.1:${ports.inner}`],
  ]);
}

/** Runs the programs until they are stopped. Resolves once the address answers like Perch. */
export async function startProxy(programs: readonly Program[], { folder, port }: Place, ca: string) {
  const children = programs.map(({ program, words, config }) => {
    const file = join(folder, `${program}.cfg`);
    writeFileSync(file, config);
    const child = spawn(program, [...words, file], {
      env: { ...ENV, HOME: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said = { text: '' };
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (said.text += String(bytes)));
    return { child, said, ended: new Promise<void>((resolve) => child.once('exit', () => resolve())) };
  });
  const url = `https://localhost:${port}`;
  const client = createTlsClient(ca);
  const front = {
    url,
    /** Like the global `fetch`, but trusts only the certificate. */
    fetch: (path: string, init: RequestInit = {}): Promise<Response> => client.fetch(url + path, init),
    async stop(): Promise<void> {
      await client.close();
      for (const { child } of children) child.kill('SIGTERM');
      await Promise.all(children.map(({ ended }) => ended));
    },
  };
  const answers = (): Promise<boolean> =>
    front.fetch('/healthz').then(
      ({ status }) => status === 200,
      () => false,
    );
  try {
    await until(`${url} answers`, answers);
  } catch (error) {
    await front.stop();
    throw new Error(children.map(({ said }) => said.text).join('\n'), { cause: error });
  }
  return front;
}

export type Front = Awaited<ReturnType<typeof startProxy>>;

function createTlsClient(ca: string) {
  const dispatcher = new Agent({ connect: { ca } });
  return {
    fetch: (url: string, init: RequestInit): Promise<Response> => fetch(url, { dispatcher, ...init }),
    close: () => dispatcher.close(),
  };
}
