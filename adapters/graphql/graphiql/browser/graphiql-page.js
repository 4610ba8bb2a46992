// GraphiQL with a meter: mounts it below the bar, sends its operations with this tab's key, and shows what they cost.

import { listen, showKey, showNotice } from './bar.js';
import { estimateIn, showBalance, showCost } from './cost.js';
import { byId } from './dom.js';
import { failureIn } from './failure-text.js';
import { forgetKey, keepKey, looksLikeKey, readKey } from './session.js';
import { ask } from './transport.js';

const { React, ReactDOM, GraphiQL } = window;
const page = JSON.parse(byId('perch-page').textContent);

/** What the editor contains now; set by a component inside GraphiQL, the only place where its state can be read. */
let editor = null;

const report = (result) => showNotice(failureIn(result, page.problems));

/** Forgets a key that the service doesn't know. */
function dropRefusedKey(result) {
  const codes = (result.answer.errors ?? [result.answer.error]).map((error) => error?.extensions?.code ?? error?.code);
  if (codes.includes('invalid_key')) forget();
}

async function takeKey(key) {
  if (!looksLikeKey(key)) {
    const parts = ['Incomplete key: a key is perch_live_ or perch_test_ followed by 32 letters or digits.'];
    return showNotice({ tone: 'bad', parts });
  }
  keepKey(key);
  showKey(key, page.demoKey);
  showNotice(null);
  const result = await ask(page.endpoint, { query: '{ me { balance } }' }, key);
  const balance = result.answer.extensions?.credits?.remaining ?? result.answer.data?.me?.balance;
  if (balance !== undefined) return showBalance(balance);
  dropRefusedKey(result);
  return report(result);
}

function forget() {
  forgetKey();
  showKey(null, page.demoKey);
  showBalance(null);
}

/** The same operation as a dry run: priced, not executed (M26). */
async function price() {
  const body = {
    query: editor.queryEditor.getValue(),
    operationName: editor.queryEditor.operationName ?? undefined,
    extensions: { dryRun: true },
  };
  try {
    body.variables = JSON.parse(editor.variableEditor.getValue().trim() || '{}');
  } catch {
    return showNotice({ tone: 'bad', parts: ['The variables are not valid JSON.'] });
  }
  const result = await ask(page.endpoint, body, readKey());
  const estimate = result.answer.extensions?.estimate;
  return estimate ? showNotice(estimateIn(estimate)) : report(result);
}

/**
 * Sends GraphiQL's requests. The schema is public: it is requested without the key, so that it never counts against a
 * limit (U44).
 */
async function fetcher(body) {
  const forSchema = body.operationName === 'IntrospectionQuery';
  const result = await ask(page.endpoint, body, forSchema ? null : readKey());
  if (!forSchema) {
    showCost(result.answer.extensions?.credits);
    dropRefusedKey(result);
  }
  if (!forSchema || result.answer.errors) report(result);
  return result.answer;
}

function EditorTap() {
  editor = GraphiQL.React.useEditorContext();
  byId('price-it').disabled = !editor?.queryEditor;
  return null;
}

function mount() {
  // The address may contain a query, but never a key.
  const asked = new URLSearchParams(location.search).get('query');
  const queries = [...(asked === null ? [] : [asked]), ...page.examples.map(({ query }) => query)];
  const props = {
    fetcher,
    query: asked ?? undefined,
    defaultTabs: queries.map((query) => ({ query, headers: null })),
    // GraphiQL keeps tabs and history in localStorage; without headers there is no key that it could keep (U45).
    shouldPersistHeaders: false,
    isHeadersEditorEnabled: false,
    // The bar follows the system's colour scheme too: the whole page has one.
    forcedTheme: 'system',
    toolbar: { additionalComponent: EditorTap },
  };
  ReactDOM.createRoot(byId('graphiql')).render(React.createElement(GraphiQL, props));
}

listen({ takeKey, forget, price }, page.demoKey);
mount();
const kept = readKey();
if (kept !== null) takeKey(kept);
