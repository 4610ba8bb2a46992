// Keeps the balance and the newest requests of the overview up to date. Without this script, people reload the page.
const EVERY_MS = 5000;
const RAREST_MS = 60_000;
/** A page that is not used for this long stops asking, so that it does not keep a session alive. */
const UNUSED_MS = 1_800_000;
/** Screen readers announce the balance at most this often. */
const SAID_EVERY_MS = 60_000;

const said = document.getElementById('live-said');
const button = document.createElement('button');
let isPaused = false;
let isEnded = false;
let waitMs = EVERY_MS;
let timer;
let usedAt = Date.now();
let saidAt = Date.now();
let asking = false;

const isWanted = () => !isPaused && !isEnded && !document.hidden && Date.now() - usedAt < UNUSED_MS;

function plan() {
  clearTimeout(timer);
  if (isWanted()) timer = setTimeout(refresh, waitMs);
}

/** The parts as the server sent them, because local-times.js changes what is shown. */
const sent = new Map();
const atFirst = document.querySelector('main').cloneNode(true);

/** Another tab may have switched to another account, or to test mode. */
const accountOf = (shown) => shown.querySelector('#live-balance').dataset.account;

/** Replaces a part if it has changed, and keeps the focus on the link that had it. */
function put(part) {
  const old = document.getElementById(part.id);
  const before = sent.get(part.id) ?? atFirst.querySelector(`#${part.id}`);
  if (old === null || before?.isEqualNode(part)) return false;
  sent.set(part.id, part.cloneNode(true));
  const focused = old.contains(document.activeElement) ? document.activeElement : null;
  const place = focused?.getAttribute('href');
  const table = focused?.matches('.scroll');
  old.replaceWith(part);
  if (place) [...part.querySelectorAll('a')].find((link) => link.getAttribute('href') === place)?.focus();
  if (table) part.querySelector('.scroll')?.focus();
  return true;
}

function tell() {
  if (Date.now() - saidAt < SAID_EVERY_MS) return;
  saidAt = Date.now();
  said.textContent = `Balance: ${document.getElementById('live-balance').textContent}`;
}

async function refresh() {
  if (asking || !isWanted()) return;
  asking = true;
  try {
    const response = await fetch('/dashboard/live', { redirect: 'manual', signal: AbortSignal.timeout(20_000) });
    if (response.type === 'opaqueredirect') isEnded = true;
    else if (response.ok) {
      const { body } = new DOMParser().parseFromString(await response.text(), 'text/html');
      const parts = accountOf(body) === accountOf(atFirst) ? [...body.children] : [];
      const changed = parts.map((part) => put(document.adoptNode(part)));
      if (changed.includes(true)) tell();
    }
    waitMs = response.ok ? EVERY_MS : Math.min(waitMs * 2, RAREST_MS);
  } catch {
    waitMs = Math.min(waitMs * 2, RAREST_MS);
  }
  asking = false;
  if (isEnded) button.remove();
  plan();
}

/** Readers must be able to stop automatic updates (WCAG 2.2.2). */
button.type = 'button';
button.className = 'button small';
button.textContent = 'Pause updates';
button.addEventListener('click', () => {
  isPaused = !isPaused;
  button.textContent = isPaused ? 'Resume updates' : 'Pause updates';
  if (!isPaused) void refresh();
});
document.getElementById('live-control').append(button);

for (const name of ['pointerdown', 'keydown', 'visibilitychange']) {
  document.addEventListener(name, () => {
    const wasWanted = isWanted();
    usedAt = Date.now();
    if (name === 'visibilitychange' && !document.hidden) void refresh();
    else if (!wasWanted) plan();
  });
}
plan();
