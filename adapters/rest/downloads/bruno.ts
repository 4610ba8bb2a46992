import { strToU8, zipSync } from 'fflate';
import { type ExampleRequest, type Folder, type RequestParameter, SEND_CHANGES } from './requests.js';

/** A block of a `.bru` file; nothing if it would be empty. */
const block = (name: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${name} {\n${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n}`];

const file = (...blocks: readonly string[][]): Uint8Array => strToU8(`${blocks.flat().join('\n\n')}\n`);

/**
 * The collection in Bruno's form, a folder of text files, as a zip that Bruno can import. The key is a secret of the
 * environment, so Bruno writes it into no file.
 */
export function brunoArchive(folders: readonly Folder[], baseUrl: string): Buffer {
  const files: Record<string, Uint8Array> = {
    'bruno.json': strToU8(
      `${JSON.stringify({ version: '1', name: 'Perch', type: 'collection', ignore: [] }, null, 2)}\n`,
    ),
    'collection.bru': file(
      block('auth', ['mode: apikey']),
      block('auth:apikey', ['key: x-api-key', 'value: {{apiKey}}', 'placement: header']),
      block('docs', [
        `Every read of ${baseUrl} over REST.`,
        'Choose the environment Perch, and put your key into its apiKey.',
      ]),
    ),
    'environments/Perch.bru': file(block('vars', [`baseUrl: ${baseUrl}`, `${SEND_CHANGES}: false`]), [
      'vars:secret [\n  apiKey\n]',
    ]),
  };
  for (const { name, description, requests } of folders) {
    files[`${name}/folder.bru`] = file(block('meta', [`name: ${name}`]), block('docs', [description]));
    for (const [at, request] of requests.entries())
      files[`${name}/${fileName(request)}.bru`] = requestFile(request, at + 1);
  }
  const inFolder = Object.fromEntries(Object.entries(files).map(([path, bytes]) => [`Perch/${path}`, bytes]));
  return Buffer.from(zipSync(inFolder, { level: 9, mtime: new Date(1985, 9, 26) }));
}

/**
 * Made of method and path, which are unique together. Summaries may repeat, and have characters not fit for a file
 * name.
 */
const fileName = ({ method, path }: ExampleRequest): string =>
  `${method} ${path.replaceAll(/[{}]/g, '').replaceAll('/', ' ').trim()}`.trim();

const SKIP = `if (bru.getEnvVar('${SEND_CHANGES}') !== 'true') bru.runner.skipRequest();`;

function requestFile(request: ExampleRequest, seq: number): Uint8Array {
  const query = request.parameters.filter((each) => each.in === 'query');
  const sent = query.filter(({ isSent }) => isSent).map(({ name, value }) => `${name}=${value}`);
  const path = request.path.replaceAll(/\{(\w+)\}/g, ':$1');
  const places = (place: RequestParameter['in']): string[] =>
    request.parameters
      .filter((each) => each.in === place)
      .map(({ name, value, isSent }) => `${isSent ? '' : '~'}${name}: ${value}`);
  return file(
    block('meta', [`name: ${request.name}`, 'type: http', `seq: ${seq}`]),
    block(request.method.toLowerCase(), [
      `url: {{baseUrl}}${path}${sent.length > 0 ? `?${sent.join('&')}` : ''}`,
      `body: ${request.body === null ? 'none' : 'json'}`,
      `auth: ${request.needsKey ? 'inherit' : 'none'}`,
    ]),
    block('params:query', places('query')),
    block('params:path', places('path')),
    block('headers', places('header')),
    block('script:pre-request', request.isChange ? [SKIP] : []),
    block('body:json', request.body?.split('\n') ?? []),
    // Values are written unencoded; Bruno encodes what it sends.
    block('settings', ['encodeUrl: true']),
    block('docs', request.description.split('\n')),
  );
}
