import { ERROR_CODES, type ErrorCode } from '../../../src/domain/errors.js';
import { document } from '../kit/layout.js';
import { Table } from '../kit/parts.js';
import { PROBLEM_TEXTS } from '../kit/problem-texts.js';

interface ErrorRow {
  status: number;
  title: string;
  retryAfter?: number;
}

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];
const row = (code: ErrorCode): ErrorRow => ERROR_CODES[code];

const retryText = (code: ErrorCode): string => {
  const seconds = row(code).retryAfter;
  if (seconds === undefined) return 'Not sent: waiting does not help';
  return `${seconds} s, or longer if the service knows the exact time`;
};

export const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(ERROR_CODES, text);

/** The only code that may have been charged: its reason is then `charge_unknown`. */
const MAY_BE_CHARGED: ErrorCode = 'upstream_error';

const Exception = () => <a href="/docs/errors#an-unknown-charge">one exception</a>;

/** `GET /problems/<code>` for a program. */
export const problemFacts = (code: ErrorCode) => ({
  code,
  status: row(code).status,
  title: row(code).title,
  ...PROBLEM_TEXTS[code],
  charged: 0,
  ...(row(code).retryAfter !== undefined && { retry_after: row(code).retryAfter }),
});

/** `GET /problems` for a program. */
export const problemsFacts = () => ({ problems: CODES.map(problemFacts) });

/** `GET /problems/<code>`: the page that a problem document's `type` links to (H2). */
export const problemPage = (code: ErrorCode): string =>
  document(
    { title: `${row(code).title} (${code}) · Perch`, description: PROBLEM_TEXTS[code].means, here: '/problems' },
    <article class="wrap page narrow">
      <p class="eyebrow">
        <a href="/problems">Errors</a>
      </p>
      <h1>{row(code).title}</h1>
      <p class="lead">{PROBLEM_TEXTS[code].means}</p>
      <dl class="facts">
        <div>
          <dt>Code</dt>
          <dd>
            <code>{code}</code>
          </dd>
        </div>
        <div>
          <dt>HTTP status</dt>
          <dd>{row(code).status}</dd>
        </div>
        <div>
          <dt>Charged</dt>
          <dd>
            {code === MAY_BE_CHARGED ? (
              <>
                Nothing, with <Exception />
              </>
            ) : (
              'Nothing, ever'
            )}
          </dd>
        </div>
        <div class="wide">
          <dt>Retry-After</dt>
          <dd>{retryText(code)}</dd>
        </div>
      </dl>
      <h2>What to do</h2>
      <p>{PROBLEM_TEXTS[code].todo}</p>
      <p>
        Match on <code>error.code</code>, never on the message: the code is stable, the wording is not.{' '}
        <a href="/docs/errors">Errors</a> in the documentation has the shape of every failure, and when to try again.
      </p>
    </article>,
  );

/** `GET /problems`: all codes. */
export const problemsPage = (): string =>
  document(
    { title: 'Errors · Perch', description: 'Every error code of Perch, and what to do about it.', here: '/problems' },
    <div class="wrap page">
      <h1>Errors</h1>
      <p class="lead">
        Every failure has one of these codes, and none is charged, with <Exception />.{' '}
        <a href="/docs/errors">The documentation</a> shows their shape.
      </p>
      <Table
        caption="Error codes"
        head={['Code', 'Status', 'Meaning']}
        prose="Meaning"
        rows={CODES.map((code) => [
          <a key={code} href={`/problems/${code}`}>
            <code>{code}</code>
          </a>,
          row(code).status,
          row(code).title,
        ])}
      />
    </div>,
  );
