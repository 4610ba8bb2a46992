import type { ApiEntry, ApiField, ApiObject, TypePart } from './model.js';
import { BodyControl, Control } from './try-it.js';

/** A text of the document; its parts between backticks are shown as code. */
export const Words = ({ text }: { text: string }) => (
  <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>
);

/** A type in words; an object links to its fields on the same page. */
const Type = ({ parts }: { parts: readonly TypePart[] }) => (
  <span class="type">
    {parts.map((part, at) =>
      typeof part === 'string' ? (
        part
      ) : (
        <a key={at} href={`#${part.object}`}>
          {part.object}
        </a>
      ),
    )}
  </span>
);

const Values = ({ values, description }: ApiField) => {
  const named = values.filter(({ meaning }) => meaning !== '');
  return (
    <>
      {named.length > 0 || values.every(({ value }) => description.includes(value)) ? null : (
        <p>
          One of{' '}
          {values.map(({ value }, at) => (
            <span key={value}>
              {at === 0 ? '' : ', '}
              <code>{value}</code>
            </span>
          ))}
          .
        </p>
      )}
      {named.length === 0 ? null : (
        <ul class="values">
          {named.map(({ value, meaning }) => (
            <li key={value}>
              <code>{value}</code> <Words text={meaning} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
};

const Need = ({ field: { required, initial } }: { field: ApiField }) =>
  required ? (
    <span class="required">required</span>
  ) : (
    <span class="type">optional{initial === null ? '' : `, default ${initial}`}</span>
  );

const About = ({ field }: { field: ApiField }) => (
  <>
    {field.description === '' ? null : (
      <p>
        <Words text={field.description} />
      </p>
    )}
    <Values {...field} />
  </>
);

/** Members of an object; those that may be missing are marked as optional. */
export const Fields = ({ fields }: { fields: readonly ApiField[] }) => (
  <dl class="parameters fields">
    {fields.map((field) => (
      <div key={field.name}>
        <dt>
          <code>{field.name}</code> <Type parts={field.type} />{' '}
          {field.required ? null : <span class="type">optional</span>}
        </dt>
        <dd>
          <About field={field} />
        </dd>
      </div>
    ))}
  </dl>
);

export const ObjectSection = ({ object, isOpen = false }: { object: ApiObject; isOpen?: boolean }) => (
  <details open={isOpen}>
    <summary>
      <strong>{object.name}</strong> <Words text={object.description} />
    </summary>
    <div id={object.name}>
      <Fields fields={object.fields} />
    </div>
  </details>
);

const PLACES = { path: 'Path', query: 'Query', header: 'Header' } as const;

/** The parameters and the body, each with the control that sets it. */
export const Inputs = ({ entry }: { entry: ApiEntry }) => (
  <>
    {(['path', 'query', 'header'] as const).map((place) => {
      const inputs = entry.inputs.filter((each) => each.place === place);
      return inputs.length === 0 ? null : (
        <section key={place}>
          <h2 id={`${place}-parameters`}>{PLACES[place]} parameters</h2>
          <dl class="parameters">
            {inputs.map((input) => (
              <div key={input.name} class={entry.isSendable && place !== 'header' ? 'settable' : undefined}>
                <dt>
                  <code>{input.name}</code> <Type parts={input.type} /> <Need field={input} />
                </dt>
                <dd id={`about-${input.name}`}>
                  <About field={input} />
                </dd>
                {entry.isSendable && place !== 'header' ? <Control input={input} /> : null}
              </div>
            ))}
          </dl>
        </section>
      );
    })}
    {entry.body === null ? null : (
      <section>
        <h2 id="body">Body</h2>
        <p>
          A JSON object, sent as <code>application/json</code>.
        </p>
        <dl class="parameters">
          {entry.body.fields.map((field) => (
            <div key={field.name}>
              <dt>
                <code>{field.name}</code> <Type parts={field.type} /> <Need field={field} />
              </dt>
              <dd>
                <About field={field} />
              </dd>
            </div>
          ))}
        </dl>
        {entry.isSendable ? <BodyControl example={entry.body.example} /> : null}
      </section>
    )}
  </>
);
