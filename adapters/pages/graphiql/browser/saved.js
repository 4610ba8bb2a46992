// Queries that the reader saves under a name, only in this browser and without headers, because a header may be a key.

import { byId, element } from './dom.js';
import { storageNamed } from './storage.js';

const SLOT = 'perch.saved';
const local = storageNamed('localStorage');
/** The most queries, and the most characters of one with its variables; no service would run longer ones. */
const MOST = 50;
const MOST_CHARACTERS = 40_000;

/** `[{ name, query, variables }]`; ignores anything else that is stored there. */
function readSaved() {
  try {
    const saved = JSON.parse(local.getItem(SLOT) ?? '[]');
    return Array.isArray(saved) ? saved.filter(({ name, query }) => name && typeof query === 'string') : [];
  } catch {
    return [];
  }
}

/** Throws an error with a message for the reader. */
function save(row) {
  if (row.name === '') throw new Error('Give the query a name.');
  if (row.query.length + row.variables.length > MOST_CHARACTERS) throw new Error('The query is too long to be saved.');
  const others = readSaved().filter(({ name }) => name !== row.name);
  if (others.length >= MOST) throw new Error(`You already have ${MOST} saved queries. Delete one first.`);
  const rows = [...others, row].sort((a, b) => a.name.localeCompare(b.name));
  try {
    local.setItem(SLOT, JSON.stringify(rows));
  } catch {
    throw new Error('This browser has no storage left for the query.');
  }
}

/** `current()` returns, and `open(request)` takes, `{ query, variables }` as texts. */
export function listenToSaved({ current, open }) {
  const [field, said] = [byId('save-name'), byId('save-said')];
  const tell = (text, isWrong = false) => {
    said.textContent = text;
    if (isWrong) field.setAttribute('aria-invalid', 'true');
    else field.removeAttribute('aria-invalid');
  };
  const show = () => {
    const rows = readSaved().map((row) => {
      const opener = element('button', { type: 'button', className: 'opens' }, row.name);
      opener.addEventListener('click', () => {
        byId('saved').hidePopover();
        open(row);
      });
      const remover = element('button', { type: 'button', ariaLabel: `Delete ${row.name}` }, 'Delete');
      remover.addEventListener('click', () => {
        local.setItem(SLOT, JSON.stringify(readSaved().filter(({ name }) => name !== row.name)));
        tell(`Deleted ${row.name}.`);
        show();
        field.focus();
      });
      return element('li', {}, opener, remover);
    });
    byId('saved-list').replaceChildren(...rows);
  };
  byId('saved').addEventListener('beforetoggle', ({ newState }) => {
    if (newState !== 'open') return;
    tell('');
    show();
  });
  byId('save-form').addEventListener('submit', (event) => {
    event.preventDefault();
    const name = field.value.trim();
    try {
      save({ ...current(), name });
    } catch (error) {
      tell(error.message, true);
      return;
    }
    field.value = '';
    tell(`Saved as ${name}.`);
    show();
  });
}
