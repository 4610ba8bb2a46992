// The search in the documentation, the list of pages, and the outline of a page. The index is loaded when a search begins. Without this
// script, readers still have the list of pages.
import { createSearch, stemOf } from './docs-ranking.js';

const form = document.getElementById('docs-search');
const input = document.getElementById('docs-query');
const found = document.getElementById('docs-found');
const hits = document.getElementById('docs-hits');
// A file from a package; the two are next to each other only when served.
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
  return createSearch(MiniSearch, await response.json());
}

/** The words around the first match, with all matches marked. */
function snippet({ text, terms }) {
  const isMatch = (word) => terms.includes(stemOf(word));
  const words = text.split(/(?<=(?!_)[\s\p{P}])|(?=(?!_)[\s\p{P}])/u);
  const first = words.findIndex(isMatch);
  const at = words.slice(0, Math.max(0, first)).join('').length;
  const start = at < SNIPPET / 2 ? 0 : text.indexOf(' ', at - SNIPPET / 2) + 1;
  const parts = [start > 0 ? '… ' : ''];
  let place = 0;
  for (const word of words) {
    if (place >= start && place < start + SNIPPET) parts.push(isMatch(word) ? marked(word) : word);
    place += word.length;
  }
  return [...parts, place > start + SNIPPET ? ' …' : ''];
}

function marked(word) {
  const mark = document.createElement('mark');
  mark.textContent = word;
  return mark;
}

function hit(result) {
  const link = document.createElement('a');
  link.href = result.id;
  const name = document.createElement('strong');
  name.textContent = result.title;
  const place = document.createElement('span');
  place.className = 'of';
  place.textContent = result.of;
  const words = document.createElement('span');
  words.append(...snippet(result));
  link.append(name, ...(result.of === '' ? [] : [place]), words);
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
    const find = await load();
    // The input may have changed while the index was loading.
    if (query === input.value.trim()) show(find(query), query);
  } catch {
    found.textContent = 'The search could not be loaded. The list of pages is below.';
  }
}

/** Moves through the results with the arrow keys, and from the first one back to the field. */
function move(event) {
  if (event.key === 'Escape' && input.value !== '') {
    // Keeps a phone's menu open; the next Escape closes it.
    event.preventDefault();
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

// The list beside a page is scrolled to the page itself, and the window stays where it is.
const current = document.querySelector('.contents [aria-current]');
if (current !== null) {
  const list = current.closest('.contents');
  const topOf = (element) => element.getBoundingClientRect().top;
  list.scrollTop += topOf(current) - topOf(list) - list.clientHeight / 2;
}

// The outline is open if it has its own column, and marks the section that is being read.
const outline = document.getElementById('docs-outline');
if (outline !== null) {
  const isWide = matchMedia('(min-width: 75rem)');
  const fold = () => {
    outline.open = isWide.matches;
  };
  fold();
  isWide.addEventListener('change', fold);
  const links = new Map([...outline.querySelectorAll('a')].map((link) => [link.hash.slice(1), link]));
  const headings = [...links.keys()].map((id) => document.getElementById(id)).filter((heading) => heading !== null);
  const HEAD = 120;
  const follow = () => {
    const read = headings.filter((heading) => heading.getBoundingClientRect().top < HEAD).at(-1);
    for (const [id, link] of links) link.toggleAttribute('data-read', id === read?.id);
  };
  addEventListener('scroll', follow, { passive: true });
  follow();
}
