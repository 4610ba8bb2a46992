import { render } from 'preact-render-to-string';
import { ERROR_CODES, type ErrorCode } from '../../../src/domain/errors.js';
import { CLIENT_PACKAGES } from '../../../src/domain/version.js';
import { sitePath } from '../kit/assets.js';
import { DEMO_HANDLE } from '../kit/first-reads.js';
import { PROBLEM_TEXTS } from '../kit/problem-texts.js';
import { graphiqlPath } from './assets.js';
import { GraphiqlBar } from './bar.js';
import { type ExampleSubjects, examples } from './examples.js';

export interface GraphiqlModel {
  /**
   * The demo account's key, in use as soon as the page opens; null if there is none. A page with a key must not be
   * cached.
   */
  readonly demoKey: string | null;
  /** Without a slash at the end. Only shown: requests go to the page's own origin. */
  readonly baseUrl: string;
  /** The subjects of the examples; the demo network's if undefined, or if this network has no accounts yet (null). */
  readonly subjects?: ExampleSubjects | null;
}

const problem = (code: ErrorCode, todo: string) => ({ [code]: { title: ERROR_CODES[code].title, todo } });

/**
 * Advice that differs from that for REST, because here the key goes into the bar, and there are no addresses to
 * mistype.
 */
const problemsHere = (demo: boolean) => ({
  ...problem('missing_key', demo ? 'Use the demo key, or paste yours above.' : 'Use a test key, or paste yours above.'),
  ...problem('invalid_key', 'Check that you pasted the whole key, or ask the operator for a new one.'),
  ...problem('not_found', 'Check the handle or id.'),
  ...problem('bad_request', 'Correct the query or its variables.'),
});

const pageExamples = ({ subjects }: GraphiqlModel) =>
  examples(subjects ?? { handle: DEMO_HANDLE, tweetId: null, otherHandles: [] });

const TEST_KEYS_READ = `Test keys read invented data. With a test key, use ${DEMO_HANDLE} instead of the handle.`;

const hintIn = ({ subjects }: GraphiqlModel) => ({
  empty:
    subjects === null
      ? 'No data yet: the operator of this service loads it with “perch import”. Test keys already work.'
      : null,
  testKey: !subjects || subjects.handle === DEMO_HANDLE ? null : TEST_KEYS_READ,
});

/** What the page's script reads from `#perch-page`; data only, so no script policy applies to it. */
const pageData = (model: GraphiqlModel) => ({
  demoKey: model.demoKey,
  endpoint: '/graphql',
  /** What a reader must know about the examples before running one. */
  hint: hintIn(model),
  // The public address, because copied requests run elsewhere.
  address: `${model.baseUrl}/graphql`,
  clientPackage: `${model.baseUrl}${CLIENT_PACKAGES.typescript}`,
  examples: pageExamples(model),
  problems: {
    ...Object.fromEntries(
      (Object.keys(ERROR_CODES) as ErrorCode[]).map((code) => [
        code,
        { title: ERROR_CODES[code].title, todo: PROBLEM_TEXTS[code].todo },
      ]),
    ),
    ...problemsHere(model.demoKey !== null),
  },
});

// `<` is the only character that could end the block early or open a comment in it.
const inScript = (data: unknown): string => JSON.stringify(data).replaceAll('<', '\\u003c');

const Page = (model: GraphiqlModel) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <title>GraphiQL · Perch</title>
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="description" content="Browse the schema, run queries, and see what each one costs." />
      <meta name="color-scheme" content="light dark" />
      <link rel="icon" href={sitePath('favicon.svg')} type="image/svg+xml" />
      <script src={sitePath('theme.js')} />
      <link rel="stylesheet" href={graphiqlPath('graphiql.css')} />
      <link rel="stylesheet" href={sitePath('tokens.css')} />
      <link rel="stylesheet" href={graphiqlPath('look.css')} />
      <link rel="stylesheet" href={graphiqlPath('bar.css')} />
      <link rel="stylesheet" href={graphiqlPath('below.css')} />
      <script src={graphiqlPath('react.js')} defer />
      <script src={graphiqlPath('react-dom.js')} defer />
      <script src={graphiqlPath('graphiql.js')} defer />
      <script src={graphiqlPath('graphiql-page.js')} type="module" />
    </head>
    <body>
      <GraphiqlBar demo={model.demoKey !== null} baseUrl={model.baseUrl} />
      <main id="graphiql" aria-label="GraphiQL">
        <p class="loading">Loading GraphiQL…</p>
        {/* The first query, shown until GraphiQL has loaded. */}
        <pre class="loading">{pageExamples(model)[0]?.query}</pre>
        <noscript>
          <p class="loading">GraphiQL needs JavaScript. The OpenAPI document describes the same reads over REST.</p>
        </noscript>
      </main>
      <script type="application/json" id="perch-page" dangerouslySetInnerHTML={{ __html: inScript(pageData(model)) }} />
    </body>
  </html>
);

/** `GET /graphql` for a browser, to be sent under GRAPHIQL_CSP, with `Cache-Control: no-store`. */
export const graphiqlPage = (model: GraphiqlModel): string => `<!doctype html>\n${render(<Page {...model} />)}\n`;
