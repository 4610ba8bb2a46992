// What GraphiQL may keep between visits: tabs and history, but never headers, because a header may be a key (U45).

/** The browser's storage of this name. If the browser refuses access, what is kept is lost with the page. */
export function storageNamed(name) {
  try {
    return window[name];
  } catch {
    const kept = new Map();
    return {
      getItem: (slot) => kept.get(slot) ?? null,
      setItem: (slot, value) => void kept.set(slot, value),
      removeItem: (slot) => void kept.delete(slot),
    };
  }
}

const local = storageNamed('localStorage');

const WITH_HEADERS = ['tabState', 'queries', 'favorites'].map((name) => `graphiql:${name}`);

/** Removes headers, and GraphiQL's own hash of a tab, which contains its headers in plain text. */
const withoutHeaders = (text) =>
  JSON.stringify(JSON.parse(text), (name, value) => (name === 'headers' || name === 'hash' ? null : value));

export const storage = {
  get length() {
    return local.length;
  },
  getItem: (name) => local.getItem(name),
  setItem(name, value) {
    if (name === 'graphiql:headers') return;
    local.setItem(name, WITH_HEADERS.includes(name) ? withoutHeaders(value) : value);
  },
  removeItem: (name) => local.removeItem(name),
  clear() {
    for (const name of Object.keys(local)) if (name.startsWith('graphiql:')) local.removeItem(name);
  },
};
