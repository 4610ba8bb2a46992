// Updates the samples as the visitor types, sends the call with the visitor's key, and shows its cost. The key is kept
// for this tab only, where GraphiQL keeps it, too; the chosen language is kept for the next page.
import { colouredParts } from './code.js';
import './docs-search.js';
import { addressOf, samplesOf } from './samples.js';

/** Served next to this file, but stored elsewhere, because other pages import it, too. */
const TEST_KEY = './test-key.js';

const SLOT = 'perch.key';
const LANGUAGE = 'perch.sample';
const samples = document.getElementById('samples');
const form = document.getElementById('try-form');
const key = document.getElementById('try-key');
const text = document.getElementById('try-body');
const fault = document.getElementById('try-body-fault');
const bill = document.getElementById('try-bill');
const answer = document.getElementById('try-answer');
const call = JSON.parse(samples.dataset.call);
const caption = answer.querySelector('figcaption span');
const example = { title: caption.textContent, parts: [...answer.querySelector('code').childNodes] };
const figure = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });
const credits = (amount) => `${figure.format(amount)} ${amount === 1 ? 'credit' : 'credits'}`;
let isRunning = false;

/** The browser's storage of this name; undefined if the browser refuses access: nothing is kept then. */
function storageNamed(name) {
  try {
    return window[name];
  } catch {
    return undefined;
  }
}

const [local, session] = [storageNamed('localStorage'), storageNamed('sessionStorage')];

/** The value that a control adds to the call; undefined if it has its default. */
function valueIn({ type, value, checked, dataset }) {
  if (type === 'checkbox') return checked || undefined;
  const given = value.trim();
  if (given === '' || given === dataset.default) return undefined;
  if (type === 'number') return Number(given);
  return dataset.type === 'array' ? given.split(/[\s,]+/).filter(Boolean) : given;
}

const valuesGiven = () =>
  Object.fromEntries(
    [...form.elements]
      .filter(({ name }) => name !== '')
      .map((control) => [control.name, valueIn(control)])
      .filter(([, value]) => value !== undefined),
  );

/** The typed body, null if the call takes none; if it is invalid, only a message that says why. */
function bodyTyped() {
  if (text === null) return { body: null, message: '' };
  try {
    const body = JSON.parse(text.value);
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
    return isObject ? { body, message: '' } : { message: 'The body must be a JSON object.' };
  } catch (error) {
    return { message: `The body is not JSON: ${error.message}` };
  }
}

/** Puts code into its box, with the same colours as the service gives it. */
function showCode(box, code, language) {
  const parts = colouredParts(code, language).map(({ text: part, kind }) => {
    if (kind === undefined) return part;
    const span = document.createElement('span');
    span.className = kind;
    span.textContent = part;
    return span;
  });
  box.querySelector('code').replaceChildren(...parts);
}

/** Updates the samples, unless the typed body is not valid JSON yet. */
function showSamples() {
  const { body } = bodyTyped();
  if (body === undefined) return;
  const boxes = samples.querySelectorAll('.sample');
  for (const [at, sample] of samplesOf(call, valuesGiven(), body).entries()) {
    showCode(boxes[at], sample.text, sample.language);
  }
}

function check() {
  if (text === null) return true;
  const { message } = bodyTyped();
  fault.textContent = message;
  text.setAttribute('aria-invalid', String(message !== ''));
  if (message !== '') text.focus();
  return message === '';
}

/** What the call cost, or for an estimate, what it can cost. */
function costOf(response, body) {
  const left = response.headers.get('x-credits-remaining');
  const rest = left === null ? '' : `, ${figure.format(Number(left))} left`;
  if (body.estimate !== undefined) {
    const { max_credits: most, max_items: items, refused } = body.estimate;
    const why = refused === undefined ? '' : ` It would be refused: ${refused.message}`;
    return `at most ${credits(most)} for at most ${figure.format(items)} ${items === 1 ? 'item' : 'items'}; nothing charged${rest}.${why}`;
  }
  if (body.error?.reason === 'charge_unknown') return 'it may have been charged; the next response shows your balance.';
  const charged = Number(response.headers.get('x-credits-charged') ?? body.credits_charged ?? 0);
  return `${charged === 0 ? 'nothing' : credits(charged)} charged${rest}.`;
}

/** Shows the cost; for a failure, adds a link to the page about its code. */
function showBill(response, body) {
  bill.textContent = `${response.status}: ${costOf(response, body)} ${body.error?.message ?? ''}`;
  if (body.error?.code === undefined) return;
  const link = document.createElement('a');
  link.href = `/problems/${body.error.code}`;
  link.textContent = 'What it means, and what to do';
  bill.append(' ', link);
}

async function send() {
  const { path, query } = addressOf(call, valuesGiven());
  const headers = { 'x-api-key': key.value.trim(), accept: 'application/json' };
  const posted = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: text?.value };
  const address = query.length > 0 ? `${path}?${query.join('&')}` : path;
  const response = await fetch(address, text === null ? { headers } : posted);
  const body = await response.json();
  showBill(response, body);
  caption.textContent = `Response: ${response.status}`;
  showCode(answer, JSON.stringify(body, null, 2), 'json');
  answer.scrollIntoView({ block: 'nearest' });
}

async function sendOnce() {
  if (isRunning || !check()) return;
  isRunning = true;
  if (key.value !== form.dataset.demoKey) session?.setItem(SLOT, key.value.trim());
  bill.textContent = 'Reading…';
  try {
    await send();
  } catch {
    // A read is charged even if its answer is lost in transit.
    bill.textContent = 'No response: is the service still running? The next response shows your balance.';
  }
  isRunning = false;
}

/** Calls the key the demo's only while it is. */
function showWhoseKey() {
  const remark = document.getElementById('try-key-demo');
  if (remark !== null) remark.hidden = key.value.trim() !== form.dataset.demoKey;
}

/** Removes the answer to another key. */
function showExample() {
  caption.textContent = example.title;
  answer.querySelector('code').replaceChildren(...example.parts);
}

async function useTestKey() {
  try {
    const { takeTestKey } = await import(TEST_KEY);
    key.value = await takeTestKey();
    session?.setItem(SLOT, key.value);
    showWhoseKey();
    showExample();
    bill.textContent = 'This is one of your test keys. It reads invented data and spends play credits.';
  } catch (error) {
    const link = Object.assign(document.createElement('a'), { href: error.signIn ?? '', textContent: 'Sign in' });
    bill.replaceChildren(`${error.message} `, ...(error.signIn === undefined ? [] : [link]));
  }
}

const chosen = document.getElementById(`sample-${local?.getItem(LANGUAGE)}`);
if (chosen !== null) chosen.checked = true;
samples.addEventListener('change', ({ target }) => local?.setItem(LANGUAGE, target.value));

if (form !== null) {
  key.value = session?.getItem(SLOT) ?? form.dataset.demoKey ?? '';
  showWhoseKey();
  key.addEventListener('input', showWhoseKey);
  for (const control of form.elements) control.addEventListener('input', showSamples);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    await sendOnce();
  });
  document.getElementById('try-test-key').addEventListener('click', useTestKey);
  // Enabled only now, because earlier clicks would be lost.
  for (const button of form.querySelectorAll('button')) button.disabled = false;
  // When the visitor comes back to a page, its fields still have what was typed before.
  showSamples();
}
