// One GraphQL request over HTTP, and its result.

import { carriesKey } from './snippets.js';

const TYPES = 'application/graphql-response+json, application/json;q=0.9';

/** The longest Retry-After that the page waits out by itself, in seconds: a new account has one request a second. */
const PATIENCE_SECONDS = 2;

/**
 * GraphiQL updates the operation's name shortly after the text: right after a change of tabs it is still the other
 * tab's.
 */
const ofThisText = (body) =>
  new RegExp(`\\b(query|mutation)\\s+${body.operationName}\\b`).test(body.query)
    ? body
    : { ...body, operationName: undefined };

const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

async function send(endpoint, body, { key, headers: more = {} }) {
  const headers = { ...more, accept: TYPES, 'content-type': 'application/json' };
  if (key !== null && !carriesKey(more)) headers['x-api-key'] = key;
  return fetch(endpoint, {
    method: 'POST',
    headers,
    body: JSON.stringify(ofThisText(body)),
    credentials: 'omit',
    cache: 'no-store',
  });
}

/** Reads a proxy's page or an empty body as a GraphQL answer that says so. */
async function read(response) {
  try {
    const answer = await response.json();
    if (answer !== null && typeof answer === 'object') return answer;
  } catch {}
  return { errors: [{ message: `The service returned status ${response.status} without a GraphQL response.` }] };
}

/**
 * `sender`: `{ key, headers? }`; a key among the headers stands in for the tab's own. Resolves with
 * `{ status, retryAfter, answer }`; status 0 when the service could not be reached.
 */
export async function ask(endpoint, body, sender) {
  try {
    let response = await send(endpoint, body, sender);
    const wait = Number(response.headers.get('retry-after'));
    if (response.status === 429 && wait <= PATIENCE_SECONDS) {
      await pause(wait);
      response = await send(endpoint, body, sender);
    }
    const retryAfter = Number(response.headers.get('retry-after')) || null;
    return { status: response.status, retryAfter, answer: await read(response) };
  } catch {
    const message = 'The service could not be reached. Is it still running?';
    return { status: 0, retryAfter: null, answer: { errors: [{ message }] } };
  }
}
