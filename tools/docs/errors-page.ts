import { PROBLEM_TEXTS } from '../../adapters/pages/kit/problem-texts.js';
import { ERROR_CODES, type ErrorCode } from '../../src/domain/errors.js';

const HEAD = `# Errors

All failures have the same shape and one of the codes below, and none is charged, with [one exception](#an-unknown-charge). Match on \`error.code\`, which is
stable, not on the message.

\`\`\`sh
curl -s -H "x-api-key: $PERCH_KEY" "http://127.0.0.1:4000/v1/users/harbor_obs/tweets?count=500" # 0 credits
\`\`\`

\`\`\`json
{
  "error": { "code": "bad_request", "message": "…", "param": "count", "doc_url": "…" },
  "request_id": "…",
  "credits_charged": 0
}
\`\`\`

- \`error.doc_url\` is the URL of \`/problems/<code>\` on the service itself, which has the same meaning and advice as this page.
- With \`Accept: application/problem+json\`, the response follows RFC 9457, and the same URL is its \`type\`.
- \`error.reason\` and \`error.param\` are included when a program can use them. Include the \`request_id\` when you ask for help.
- If waiting helps, the header \`Retry-After\` says for how many seconds. Without it, the same request will most likely fail
  again. A failure with \`Retry-After\` was not charged, so a retry after it never pays twice.
- A list that fails halfway fails as a whole. What has been read stays cached, so the retry is cheaper.
- GraphQL has the same members in \`errors[].extensions\`, and MCP the same body; the [GraphQL guide](graphql.md#errors) explains partial results.

\`\`\`sh
curl -s -H "x-api-key: $PERCH_KEY" -H 'Accept: application/problem+json' http://127.0.0.1:4000/v1/users/nobody_sits_here # 0 credits
\`\`\`
`;

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];
const retryAfter = (code: ErrorCode): number | undefined =>
  (ERROR_CODES[code] as { readonly retryAfter?: number }).retryAfter;

/** Codes that another try may solve, but not waiting. For all others, Retry-After says whether to try again. */
const AGAIN: Partial<Record<ErrorCode, string>> = {
  internal: 'once; no `Retry-After` is sent',
  access_denied: 'later, if the network denied it; no `Retry-After` is sent',
};

const retryText = (code: ErrorCode): string => {
  const seconds = retryAfter(code);
  if (seconds === undefined) return AGAIN[code] ?? 'no; fix the cause first';
  return `yes, after \`Retry-After\`: ${seconds} s, or longer if the service knows the exact time`;
};

/** The only failure that may have been charged is described below the code that it has. */
const UNKNOWN_CHARGE = `
### An unknown charge

If the database fails in the middle of a charge, the answer is 503 \`upstream_error\` with the reason \`charge_unknown\`. Nothing was
delivered, and the call may or may not have been charged; so it has neither \`Retry-After\` nor \`credits_charged\`. The same holds where no
answer arrives at all, for example after a timeout of your own.

To repeat a call without paying twice unnoticed:

1. Repeat at once only what has \`Retry-After\`, after that time. HTTP libraries that retry every 503 or every timeout do more: switch that off.
2. After \`charge_unknown\`, look the receipt up with the \`request_id\` of the answer: \`GET /v1/usage/{request_id}\` is free. 200 means that
   the call was charged, 404 that it was not, or not yet: a charge on its way is decided within a minute or so.
3. Then repeat the call. If it was charged, what it read is most likely still cached, and costs half. Count both against your budget.
\`perch export\` does this by itself.`;

/** Reasons for which a code has another status than usual. */
const ALSO: Partial<Record<ErrorCode, string>> = {
  bad_request:
    '405 for a wrong method, 415 for a wrong content type or a body with a `Content-Encoding`, 422 for a GraphQL document that does not match the schema, and 413, 414 and 431 for a body, URL or headers that are too large',
};

const sectionOf = (code: ErrorCode): string =>
  [
    `## ${code}`,
    '',
    `**${ERROR_CODES[code].title}.** ${PROBLEM_TEXTS[code].means}`,
    '',
    `- Status: ${ERROR_CODES[code].status}`,
    ...(ALSO[code] ? [`- Also: ${ALSO[code]}`] : []),
    `- What to do: ${PROBLEM_TEXTS[code].todo}`,
    `- Retry: ${retryText(code)}`,
    ...(code === 'upstream_error' ? [UNKNOWN_CHARGE] : []),
  ].join('\n');

/** docs/errors.md: each code once, with the texts of the pages at `/problems/<code>` (H2). */
export function errorsPage(): string {
  const rows = CODES.map((code) => `| [\`${code}\`](#${code}) | ${ERROR_CODES[code].status} | ${retryText(code)} |`);
  const table = ['| Code | Status | Retry |', '|---|---|---|', ...rows].join('\n');
  return `${[HEAD, table, ...CODES.map((code) => `\n${sectionOf(code)}`)].join('\n')}\n`;
}
