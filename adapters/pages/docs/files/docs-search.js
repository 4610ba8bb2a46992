// The search of the documentation. It loads the index when a search begins. Without this script, the list of pages remains.
const form = document.getElementById('docs-search');
const input = document.getElementById('docs-query');
const found = document.getElementById('docs-found');
const hits = document.getElementById('docs-hits');
// A file of a package: it is beside this one only where both are served.
const LIBRARY = './minisearch.js';
const MOST_HITS = 12;
const SNIPPET = 120;

let loading;
const load = () => {
  loading ??= read().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
};

async function read() {
  const [{ default: MiniSearch }, response] = await Promise.all([import(LIBRARY), fetch('/docs/search.json')]);
  if (!response.ok) throw new Error(`The index cannot be read: ${response.status}`);
  const index = new MiniSearch({
    fields: ['heading', 'page', 'text'],
    storeFields: ['page', 'heading', 'text'],
    searchOptions: { boost: { heading: 3, page: 2 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' },
  });
  index.addAll(await response.json());
  return index;
}

/** The words around the first match. */
function snippet({ text, terms }) {
  const lower = text.toLowerCase();
  const at = Math.max(0, ...terms.map((term) => lower.indexOf(term)).slice(0, 1));
  const from = at < SNIPPET / 2 ? 0 : lower.indexOf(' ', at - SNIPPET / 2) + 1;
  const cut = text.slice(from, from + SNIPPET);
  return `${from > 0 ? '… ' : ''}${cut}${from + SNIPPET < text.length ? ' …' : ''}`;
}

function hit(result) {
  const link = document.createElement('a');
  link.href = result.id;
  const name = document.createElement('strong');
  name.textContent = result.heading === '' ? result.page : `${result.page}: ${result.heading}`;
  const words = document.createElement('span');
  words.textContent = snippet(result);
  link.append(name, words);
  const item = document.createElement('li');
  item.append(link);
  return item;
}

function show(results, query) {
  hits.replaceChildren(...results.slice(0, MOST_HITS).map(hit));
  hits.hidden = results.length === 0;
  if (query === '') found.textContent = '';
  else if (results.length === 0) found.textContent = `Nothing found for “${query}”.`;
  else if (results.length > MOST_HITS) found.textContent = `The best ${MOST_HITS} of ${results.length} sections`;
  else found.textContent = results.length === 1 ? '1 section' : `${results.length} sections`;
}

async function search() {
  const query = input.value.trim().slice(0, input.maxLength);
  if (query === '') return show([], '');
  try {
    const index = await load();
    // Something else may have been typed while the index was on its way.
    if (query === input.value.trim()) show(index.search(query), query);
  } catch {
    found.textContent = 'The search could not be loaded. The list of pages is below.';
  }
}

/** The arrow keys go through the results, and from the first one back to the field. */
function move(event) {
  if (event.key === 'Escape') {
    input.value = '';
    input.focus();
    show([], '');
    return;
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || hits.hidden) return;
  const stops = [input, ...hits.querySelectorAll('a')];
  const next = stops[stops.indexOf(document.activeElement) + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

input.addEventListener('focus', () => load().catch(() => {}), { once: true });
input.addEventListener('input', search);
form.addEventListener('keydown', move);
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  await search();
  hits.querySelector('a')?.focus();
});
const asked = new URLSearchParams(location.search).get('q');
if (asked !== null) {
  input.value = asked.slice(0, input.maxLength);
  void search();
}
