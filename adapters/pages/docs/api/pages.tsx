import { figure, inCredits } from '../../../../src/domain/figures.js';
import { document } from '../../kit/layout.js';
import { Table } from '../../kit/parts.js';
import { TYPES } from '../contents.js';
import { CodeBlock } from '../markup.js';
import type { ApiAnswer, ApiEntry } from './model.js';
import { type Live, TryIt } from './try-it.js';

const LOOK = { here: '/docs', style: 'docs.css' } as const;

/** Code within the words of the document: what is between backticks. */
const Words = ({ text }: { text: string }) => (
  <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
);

const priceLabel = ({ price }: ApiEntry): string => (price === null ? 'free' : `${inCredits(price.credits)} per item`);

const Address = ({ method, path }: ApiEntry) => (
  <code>
    {method} {path}
  </code>
);

/** `GET /docs/api`: every operation with its price. */
export function apiIndex(entries: readonly ApiEntry[]): string {
  const tags = [...new Set(entries.map(({ tag }) => tag))];
  return document(
    { title: 'API reference · Perch', description: 'Every REST operation: price, parameters, answers.', ...LOOK },
    <div class="wrap page docs-api">
      <p class="eyebrow">
        <a href="/docs">Documentation</a>
      </p>
      <h1>API reference</h1>
      <p class="lead">
        Every operation with its price, its parameters, an example of each answer, and samples to copy. Reads can be
        tried on their page. For generators of clients, here is the{' '}
        <a href="/openapi.yaml?download">OpenAPI document</a>; for GraphQL, the{' '}
        <a href={`/docs/${TYPES}`}>types of the schema</a> with their prices.
      </p>
      {tags.map((tag) => (
        <section key={tag} class="docs-group">
          <h2>{tag}</h2>
          <Table caption={`Operations: ${tag}`} head={['Operation', 'Credits']}>
            {entries
              .filter((entry) => entry.tag === tag)
              .map((entry) => (
                <tr key={entry.id}>
                  <th scope="row">
                    <a href={`/docs/api/${entry.id}`}>
                      <Address {...entry} />
                    </a>
                    <span class="means">{entry.summary}</span>
                  </th>
                  <td>{entry.price === null ? 'free' : figure(entry.price.credits)}</td>
                </tr>
              ))}
          </Table>
        </section>
      ))}
    </div>,
  );
}

const Parameters = ({ parameters }: ApiEntry) =>
  parameters.length === 0 ? null : (
    <>
      <h2 id="parameters">Parameters</h2>
      <dl class="parameters">
        {parameters.map(({ name, in: place, required, description, schema }) => (
          <div key={`${place} ${name}`}>
            <dt>
              <code>{name}</code> <span>{[place, required ? 'required' : 'optional'].join(', ')}</span>
            </dt>
            <dd>
              <Words text={description} />
              {schema.default === undefined ? null : <> Default: {String(schema.default)}.</>}
              {schema.enum === undefined ? null : <> One of {schema.enum.join(', ')}.</>}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );

const Answer = ({ status, description, examples }: ApiAnswer) => (
  <details open={status === '200'}>
    <summary>
      <strong>{status}</strong> <Words text={description} />
    </summary>
    {examples.map(({ label, text }) => (
      <div key={label}>
        <p class="label">{label}</p>
        <CodeBlock text={text} />
      </div>
    ))}
  </details>
);

/** `GET /docs/api/<operationId>`. */
export const apiPage = (entry: ApiEntry, live: Live | null): string =>
  document(
    {
      title: `${entry.method} ${entry.path} · Perch API`,
      description: entry.summary,
      ...LOOK,
      ...(entry.isSendable ? { script: 'try-it.js' as const } : {}),
    },
    <div class="wrap page docs-body docs-api">
      <p class="eyebrow">
        <a href="/docs/api">API reference</a>
      </p>
      <h1>{entry.summary}</h1>
      <p class="address">
        <Address {...entry} /> <span class="price">{priceLabel(entry)}</span>
      </p>
      <p>
        <Words text={entry.description} />
      </p>
      {entry.price === null ? null : (
        <p>
          Credits per item: {figure(entry.price.credits)}, cached {figure(entry.price.hit)}, fresh{' '}
          {figure(entry.price.fresh)}. <a href="/docs/pricing">Pricing</a>
        </p>
      )}
      {entry.isSendable ? <TryIt entry={entry} live={live} /> : null}
      <h2 id="samples">Samples</h2>
      {entry.samples.map(({ label, text }) => (
        <details key={label} open={label === 'curl'}>
          <summary>{label}</summary>
          <CodeBlock text={text} />
        </details>
      ))}
      <Parameters {...entry} />
      <h2 id="answers">Answers</h2>
      {entry.answers.map((answer) => (
        <Answer key={answer.status} {...answer} />
      ))}
    </div>,
  );
