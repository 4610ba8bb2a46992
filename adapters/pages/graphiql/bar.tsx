import { sitePath } from '../kit/assets.js';
import { NAVIGATION } from '../kit/layout.js';

const KeyForm = ({ demo }: { demo: boolean }) => (
  <form id="key-form" class="key" autoComplete="off" hidden={demo}>
    {demo ? (
      <button type="button" id="use-demo" class="primary">
        Use the demo key
      </button>
    ) : null}
    <button type="button" id="use-test" title="Free: invented data, and play credits. For customers who are signed in.">
      Use a test key
    </button>
    <label for="key-input" class="hidden">
      API key
    </label>
    {/* Not a password field: browsers would offer to keep it. It has no name either, so that no form can send it. */}
    <input
      id="key-input"
      type="text"
      class="secret"
      placeholder="or paste a key"
      spellcheck={false}
      autoComplete="off"
      autoCapitalize="off"
      data-1p-ignore
      data-lpignore="true"
    />
    <button type="submit">Use key</button>
  </form>
);

/** On a demo the script uses the demo key, and this is shown from the start, so that the bar keeps its height. */
const KeyState = ({ demo }: { demo: boolean }) => (
  <div id="key-state" class="key" hidden={!demo}>
    <span class="tag" id="key-kind">
      {demo ? 'Demo key' : 'Key'}
    </span>
    <code id="key-name" />
    <button type="button" id="key-forget" title="Forget the key (it is stored for this tab only)">
      Forget
    </button>
  </div>
);

/** The breakdown of the last run, opened by the figure in the bar. */
const CostDetails = () => (
  <section id="cost-details" popover="auto" class="details" aria-label="Cost of the last run">
    <h2>Cost of the last run</h2>
    <table>
      <thead>
        <tr>
          <th scope="col">Path</th>
          <th scope="col">Items</th>
          <th scope="col">Each</th>
          <th scope="col">Cache</th>
          <th scope="col">Credits</th>
        </tr>
      </thead>
      <tbody id="cost-lines" />
      <tfoot>
        <tr>
          <th scope="row" colSpan={4}>
            Charged
          </th>
          <td id="cost-sum" />
        </tr>
      </tfoot>
    </table>
    <p id="cost-note">Cached items (hit) cost half, fresh ones (bypass) double. Failed and empty reads are free.</p>
  </section>
);

/** The request as text, without the key, opened by its button. */
const CopyAs = () => (
  <section id="copy-as" popover="auto" class="details" aria-labelledby="copy-title">
    <h2 id="copy-title">Copy as</h2>
    <div class="kinds">
      <button type="button" data-kind="curl" aria-pressed="true">
        curl
      </button>
      <button type="button" data-kind="fetch" aria-pressed="false">
        fetch
      </button>
      <button type="button" data-kind="python" aria-pressed="false">
        Python
      </button>
      <button type="button" data-kind="client" aria-pressed="false">
        TypeScript client
      </button>
      <button type="button" data-kind="link" aria-pressed="false">
        Link
      </button>
      <span id="copy-said" role="status" />
    </div>
    <textarea id="snippet" aria-label="The request" readOnly rows={12} spellcheck={false} />
    <p id="copy-key">
      It reads the key from the environment variable <code>PERCH_KEY</code>.
    </p>
    <p id="copy-client" hidden>
      How to install and use it: <a href="/docs/clients/typescript">the TypeScript client</a>.
    </p>
    <p id="copy-link-note" hidden>
      It opens this page with the query and its variables, and does not run it. It contains neither the key nor headers.
    </p>
  </section>
);

/** The reader's saved queries, opened by their button. */
const Saved = () => (
  <section id="saved" popover="auto" class="details" aria-labelledby="saved-title">
    <h2 id="saved-title">Saved queries</h2>
    <form id="save-form" class="kinds">
      <label for="save-name">Name</label>
      <input id="save-name" type="text" maxLength={60} autoComplete="off" aria-describedby="save-said" />
      <button type="submit">Save this query</button>
    </form>
    <p id="save-said" role="status" />
    <ul id="saved-list" class="saved" />
    <p>They stay in this browser. Headers are not saved.</p>
  </section>
);

const Budget = () => (
  <div class="budget">
    <label for="budget">Budget</label>
    <input
      id="budget"
      type="text"
      inputMode="decimal"
      autoComplete="off"
      placeholder="default"
      title="The most credits that a run may cost. Empty: the service's default."
    />
  </div>
);

/** The strip above GraphiQL: the key, the balance, and the costs of the last run and of the next one. */
export const GraphiqlBar = ({ demo, baseUrl }: { demo: boolean; baseUrl: string }) => (
  <>
    <header class="bar">
      <a class="brand" href="/" aria-label="Perch, home">
        <img src={sitePath('logo.svg')} alt="" width="34" height="34" />
        <span>Perch</span>
      </a>
      <h1>
        GraphiQL <code>{baseUrl}/graphql</code>
      </h1>
      <KeyForm demo={demo} />
      <dl class="figures">
        <div>
          <dt>Balance</dt>
          <dd id="balance">–</dd>
        </div>
        <div>
          <dt>Last run</dt>
          <dd>
            <button type="button" id="last-cost" popovertarget="cost-details" disabled>
              –
            </button>
          </dd>
        </div>
      </dl>
      <button type="button" class="options-open" popovertarget="options">
        Options
      </button>
      {/* On a phone these open from their button, because the bar has only one line there. */}
      <div class="options" id="options" popover="auto">
        <nav aria-label="Main">
          {NAVIGATION.filter(({ href }) => href !== '/graphql').map(({ href, text }) => (
            <a key={href} href={href === '/docs' ? '/docs/graphql' : href}>
              {text}
            </a>
          ))}
        </nav>
        <KeyState demo={demo} />
        <div class="next">
          <Budget />
          <button
            type="button"
            id="price-it"
            disabled
            title="Maximum cost of this operation. Nothing is read or charged."
          >
            Estimate cost
          </button>
          <button type="button" id="saved-open" popovertarget="saved" disabled>
            Saved
          </button>
          <button type="button" id="copy-link" disabled title="An address that opens this query, without a key">
            Copy link
          </button>
          <button type="button" id="copy-open" popovertarget="copy-as" disabled>
            Copy as
          </button>
        </div>
      </div>
    </header>
    <CostDetails />
    <CopyAs />
    <Saved />
    <div id="notice" class="notice" role="status" hidden>
      <p id="notice-text" />
      <button type="button" id="notice-close" aria-label="Close this message">
        ×
      </button>
    </div>
  </>
);
