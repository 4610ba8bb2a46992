// Turns GraphiQL's tabs into a list of items, each with a button to open and one to close it. GraphiQL puts these
// buttons inside tabs, where a screen reader cannot reach them (WCAG 4.1.2).

/** Sets an attribute only if it differs, because the observer also sees these changes. */
function set(node, name, value) {
  if (node === null || node.getAttribute(name) === value) return;
  if (value === null) node.removeAttribute(name);
  else node.setAttribute(name, value);
}

function asList(root) {
  set(root.querySelector('.graphiql-tabs'), 'role', 'group');
  set(root.querySelector('#graphiql-session'), 'role', 'region');
  for (const tab of root.querySelectorAll('.graphiql-tab')) {
    set(tab, 'role', 'presentation');
    set(tab, 'aria-selected', null);
    const isOpen = tab.classList.contains('graphiql-tab-active');
    const opens = tab.querySelector('.graphiql-tab-button');
    set(opens, 'aria-pressed', String(isOpen));
    set(tab.querySelector('.graphiql-tab-close'), 'aria-label', `Close ${opens?.textContent}`);
  }
}

/** Keeps the tabs a list when GraphiQL renders them again. */
export function keepTabsReachable(root) {
  new MutationObserver(() => asList(root)).observe(root, {
    childList: true,
    subtree: true,
    attributeFilter: ['role', 'aria-selected', 'class'],
  });
}
