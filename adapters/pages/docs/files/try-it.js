// Sends the call that the form describes, with the visitor's key, and says what it cost. The key is kept for this tab only,
// where GraphiQL keeps it, too.
import { takeTestKey } from './test-key.js';

const SLOT = 'perch.key';
const form = document.getElementById('try-form');
const key = document.getElementById('try-key');
const text = document.getElementById('try-body');
const fault = document.getElementById('try-body-fault');
const bill = document.getElementById('try-bill');
const answer = document.getElementById('try-answer');
const figure = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });
let isRunning = false;

/** The address of the call: path and query, from the fields that were filled in. */
function address() {
  let { path } = form.dataset;
  const query = new URLSearchParams();
  for (const { name, value, dataset } of form.querySelectorAll('input[name]')) {
    if (dataset.in === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value.trim()));
    else if (value.trim() !== '') query.set(name, value.trim());
  }
  return query.size > 0 ? `${path}?${query}` : path;
}

/** Why the body is no JSON object; '' if it is one, or there is none. */
function faultOfBody() {
  if (text === null) return '';
  try {
    const body = JSON.parse(text.value);
    return typeof body === 'object' && body !== null && !Array.isArray(body) ? '' : 'The body must be a JSON object.';
  } catch (error) {
    return `The body is not JSON: ${error.message}`;
  }
}

function check() {
  if (text === null) return true;
  const message = faultOfBody();
  fault.textContent = message;
  text.setAttribute('aria-invalid', String(message !== ''));
  if (message !== '') text.focus();
  return message === '';
}

async function send() {
  const headers = { 'x-api-key': key.value.trim(), accept: 'application/json' };
  const posted = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: text?.value };
  const response = await fetch(address(), text === null ? { headers } : posted);
  const body = await response.json();
  const charged = Number(response.headers.get('x-credits-charged') ?? body.credits_charged ?? 0);
  const left = response.headers.get('x-credits-remaining');
  const rest = left === null ? '' : `, ${figure.format(Number(left))} left`;
  const cost =
    charged === 0 ? 'nothing charged' : `${figure.format(charged)} ${charged === 1 ? 'credit' : 'credits'} charged`;
  bill.textContent = `${response.status}: ${cost}${rest}. ${body.error?.message ?? ''}`;
  answer.querySelector('code').textContent = JSON.stringify(body, null, 2);
  answer.hidden = false;
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
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
});

document.getElementById('try-test-key').addEventListener('click', async () => {
  try {
    key.value = await takeTestKey();
    sessionStorage.setItem(SLOT, key.value);
    bill.textContent = 'This is a test key of yours: it reads invented data, and spends play credits.';
  } catch (error) {
    const link = Object.assign(document.createElement('a'), { href: error.signIn ?? '', textContent: 'Sign in' });
    bill.replaceChildren(`${error.message} `, ...(error.signIn === undefined ? [] : [link]));
  }
});

key.value = sessionStorage.getItem(SLOT) ?? form.dataset.demoKey ?? '';
