import type { ApiInput } from './model.js';

/** The demo's key; a page that contains it must not be cached. */
export interface LiveKey {
  readonly key: string;
}

/** The form that every control of the page belongs to. */
const FORM = 'try-form';

type ControlProps = { readonly input: ApiInput };

const shared = ({ name, place, required }: ApiInput) => ({
  id: `try-${name}`,
  name,
  form: FORM,
  'data-in': place,
  'aria-describedby': `about-${name}`,
  required,
});

const Choice = ({ input }: ControlProps) => (
  <select {...shared(input)} data-default={input.initial ?? undefined}>
    {input.initial === null && !input.required ? <option value="">Not sent</option> : null}
    {input.values.map(({ value }) => (
      <option key={value} value={value} selected={value === input.initial}>
        {value}
      </option>
    ))}
  </select>
);

/** The input that HTML has for the type, so that the browser checks ranges and keeps what was typed. */
function Text({ input }: ControlProps) {
  const { schema, example, initial } = input;
  const isNumber = schema.type === 'integer' || schema.type === 'number';
  const given = Array.isArray(example) ? example.join(', ') : String(example ?? '');
  return (
    <input
      {...shared(input)}
      type={isNumber ? 'number' : schema.format === 'date' ? 'date' : 'text'}
      value={input.required ? given : ''}
      {...(initial !== null && { placeholder: initial })}
      data-type={schema.type === 'array' ? 'array' : undefined}
      {...(isNumber && { min: schema.minimum, max: schema.maximum, step: schema.type === 'integer' ? 1 : 0.001 })}
      {...(!isNumber && schema.format !== 'date' && { maxLength: schema.maxLength ?? 4000, spellcheck: false })}
      autoComplete="off"
    />
  );
}

/** The control for a parameter, according to its type; hidden if scripts do not run. */
export const Control = ({ input }: ControlProps) => (
  <dd class="control scripted">
    {input.schema.type === 'boolean' ? (
      <label>
        <input {...shared(input)} type="checkbox" /> Send <code>{input.name}=true</code>
      </label>
    ) : (
      <>
        <label class="unseen" for={`try-${input.name}`}>
          {input.name}
          {input.required ? ' (required)' : ''}
        </label>
        {input.values.length > 0 ? <Choice input={input} /> : <Text input={input} />}
        {input.schema.type === 'array' ? <span class="type">Separated by commas</span> : null}
      </>
    )}
  </dd>
);

export const BodyControl = ({ example }: { example: string }) => (
  <div class="control wide scripted">
    <label for="try-body">Body (JSON)</label>
    <textarea
      id="try-body"
      form={FORM}
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

/** The field for the visitor's key, the only place in the reference that handles keys. */
const KeyControl = ({ live }: { live: LiveKey | null }) => (
  <div class="control" id="try-key-control">
    <label for="try-key">
      API key{live === null ? null : <span id="try-key-demo"> (the demo key: its credits cost nothing)</span>}
    </label>
    {/* Not a password field: browsers would offer to keep it. It has no name, so that no form can send it. */}
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
);

/** The form whose script sends the page's call with the visitor's key; hidden if scripts do not run. */
export const Send = ({ live }: { live: LiveKey | null }) => (
  <div class="scripted">
    <form id={FORM} data-demo-key={live?.key} aria-label="Try it">
      <KeyControl live={live} />
      <button type="submit" class="button primary" disabled>
        Send
      </button>
      <button type="button" id="try-test-key" class="button" disabled>
        Use a test key
      </button>
      <p id="try-bill" role="status" />
    </form>
  </div>
);
