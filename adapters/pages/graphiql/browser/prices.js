// The price of a field beside its name, in completion and in the docs. The schema's descriptions say it.

const COSTS = /Costs ([\d.]+) per item/;

/** Short enough to stand beside a name; null where the description has no price. */
export function priceIn(description) {
  const credits = COSTS.exec(description ?? '')?.[1];
  if (credits !== undefined) return `${credits} ${credits === '1' ? 'credit' : 'credits'} each`;
  return /(^|\. )Free[.,:]/.test(description ?? '') ? 'free' : null;
}

/** An attribute that the style sheet shows: GraphiQL's own nodes are not changed. */
function mark(node, description) {
  const price = priceIn(description);
  if (price === null) delete node.dataset.price;
  else if (node.dataset.price !== price) node.dataset.price = price;
}

/** Prices in the list of a completion, whenever one opens in this editor. */
export function priceCompletion(editor) {
  editor.on('hasCompletion', (_, hints) =>
    editor.constructor.on(hints, 'shown', () => {
      const shown = document.querySelectorAll('.CodeMirror-hints > li');
      for (const [n, node] of shown.entries()) mark(node, hints.list[n]?.description);
    }),
  );
}

/** Prices in the docs; `definition()` returns what they show now. */
export function priceDocs(root, definition) {
  const markAll = () => {
    const shown = definition();
    for (const node of root.querySelectorAll('.graphiql-doc-explorer-field-name')) {
      mark(node, shown?.getFields?.()[node.textContent]?.description);
    }
    const title = root.querySelector('.graphiql-doc-explorer-title');
    if (title !== null) mark(title, shown?.args ? shown.description : null);
  };
  new MutationObserver(markAll).observe(root, { childList: true, subtree: true, characterData: true });
}
