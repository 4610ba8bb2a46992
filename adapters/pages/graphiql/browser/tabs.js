// Turns GraphiQL's tabs into a list, each with a button that opens it and one that closes it. GraphiQL writes tabs with buttons
// inside, which a screen reader cannot reach (WCAG 4.1.2).

/** Sets only what differs: the observer also sees these changes. */
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
