// Sends a GraphQL request over HTTP, and reads its result, or the results of a subscription.

import { carriesKey } from './snippets.js';

const { GraphQL } = window.GraphiQL;

const TYPES = 'application/graphql-response+json, application/json;q=0.9';

/** The longest Retry-After, in seconds, after which the page retries; a new account has one request a second. */
const PATIENCE_SECONDS = 2;

/** The operation of the text with this name, or without a name its only one; undefined if there is none. */
function operationIn({ query, operationName }) {
  try {
    return GraphQL.getOperationAST(GraphQL.parse(query), operationName) ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * Drops an operation name that the text does not have: GraphiQL updates the name shortly after the text, so right after
 * a change of tabs it is still the other tab's.
 */
const ofThisText = (body) => (operationIn(body) ? body : { ...body, operationName: undefined });

const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

async function send(endpoint, body, { key, headers: more = {} }, { accept = TYPES, signal } = {}) {
  const headers = { ...more, accept, 'content-type': 'application/json' };
  if (key !== null && !carriesKey(more)) headers['x-api-key'] = key;
  return fetch(endpoint, {
    method: 'POST',
    headers,
    body: JSON.stringify(ofThisText(body)),
    credentials: 'omit',
    cache: 'no-store',
    signal,
  });
}

/** Reads the answer. A proxy's page or an empty body becomes a GraphQL answer that says so. */
async function read(response) {
  try {
    const answer = await response.json();
    if (answer !== null && typeof answer === 'object') return answer;
  } catch {}
  return { errors: [{ message: `The service returned status ${response.status} without a GraphQL response.` }] };
}

/**
 * `sender`: `{ key, headers? }`; a key among the headers replaces the tab's own. Resolves with
 * `{ status, retryAfter, answer }`; the status is 0 if the service could not be reached.
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
    // A read is charged even if its answer is lost in transit.
    const message = 'No response: is the service still running? The next response shows your balance.';
    return { status: 0, retryAfter: null, answer: { errors: [{ message }] } };
  }
}

/** Whether the operation that would run is a subscription. */
export const isSubscription = (body) => operationIn(ofThisText(body))?.operation === 'subscription';

/** The results in an event stream (protocol graphql-sse). */
async function* results(body) {
  let text = '';
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (text + value).split('\n\n');
    text = events.pop();
    for (const event of events) {
      if (/^event: complete$/m.test(event)) return;
      const [, data] = /^data: (.+)$/m.exec(event) ?? [];
      if (data !== undefined) yield JSON.parse(data);
    }
  }
}

/**
 * Follows a subscription until it ends or the reader stops it. Returns an async iterable for GraphiQL, and calls `seen`
 * with each result, in the form that `ask` resolves with.
 */
export function follow(endpoint, body, sender, seen) {
  const left = new AbortController();
  const all = (async function* () {
    try {
      const response = await send(endpoint, body, sender, { accept: 'text/event-stream', signal: left.signal });
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
      for await (const answer of isStream ? results(response.body) : [await read(response)]) {
        seen({ status: response.status, retryAfter: Number(response.headers.get('retry-after')) || null, answer });
        yield answer;
      }
    } catch (error) {
      if (left.signal.aborted) return;
      yield { errors: [{ message: `The stream broke: ${error.message}. Run it again.` }] };
    }
  })();
  const iterator = {
    next: () => all.next(),
    // Does not use `all.return()`, which would wait for the next result.
    return: async () => {
      left.abort();
      return { done: true, value: undefined };
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}
