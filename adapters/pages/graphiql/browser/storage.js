// What GraphiQL may keep between visits: tabs and history, but never headers, because a header may be a key (U45).

const WITH_HEADERS = ['tabState', 'queries', 'favorites'].map((name) => `graphiql:${name}`);

/** Removes headers, and GraphiQL's own hash of a tab, which contains its headers in plain text. */
const withoutHeaders = (text) =>
  JSON.stringify(JSON.parse(text), (name, value) => (name === 'headers' || name === 'hash' ? null : value));

export const storage = {
  get length() {
    return localStorage.length;
  },
  getItem: (name) => localStorage.getItem(name),
  setItem(name, value) {
    if (name === 'graphiql:headers') return;
    localStorage.setItem(name, WITH_HEADERS.includes(name) ? withoutHeaders(value) : value);
  },
  removeItem: (name) => localStorage.removeItem(name),
  clear() {
    for (const name of Object.keys(localStorage)) if (name.startsWith('graphiql:')) localStorage.removeItem(name);
  },
};
