import type { ApiParameter } from '../../../rest/openapi/types.js';
import type { ApiEntry } from './model.js';

/** The demo's key and the account that its examples read; a page with a key in it must not be cached. */
export interface Live {
  readonly key: string;
}

const Field = ({ parameter: { name, in: place, required, example, schema } }: { parameter: ApiParameter }) => (
  <div class="field">
    <label for={`try-${name}`}>
      {name}
      {required ? ' (required)' : ''}
    </label>
    <input
      id={`try-${name}`}
      name={name}
      type="text"
      data-in={place}
      required={required === true}
      value={required ? String(example ?? '') : ''}
      placeholder={schema.default === undefined ? '' : String(schema.default)}
      maxLength={4000}
      autoComplete="off"
      spellcheck={false}
    />
  </div>
);

const Body = ({ example }: { example: string }) => (
  <div class="field wide">
    <label for="try-body">Body (JSON)</label>
    <textarea
      id="try-body"
      rows={Math.min(12, example.split('\n').length + 1)}
      maxLength={20_000}
      required
      autoComplete="off"
      spellcheck={false}
      aria-describedby="try-body-fault"
    >
      {example}
    </textarea>
    <p id="try-body-fault" class="fault" role="alert" />
  </div>
);

/** The call as a form, sent by its script with the visitor's key; not shown where scripts do not run. */
export const TryIt = ({ entry, live }: { entry: ApiEntry; live: Live | null }) => (
  <section id="try" class="scripted" aria-labelledby="try-title">
    <h2 id="try-title">Try it</h2>
    <form id="try-form" data-path={entry.path} data-demo-key={live?.key}>
      {/* Not a password field: browsers would offer to keep it. It has no name, so that no form can send it. */}
      <div class="field">
        <label for="try-key">API key{live === null ? '' : ' (the demo key: its credits cost nothing)'}</label>
        <input
          id="try-key"
          type="text"
          class="secret"
          required
          autoComplete="off"
          spellcheck={false}
          data-1p-ignore
          data-lpignore="true"
        />
      </div>
      {entry.parameters
        .filter((each) => each.in !== 'header')
        .map((parameter) => (
          <Field key={parameter.name} parameter={parameter} />
        ))}
      {entry.body === null ? null : <Body example={entry.body} />}
      <p class="actions">
        <button type="submit" class="button primary">
          Send
        </button>
        <button type="button" id="try-test-key" class="button">
          Use a test key
        </button>
      </p>
    </form>
    <p id="try-bill" role="status" />
    <figure class="code" id="try-answer" hidden>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1) */}
      <pre tabIndex={0}>
        <code />
      </pre>
    </figure>
  </section>
);
