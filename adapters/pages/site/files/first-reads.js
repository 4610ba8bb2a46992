// Runs the first reads on a demo's front page, by sending what the blocks show. Without this script they are just text.
const reads = document.querySelector('[data-demo-key]');
const { demoKey, handles } = reads.dataset;
const answer = document.getElementById('first-answer');
const bill = document.getElementById('first-bill');
const sample = answer.textContent;
const runButtons = [];
let isRunning = false;

const figure = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });
const inCredits = (value) => `${figure.format(value)} ${value === 1 ? 'credit' : 'credits'}`;

const FROM = {
  miss: 'read from the network. Run it again: it is cached now and costs half.',
  hit: 'served from cache, at half price.',
  mixed: 'partly read from the network, partly served from cache at half price.',
  bypass: 'read fresh from the network, at double price.',
};

/** Charge, balance and source, which REST and GraphQL report in different places. Null if nothing could be charged. */
function receiptOf({ credits_charged: charged, balance_remaining: remaining, cache, extensions }) {
  return extensions?.credits ?? (charged === undefined ? null : { charged, remaining, cache });
}

function billFor(body) {
  const failure = body.errors?.[0] ?? body.error;
  const reason = failure?.extensions?.reason ?? failure?.reason;
  if (reason === 'charge_unknown') return `${failure.message} The next response shows your balance.`;
  if (failure !== undefined) return `Nothing charged. ${failure.message}`;
  const { charged, remaining, cache: label, breakdown } = receiptOf(body);
  const cache = new Set(breakdown?.map((line) => line.cache)).size > 1 ? 'mixed' : label;
  return `${inCredits(charged)} charged, ${inCredits(remaining)} left: ${FROM[cache] ?? cache}`;
}

async function send({ dataset: { run: path }, textContent }) {
  const headers = { 'x-api-key': demoKey, accept: 'application/json' };
  const post = {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ query: textContent }),
  };
  const response = await fetch(path, path === '/graphql' ? post : { headers });
  return response.json();
}

/** Does not set `disabled`, so that a focused button keeps the focus. */
function setRunning(value) {
  isRunning = value;
  for (const button of runButtons) button.setAttribute('aria-disabled', String(value));
}

async function run(block) {
  if (isRunning) return;
  setRunning(true);
  bill.textContent = 'Reading…';
  try {
    const body = await send(block);
    answer.textContent = JSON.stringify(body, null, 2);
    bill.textContent = billFor(body);
  } catch {
    // A read is charged even if its answer is lost in transit.
    bill.textContent = 'No response: is the service still running? The next response shows your balance.';
    answer.textContent = sample;
  }
  setRunning(false);
  answer.closest('figure').scrollIntoView({ block: 'nearest' });
}

for (const block of reads.querySelectorAll('[data-run]')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'run';
  button.textContent = 'Run';
  button.setAttribute('aria-label', `Run ${block.dataset.run === '/graphql' ? 'the query' : 'the call'}`);
  button.addEventListener('click', () => run(block));
  runButtons.push(button);
  block.after(button);
}

/** Replaces the account in the address and in both texts. */
function ask(handle) {
  for (const block of reads.querySelectorAll('[data-run]')) {
    block.firstElementChild.textContent = block.textContent.replaceAll(reads.dataset.handle, handle);
    block.dataset.run = block.dataset.run.replaceAll(reads.dataset.handle, handle);
  }
  reads.dataset.handle = handle;
  bill.textContent = '';
  answer.textContent = sample;
}

const choice = document.createElement('select');
choice.id = 'first-account';
choice.append(...handles.split(' ').map((handle) => new Option(`@${handle}`, handle)));
choice.addEventListener('change', () => ask(choice.value));
const label = document.createElement('label');
label.htmlFor = choice.id;
label.textContent = 'Account';
const line = document.createElement('p');
line.className = 'whom';
line.append(label, choice);
reads.before(line);
