import { Fragment } from 'preact';
import { figure, inCredits } from '../../../../src/domain/figures.js';
import { UNITS, type Unit } from '../../../../src/domain/prices.js';
import { document, MenuButton, MenuClose } from '../../kit/layout.js';
import { Code, Table } from '../../kit/parts.js';
import { TYPES } from '../contents.js';
import { Search } from '../pages.js';
import type { ApiAnswer, ApiEntry, ApiObject, KeylessEntry } from './model.js';
import { Fields, Inputs, ObjectSection, Words } from './parts.js';
import { type LiveKey, Send } from './try-it.js';

const LOOK = { here: '/docs', style: 'docs.css', script: 'docs-search.js' } as const;

const itemOf = (unit: string): string => UNITS[unit as Unit].item;

const priceLabel = ({ price }: ApiEntry): string =>
  price === null ? 'free' : `${inCredits(price.credits)} per ${itemOf(price.unit)}`;

/** A path may break after each of its parts, because a long one is wider than a phone. */
const Address = ({ method, path }: Pick<ApiEntry, 'method' | 'path'>) => (
  <code>
    <span class="method">{method}</span>{' '}
    {path.split('/').map((part, nth) => (
      <span key={nth}>
        {nth === 0 ? null : '/'}
        {part}
        <wbr />
      </span>
    ))}
  </code>
);

/** Adds the method if two operations share a title, as the two methods of a batch do. */
const nameOf = ({ title, method }: ApiEntry, entries: readonly ApiEntry[]): string =>
  entries.filter((each) => each.title === title).length > 1 ? `${title} (${method})` : title;

/** Begins with what most readers come for. */
const tagsOf = (entries: readonly ApiEntry[]): string[] => [
  ...new Set(['Users', 'Tweets', ...entries.map(({ tag }) => tag)]),
];

/** The list of all operations, shown beside each page. */
const Contents = ({ entries, here }: { entries: readonly ApiEntry[]; here: string }) => {
  const current = (id: string) => (id === here ? { 'aria-current': 'page' as const } : {});
  return (
    <nav class="contents" aria-label="API reference">
      <ul>
        <li>
          <a href="/docs">All documentation</a>
        </li>
        <li>
          <a href="/docs/api" {...current('')}>
            API reference
          </a>
        </li>
      </ul>
      {tagsOf(entries).map((tag) => (
        <div key={tag}>
          <p class="group">{tag}</p>
          <ul>
            {entries
              .filter((entry) => entry.tag === tag)
              .map((entry) => (
                <li key={entry.id}>
                  <a href={`/docs/api/${entry.id}`} {...current(entry.id)}>
                    {nameOf(entry, entries)}
                  </a>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </nav>
  );
};

/** The list as a menu, if there is no room for it beside the page. */
const Side = (props: { entries: readonly ApiEntry[]; here: string }) => (
  <>
    <div class="menu-row">
      <MenuButton target="docs-menu" text="API reference" />
    </div>
    <div class="docs-side menu" id="docs-menu" popover="auto">
      <MenuClose target="docs-menu" />
      <Search />
      <Contents {...props} />
    </div>
  </>
);

/** What applies to all operations. */
const Conventions = ({ baseUrl }: { baseUrl: string }) => (
  <>
    <dl class="facts">
      <div class="wide">
        <dt>Base URL</dt>
        <dd>
          <code>{baseUrl}</code>
        </dd>
      </div>
      <div>
        <dt>Authentication</dt>
        <dd>
          <code>x-api-key: KEY</code> or <code>Authorization: Bearer KEY</code>
        </dd>
      </div>
      <div>
        <dt>OpenAPI 3.1</dt>
        <dd>
          <a href="/openapi.yaml?download">YAML</a> or <a href="/openapi.json?download">JSON</a>
        </dd>
      </div>
      <div>
        <dt>Collections</dt>
        <dd>
          <a href="/perch.postman_collection.json">Postman</a> or <a href="/perch.bruno.zip">Bruno</a>
        </dd>
      </div>
    </dl>
    <ul>
      <li>
        <strong>Responses</strong> are JSON: the object or list is in <code>data</code>, next to the cost of the call
        and the balance of the wallet.
      </li>
      <li>
        <strong>Lists</strong> continue at <code>next_cursor</code>: see <a href="/docs/cursors">cursors</a>.
      </li>
      <li>
        <strong>Prices</strong> are for each item that is returned. Cached items cost half, <code>fresh</code> doubles
        the price, and <code>estimate</code> tells it without reading: see <a href="/docs/pricing">pricing</a>.
      </li>
      <li>
        <strong>Failures</strong> have a code, a message and the address of a page about the code: see{' '}
        <a href="/docs/errors">errors</a>.
      </li>
      <li>
        <strong>Searches</strong> take the operators of the network, such as <code>from:</code> and <code>since:</code>:
        see <a href="/docs/search#operators">search operators</a>.
      </li>
    </ul>
  </>
);

/** Every operation with its price. */
const Glance = ({ entries, keyless }: { entries: readonly ApiEntry[]; keyless: readonly KeylessEntry[] }) => (
  <div id="at-a-glance">
    {tagsOf(entries).map((tag) => (
      <section key={tag} class="docs-group">
        <h2>{tag}</h2>
        <Table
          caption={`Operations: ${tag}`}
          head={['Operation', 'Price in credits']}
          rows={entries
            .filter((entry) => entry.tag === tag)
            .map((entry) => [
              <>
                <a href={`/docs/api/${entry.id}`}>
                  <Address {...entry} />
                </a>
                <span class="means">{entry.title}</span>
              </>,
              entry.price === null ? 'free' : `${figure(entry.price.credits)} per ${itemOf(entry.price.unit)}`,
            ])}
        />
      </section>
    ))}
    <section class="docs-group">
      <h2>Service</h2>
      <p>These need no key, and are free.</p>
      <Table
        caption="Operations without a key"
        head={['Operation', 'Price in credits']}
        rows={keyless.map(({ path, summary }) => [
          <>
            <Address method="GET" path={path} />
            <span class="means">{summary}</span>
          </>,
          'free',
        ])}
      />
    </section>
  </div>
);

/** `GET /docs/api`: every operation with its price, what applies to all of them, and every object. */
export function apiIndex(entries: readonly ApiEntry[], keyless: readonly KeylessEntry[], baseUrl: string): string {
  const objects = new Map(entries.flatMap((entry) => entry.objects.map((object) => [object.name, object])));
  return document(
    {
      title: 'API reference · Perch',
      description: 'Every REST operation but streams: price, parameters, responses, and samples in eight forms.',
      ...LOOK,
    },
    <div class="wrap wide docs">
      <Side entries={entries} here="" />
      <div class="docs-body docs-api">
        <h1>API reference</h1>
        <p class="lead">
          Every REST operation but streams with its price, parameters and responses, and samples to copy. Reads can be
          tried on their page.
        </p>
        <Conventions baseUrl={baseUrl} />
        <p>
          For GraphQL, see the <a href={`/docs/${TYPES}`}>types of the schema</a> with their prices; for streams,{' '}
          <a href="/docs/live">following an account or a search</a>.
        </p>
        <Glance entries={entries} keyless={keyless} />
        <h2 id="objects">Objects</h2>
        <p>
          A field without <em>optional</em> is in every response. Values that the network does not provide are left out,
          never null. Fields may be added at any time, so ignore those you do not know.
        </p>
        {[...objects.values()].map((object) => (
          <ObjectSection key={object.name} object={object} />
        ))}
      </div>
    </div>,
  );
}

/** A form of the response: most operations have one, plus one for an estimate. */
const Response = ({ form, isFirst }: { form: ApiObject; isFirst: boolean }) =>
  isFirst ? (
    <>
      {form.description === '' ? null : (
        <p>
          <Words text={form.description} />
        </p>
      )}
      <Fields fields={form.fields} />
    </>
  ) : (
    <details>
      <summary>
        <strong>{form.name}</strong> <Words text={form.description} />
      </summary>
      <Fields fields={form.fields} />
    </details>
  );

const Failure = ({ status, description, codes, examples }: ApiAnswer) => (
  <details>
    <summary>
      <strong>{status}</strong> <Words text={description} />
    </summary>
    <p>
      {codes.map((code, at) => (
        <span key={code}>
          {at === 0 ? '' : ', '}
          <a href={`/problems/${code}`}>
            <code>{code}</code>
          </a>
        </span>
      ))}
    </p>
    {examples.slice(0, 1).map(({ text }) => (
      <Code key={text} text={text} language="json" isCopied />
    ))}
  </details>
);

/** Pages of the clients that samples import, by language. */
const CLIENT_PAGES: Readonly<Record<string, string>> = {
  TypeScript: '/docs/clients/typescript',
  Python: '/docs/clients/python',
};

/** The call in each language; switching between them needs no script. */
const Samples = ({ samples, call }: ApiEntry) => (
  <fieldset id="samples" class="samples" data-call={JSON.stringify(call)}>
    <legend>Request</legend>
    {samples.map(({ label, language, text }) => (
      <Fragment key={label}>
        <input type="radio" name="sample" id={`sample-${label}`} value={label} checked={label === 'curl'} />
        <label for={`sample-${label}`}>{label}</label>
        <div class="sample">
          <Code text={text} language={language} isCopied />
          {label in CLIENT_PAGES ? (
            <p class="soft">
              <a href={CLIENT_PAGES[label]}>Install the {label} client</a>
            </p>
          ) : null}
        </div>
      </Fragment>
    ))}
  </fieldset>
);

/** Every form of the response, except for the first example, which is beside the request. */
const Responses = ({ entry: { responses, objects, success, failures } }: { entry: ApiEntry }) => (
  <div class="docs-body docs-api response">
    <h2 id="response">Response</h2>
    {responses.map((form, at) => (
      <Response key={form.name} form={form} isFirst={at === 0} />
    ))}
    {objects.map((object, at) => (
      <ObjectSection key={object.name} object={object} isOpen={at === 0} />
    ))}
    {success.examples.slice(1).map(({ label, text }) => (
      <details key={label}>
        <summary>
          <Words text={`Example: ${label.replace(/^With/, 'with')}`} />
        </summary>
        <Code text={text} language="json" isCopied />
      </details>
    ))}
    <h2 id="failures">Failures</h2>
    <p>
      All have <a href="/docs/errors">the same form</a>, and none is charged, with{' '}
      <a href="/docs/errors#an-unknown-charge">one exception</a>.
    </p>
    {failures.map((failure) => (
      <Failure key={failure.status} {...failure} />
    ))}
  </div>
);

/** `GET /docs/api/<operationId>`: the description on the left, request and response on the right. */
export function apiPage(entries: readonly ApiEntry[], entry: ApiEntry, live: LiveKey | null): string {
  const { id, title, summary, description, isSendable, success } = entry;
  const [example] = success.examples;
  // The first sentence may be the title itself.
  const rest = description.startsWith(`${title}.`) ? description.slice(title.length + 1).trim() : description;
  return document(
    {
      title: `${title}: ${entry.method} ${entry.path} · Perch API`,
      description: summary,
      ...LOOK,
      script: 'try-it.js',
    },
    <div class="wrap wide docs two-columns">
      <Side entries={entries} here={id} />
      <div class="docs-body docs-api">
        <h1>{title}</h1>
        <p class="address">
          <Address {...entry} /> <span class="price">{priceLabel(entry)}</span>
        </p>
        {rest === '' ? null : (
          <p>
            <Words text={rest} />
          </p>
        )}
        <Inputs entry={entry} />
      </div>
      <section class="docs-call" aria-label="Request and response">
        <Samples {...entry} />
        {entry.named === null ? null : (
          <p class="soft">
            <Words text={entry.named} />
          </p>
        )}
        {isSendable ? <Send live={live} /> : null}
        <div id="try-answer">
          <Code label="Example response" text={example?.text ?? ''} language="json" />
        </div>
      </section>
      <Responses entry={entry} />
    </div>,
  );
}
