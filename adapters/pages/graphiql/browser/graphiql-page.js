// GraphiQL with a meter: mounts it below the bar, sends its operations with this tab's key, and shows what they cost.

import { listen, showKey, showNotice } from './bar.js';
import { listenToCopy } from './copy.js';
import { cutsIn, estimateIn, saysCharge, showBalance, showCost, showUnknownCost, sumOf } from './cost.js';
import { byId, element } from './dom.js';
import { makeReady } from './editors.js';
import { failureIn } from './failure-text.js';
import { budgetFor, dryRun, isOverBudget, offerIn } from './offer.js';
import { priceCompletion, priceDocs } from './prices.js';
import { budget, currentRequest, withExtensions } from './request.js';
import { listenToSaved } from './saved.js';
import { forgetKey, keepKey, looksLikeKey, readKey } from './session.js';
import { carriesKey, linked } from './snippets.js';
import { storage } from './storage.js';
import { keepTabsReachable } from './tabs.js';
import { ask, follow, isSubscription } from './transport.js';

/** Served next to this file, but stored elsewhere, because the API reference imports it, too. */
const TEST_KEY = './test-key.js';
const { takeTestKey } = await import(TEST_KEY);

const { React, ReactDOM, GraphiQL } = window;
const page = JSON.parse(byId('perch-page').textContent);

/**
 * GraphiQL's editors, and what its docs show now; set by a component inside GraphiQL, because only that can read them.
 */
let editor = null;
let shownInDocs = null;

/** Queries that wait for a tab of their own. */
const toOpen = [];

const bad = (text) => ({ tone: 'bad', parts: [text] });
const warn = (text) => ({ tone: 'warn', parts: [text] });

const askAs = (headers) => (body) => ask(page.endpoint, body, { key: readKey(), headers });

/** Shows what failed, and if a budget would have let it run, offers to set one. */
async function report(result, askAgain, body) {
  const failure = failureIn(result, page.problems);
  const { credits: bill } = result.answer.extensions ?? {};
  const cuts = cutsIn(bill);
  const notice =
    cuts.length === 0
      ? failure
      : { tone: 'warn', parts: [...(failure === null ? [] : [...failure.parts, ' ']), ...cuts] };
  showNotice(notice);
  if (!isOverBudget(result) && !bill?.truncated?.some(({ reason }) => reason === 'max_credits')) return;
  const credits = await budgetFor(askAgain, body);
  if (credits !== null) showNotice({ ...notice, parts: [...notice.parts, ' ', offer(credits)] });
}

const offer = (credits) => offerIn(credits, () => showNotice(null));

/** Forgets a key that the service doesn't know, unless the reader has taken another one since it was sent. */
function dropRefusedKey(result, key) {
  const codes = (result.answer.errors ?? [result.answer.error]).map((error) => error?.extensions?.code ?? error?.code);
  const isRefused = codes.includes('invalid_key');
  if (isRefused && readKey() === key) forget();
  return isRefused;
}

/**
 * Resolves with whether the service accepts the key; true also if it could not tell, or if this is no longer the tab's
 * key.
 */
async function takeKey(key) {
  if (!looksLikeKey(key)) {
    showNotice(bad('Incomplete key: a key is perch_live_ or perch_test_ followed by 32 letters or digits.'));
    return false;
  }
  keepKey(key);
  showKey(key, page.demoKey);
  showNotice(null);
  const result = await ask(page.endpoint, { query: '{ me { balance } }' }, { key });
  if (readKey() !== key) return true;
  const balance = result.answer.extensions?.credits?.remaining ?? result.answer.data?.me?.balance;
  if (balance !== undefined) {
    showBalance(balance);
    return true;
  }
  showNotice(failureIn(result, page.problems));
  return !dropRefusedKey(result, key);
}

async function useTestKey() {
  try {
    if ((await takeKey(await takeTestKey())) && page.hint.testKey !== null) showNotice(warn(page.hint.testKey));
  } catch (error) {
    const link = error.signIn === undefined ? [] : [' ', element('a', { href: error.signIn }, 'Sign in')];
    showNotice({ tone: 'warn', parts: [error.message, ...link] });
  }
}

function forget() {
  forgetKey();
  showKey(null, page.demoKey);
  showBalance(null);
}

/** Uses the key that this tab already has; else the demo's, also if the tab's key is from an earlier demo. */
async function start() {
  if (page.hint.empty !== null) showNotice(warn(page.hint.empty));
  const kept = readKey();
  const isKnown = kept !== null && (await takeKey(kept));
  if (!isKnown && page.demoKey !== null && readKey() === null) await takeKey(page.demoKey);
}

/** The operation that would run now, or null after telling the reader why there is none. */
function requestNow() {
  try {
    return currentRequest(editor);
  } catch (error) {
    showNotice(bad(error.message));
    return null;
  }
}

/** The same operation as a dry run: priced, not executed. */
async function price() {
  const request = requestNow();
  if (request === null) return;
  const { body, headers } = request;
  const result = await dryRun(askAs(headers), body);
  if (!result.estimate) return report(result, askAs(headers), body);
  const notice = estimateIn(result.estimate, {
    budget: body.extensions.maxCredits,
    balance: result.answer.extensions.credits?.remaining,
    isStream: isSubscription(body),
  });
  showNotice(notice);
  if (!result.estimate.refused) return;
  const credits = await budgetFor(askAs(headers), body);
  if (credits !== null) showNotice({ ...notice, parts: [...notice.parts, ' ', offer(credits)] });
}

/** Requests the schema without the key, so that it never counts against a limit; the schema is public. */
async function fetchSchema(body) {
  const result = await ask(page.endpoint, body, { key: null });
  if (result.answer.errors) showNotice(failureIn(result, page.problems));
  return result.answer;
}

/** Follows a subscription and adds up its cost. */
function followed(body, headers) {
  let sum = null;
  const key = readKey();
  showNotice(null);
  return follow(page.endpoint, body, { key, headers }, (result) => {
    const { credits } = result.answer.extensions ?? {};
    if (credits !== undefined) sum = sumOf(sum, credits);
    if (sum === null && !saysCharge(result)) showUnknownCost();
    else showCost(sum ?? undefined);
    if (!carriesKey(headers)) dropRefusedKey(result, key);
    void report(result, askAs(headers), body);
  });
}

/** Sends GraphiQL's requests. */
async function fetcher(given, { headers = {} } = {}) {
  if (given.operationName === 'IntrospectionQuery') return fetchSchema(given);
  let body;
  try {
    body = withExtensions(given, { maxCredits: budget() });
  } catch (error) {
    showNotice(bad(error.message));
    return { errors: [{ message: error.message }] };
  }
  if (isSubscription(body)) return followed(body, headers);
  const key = readKey();
  const result = await askAs(headers)(body);
  if (saysCharge(result)) showCost(result.answer.extensions?.credits);
  else showUnknownCost();
  if (!carriesKey(headers)) dropRefusedKey(result, key);
  void report(result, askAs(headers), body);
  return result.answer;
}

function EditorTap() {
  const { useEditorContext, useExplorerContext, useSchemaContext } = GraphiQL.React;
  editor = useEditorContext();
  const { explorerNavStack, push } = useExplorerContext();
  const { schema } = useSchemaContext();
  shownInDocs = explorerNavStack.at(-1).def;
  for (const id of ['price-it', 'copy-open', 'copy-link', 'saved-open']) byId(id).disabled = !editor?.queryEditor;
  React.useEffect(() => makeReady(editor, 'leave-hint', priceCompletion));
  React.useEffect(openNext);
  // Opens the docs at the reads instead of the root types.
  React.useEffect(() => {
    if (schema && explorerNavStack.length === 1) push({ name: 'Query', def: schema.getQueryType() });
  }, [schema]);
  return null;
}

const LeaveHint = () =>
  React.createElement('p', { id: 'leave-hint' }, 'To leave an editor with the keyboard: Esc, then Tab.');

/** Opens a tab with this query without running it, as soon as there are editors. */
function openTab({ query, variables }) {
  toOpen.push({ query, variables });
  openNext();
}

/** Called after each change of GraphiQL's tabs and editors: a new tab can be filled only once it is shown. */
function openNext() {
  const [next] = toOpen;
  if (next === undefined || !editor?.queryEditor) return;
  if (next.tabsBefore === undefined) {
    next.tabsBefore = editor.tabs.length;
    editor.addTab();
  } else if (editor.tabs.length > next.tabsBefore) {
    toOpen.shift();
    editor.queryEditor.setValue(next.query);
    editor.variableEditor?.setValue(next.variables);
    openNext();
  }
}

/** Removes the query from the address, because the reader may edit its tab: a reload must not open the link again. */
const forgetLink = () => history.replaceState(null, '', location.pathname);

function mount() {
  // The address may contain a query, but never a key.
  const asked = linked(location);
  if (asked !== null) forgetLink();
  const opened = asked === null ? [] : [{ ...asked, variables: asked.variables || null }];
  const props = {
    fetcher,
    storage,
    query: opened[0]?.query,
    variables: opened[0]?.variables ?? undefined,
    defaultTabs: [...opened, ...page.examples.map(({ query }) => ({ query }))].map((tab) => ({
      ...tab,
      headers: null,
    })),
    // Headers live only as long as the page, because one of them may be a key.
    shouldPersistHeaders: false,
    // The same colour scheme as the bar above.
    forcedTheme: document.documentElement.dataset.theme ?? 'system',
    toolbar: { additionalComponent: EditorTap },
  };
  const footer = React.createElement(GraphiQL.Footer, null, React.createElement(LeaveHint));
  ReactDOM.createRoot(byId('graphiql')).render(React.createElement(GraphiQL, props, footer));
}

listen({ takeKey, takeTestKey: useTestKey, forget, price }, page.demoKey);
listenToCopy(() => ({ endpoint: page.address, clientPackage: page.clientPackage, ...currentRequest(editor) }));
listenToSaved({
  current: () => ({ query: editor.queryEditor.getValue(), variables: editor.variableEditor?.getValue() ?? '' }),
  open: openTab,
});
addEventListener('hashchange', () => {
  const asked = linked({ hash: location.hash, search: '' });
  if (asked === null) return;
  forgetLink();
  openTab(asked);
});
keepTabsReachable(byId('graphiql'));
priceDocs(byId('graphiql'), () => shownInDocs);
mount();
void start();
