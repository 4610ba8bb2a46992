import { DEMO_HANDLES } from '../../../demo/entry-points.js';
import type { Config } from '../../../src/config/config.js';
import { figure } from '../../../src/domain/figures.js';
import { PLAY_CREDITS } from '../../../src/domain/mode.js';
import { firstPath, KNOWN_HANDLES } from '../../pages/kit/first-reads.js';
import { demoKeyFile, demoTestKeyFile } from '../environment.js';
import { facts } from '../print.js';
import type { PreparedDemo } from './demo.js';

const TEST_KEY = `And a test key, for tests and CI, with an invented network and ${figure(PLAY_CREDITS)} play credits each day:`;

/** A first read without a demo: a handle that is certain to exist, or else the key's own account. */
function firstPathOf(network: Config['network']): string {
  const handle = KNOWN_HANDLES[network];
  return handle === undefined ? '/v1/me' : firstPath(handle);
}

/**
 * The text printed once the service listens: addresses, and a command that works when pasted. `signIn`: a link to the
 * demo account's dashboard, or null.
 */
export function welcome(url: string, config: Config, demo: PreparedDemo | null, signIn: string | null): string {
  const dashboard = `${config.authUrl ?? url}/dashboard`;
  const places = facts([
    ['  GraphiQL', `${url}/graphql`],
    ['  Dashboard', signIn === null ? dashboard : `${signIn} (works once)`],
    ['  Home', `${url}/`],
    ['  Docs', `${url}/docs`],
    ['  Status', `${url}/status`],
    ['  REST', `${url}/openapi.yaml`],
    ['  MCP', `${url}/mcp`],
  ]);
  const title = `Perch is running at ${url} with ${describeData(config, demo)}`;
  const stop = 'Ctrl-C stops it.';
  return ['', title, '', places, '', ...firstRead(url, config, demo), '', stop, ''].join('\n');
}

function describeData({ network }: Config, demo: PreparedDemo | null): string {
  if (network !== 'corpus') return `${network} data`;
  return demo?.isWholeData === true ? 'demo data' : 'the tweets and profiles in its own database';
}

function firstRead(url: string, config: Config, demo: PreparedDemo | null): string[] {
  const read = `${url}${demo === null ? firstPathOf(config.network) : firstPath(DEMO_HANDLES.observatory)}`;
  if (demo === null) {
    return [
      'Reads require an API key. Create an account with one, in another terminal:',
      '  npm run -s perch -- account create --name me --credits 1000',
      'Then read with it:',
      `  curl -s -H "x-api-key: THE_KEY" ${read}`,
      'This prints a link that opens its dashboard:',
      '  npm run -s perch -- account sign-in THE_ACCOUNT_ID',
    ];
  }
  if (!demo.isNew) {
    return [
      'Try it with the demo key:',
      `  curl -s -H "x-api-key: $(cat ${quoted(demoKeyFile(config))})" ${read}`,
      ...(demo.testKey === null ? [] : ['The test key of the demo account is in:', `  ${demoTestKeyFile(config)}`]),
    ];
  }
  return [
    'Your demo key, which GraphiQL opens with:',
    `  ${demo.key}`,
    `It is also in ${demoKeyFile(config)}.`,
    'Try it:',
    `  curl -s -H 'x-api-key: ${demo.key}' ${read}`,
    ...(demo.testKey === null ? [] : [TEST_KEY, `  ${demo.testKey}`]),
  ];
}

/** Quotes a path for a shell. Paths here are absolute, because they may be pasted anywhere. */
const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);
