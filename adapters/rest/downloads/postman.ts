import { VERSION } from '../../../src/domain/version.js';
import { type ExampleRequest, type Folder, type RequestParameter, SEND_CHANGES } from './requests.js';

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

const pairs = (values: Readonly<Record<string, string>>) =>
  Object.entries(values).map(([key, value]) => ({ key, value, type: 'string' }));

/** A collection in format 2.1. The key goes into its variable `apiKey`, which every request inherits. */
export const postmanCollection = (folders: readonly Folder[], baseUrl: string): string =>
  JSON.stringify(
    {
      info: {
        name: 'Perch',
        description: `Every read of ${baseUrl} over REST. Put your key into the variable \`apiKey\` of this collection. Reference: ${baseUrl}/docs/api`,
        version: VERSION,
        schema: SCHEMA,
      },
      auth: { type: 'apikey', apikey: pairs({ key: 'x-api-key', value: '{{apiKey}}', in: 'header' }) },
      variable: pairs({ baseUrl, apiKey: '', [SEND_CHANGES]: 'false' }),
      item: folders.map(({ name, description, requests }) => ({ name, description, item: requests.map(item) })),
    },
    null,
    2,
  );

const SKIP = `if (pm.variables.get('${SEND_CHANGES}') !== 'true') pm.execution.skipRequest();`;

const item = (request: ExampleRequest) => ({
  name: request.name,
  ...(request.isChange && { event: [{ listen: 'prerequest', script: { type: 'text/javascript', exec: [SKIP] } }] }),
  request: {
    ...(request.needsKey ? {} : { auth: { type: 'noauth' } }),
    method: request.method,
    header: [
      ...(request.body === null ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
      ...placed(request, 'header').map(entry),
    ],
    url: url(request),
    ...(request.body !== null && {
      body: { mode: 'raw', raw: request.body, options: { raw: { language: 'json' } } },
    }),
    description: request.description,
  },
  response: [],
});

function url(request: ExampleRequest) {
  const path = request.path.replaceAll(/\{(\w+)\}/g, ':$1');
  const query = placed(request, 'query');
  const sent = query.filter(({ isSent }) => isSent).map(({ name, value }) => `${name}=${encodeURIComponent(value)}`);
  return {
    raw: `{{baseUrl}}${path}${sent.length > 0 ? `?${sent.join('&')}` : ''}`,
    host: ['{{baseUrl}}'],
    path: path.split('/').slice(1),
    ...(query.length > 0 && { query: query.map(entry) }),
    variable: placed(request, 'path').map(({ name, value, description }) => ({ key: name, value, description })),
  };
}

const placed = ({ parameters }: ExampleRequest, place: RequestParameter['in']): RequestParameter[] =>
  parameters.filter((each) => each.in === place);

const entry = ({ name, value, description, isSent }: RequestParameter) => ({
  key: name,
  value,
  description,
  ...(isSent ? {} : { disabled: true }),
});
