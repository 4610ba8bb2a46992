// Keeps the samples in step with what is typed, sends the call with the visitor's key, and says what it cost. The key is kept
// for this tab only, where GraphiQL keeps it, too; the language of the samples for the next page.
import { colouredParts } from './code.js';
import { addressOf, samplesOf } from './samples.js';

/** Served beside this file, and kept where others import it, too. */
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
const figure = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });
const credits = (amount) => `${figure.format(amount)} ${amount === 1 ? 'credit' : 'credits'}`;
let isRunning = false;

/** What a control gives the call; undefined for what is left as it is by default. */
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

/** The body that was typed, or why it is none; a call without one has null. */
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

/** Puts code into its box, coloured as the service colours it. */
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

/** Those of a body that is no JSON yet stay as they were. */
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

/** What the call cost or, for an estimate, can cost. */
function costOf(response, body) {
  const left = response.headers.get('x-credits-remaining');
  const rest = left === null ? '' : `, ${figure.format(Number(left))} left`;
  if (body.estimate !== undefined) {
    const { max_credits: most, max_items: items, refused } = body.estimate;
    const why = refused === undefined ? '' : ` It would be refused: ${refused.message}`;
    return `at most ${credits(most)} for at most ${figure.format(items)} ${items === 1 ? 'item' : 'items'}; nothing charged${rest}.${why}`;
  }
  const charged = Number(response.headers.get('x-credits-charged') ?? body.credits_charged ?? 0);
  return `${charged === 0 ? 'nothing' : credits(charged)} charged${rest}.`;
}

/** A failure leads to the page about its code. */
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
  answer.querySelector('figcaption span').textContent = `Response: ${response.status}`;
  showCode(answer, JSON.stringify(body, null, 2), 'json');
  answer.scrollIntoView({ block: 'nearest' });
}

async function sendOnce() {
  if (isRunning || !check()) return;
  isRunning = true;
  if (key.value !== form.dataset.demoKey) sessionStorage.setItem(SLOT, key.value.trim());
  bill.textContent = 'Reading…';
  try {
    await send();
  } catch {
    // A read whose answer was lost in transit is still charged.
    bill.textContent = 'No response: is the service still running? The next response shows your balance.';
  }
  isRunning = false;
}

async function useTestKey() {
  try {
    const { takeTestKey } = await import(TEST_KEY);
    key.value = await takeTestKey();
    sessionStorage.setItem(SLOT, key.value);
    bill.textContent = 'This is a test key of yours: it reads invented data, and spends play credits.';
  } catch (error) {
    const link = Object.assign(document.createElement('a'), { href: error.signIn ?? '', textContent: 'Sign in' });
    bill.replaceChildren(`${error.message} `, ...(error.signIn === undefined ? [] : [link]));
  }
}

const chosen = document.getElementById(`sample-${localStorage.getItem(LANGUAGE)}`);
if (chosen !== null) chosen.checked = true;
samples.addEventListener('change', ({ target }) => localStorage.setItem(LANGUAGE, target.value));

if (form !== null) {
  key.value = sessionStorage.getItem(SLOT) ?? form.dataset.demoKey ?? '';
  for (const control of form.elements) control.addEventListener('input', showSamples);
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    await sendOnce();
  });
  document.getElementById('try-test-key').addEventListener('click', useTestKey);
  // Until here, a click would be lost.
  for (const button of form.querySelectorAll('button')) button.disabled = false;
  // A page that is come back to has what was typed before.
  showSamples();
}
