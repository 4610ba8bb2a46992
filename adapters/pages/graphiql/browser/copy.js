// "Copy as": shows the request as text, and copies it.

import { showNotice } from './bar.js';
import { byId } from './dom.js';
import { snippetOf } from './snippets.js';
import { isSubscription } from './transport.js';

const { GraphQL } = window.GraphiQL;

/** Reduces the query to the operation that would run, with its fragments, because the client sends a single one. */
function oneOperation({ operationName, ...body }) {
  if (operationName === undefined) return body;
  try {
    const operations = GraphQL.separateOperations(GraphQL.parse(body.query));
    if (Object.keys(operations).length < 2 || !operations[operationName]) return body;
    return { ...body, query: GraphQL.print(operations[operationName]) };
  } catch {
    return body;
  }
}

/** The clipboard works only over https and on localhost; elsewhere the text is selected, to be copied by hand. */
async function copied(field) {
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    field.select();
    return false;
  }
}

/** Writes a request in a form into a field, and shows what applies to that form. */
function writeSnippet(field, kind, { body, ...rest }) {
  const isStream = isSubscription(body);
  field.value = snippetOf(kind, { ...rest, isStream, body: kind === 'client' ? oneOperation(body) : body });
  byId('copy-key').hidden = kind === 'link';
  byId('copy-link-note').hidden = kind !== 'link';
  byId('copy-client').hidden = kind !== 'client';
  for (const button of byId('copy-as').querySelectorAll('[data-kind]')) {
    button.setAttribute('aria-pressed', String(button.dataset.kind === kind));
  }
}

/**
 * `request()` returns what would run now, as `snippetOf` takes it, or throws an error with a message for the reader.
 */
export function listenToCopy(request) {
  const field = byId('snippet');
  const said = byId('copy-said');
  let kind = 'curl';
  const write = () => writeSnippet(field, kind, request());
  byId('copy-as').addEventListener('beforetoggle', (event) => {
    if (event.newState !== 'open') return;
    said.textContent = '';
    try {
      // There may be no link, or nothing for the client, for this operation: the other kinds must stay within reach.
      try {
        write();
      } catch {
        kind = 'curl';
        write();
      }
    } catch (error) {
      event.preventDefault();
      showNotice({ tone: 'bad', parts: [error.message] });
    }
  });
  for (const button of byId('copy-as').querySelectorAll('[data-kind]')) {
    button.addEventListener('click', async () => {
      ({ kind } = button.dataset);
      try {
        write();
      } catch (error) {
        field.value = '';
        said.textContent = error.message;
        return;
      }
      said.textContent = (await copied(field)) ? 'Copied.' : 'Selected: copy it with your keyboard.';
    });
  }
  byId('copy-link').addEventListener('click', async () => {
    kind = 'link';
    try {
      write();
    } catch (error) {
      showNotice({ tone: 'bad', parts: [error.message] });
      return;
    }
    if (await copied(field)) {
      showNotice({
        tone: 'good',
        parts: ['Link copied. It contains the query and its variables, but neither a key nor headers.'],
      });
      return;
    }
    byId('copy-as').showPopover();
    field.select();
  });
}
