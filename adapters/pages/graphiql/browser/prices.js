// Shows the price of a field beside its name, in completion and in the docs. It comes from the schema's descriptions.

const COSTS = /Costs ([\d.]+) per item/;

/** The price, short enough to stand beside a name; null if the description has none. */
export function priceIn(description) {
  const credits = COSTS.exec(description ?? '')?.[1];
  if (credits !== undefined) return `${credits} ${credits === '1' ? 'credit' : 'credits'} each`;
  return /(^|\. )Free[.,:]/.test(description ?? '') ? 'free' : null;
}

/** Sets an attribute that the style sheet shows, so that GraphiQL's own nodes stay unchanged. */
function mark(node, description) {
  const price = priceIn(description);
  if (price === null) delete node.dataset.price;
  else if (node.dataset.price !== price) node.dataset.price = price;
}

/** Shows prices in completion lists, whenever one opens in this editor. */
export function priceCompletion(editor) {
  editor.on('hasCompletion', (_, hints) =>
    editor.constructor.on(hints, 'shown', () => {
      const shown = document.querySelectorAll('.CodeMirror-hints > li');
      for (const [n, node] of shown.entries()) mark(node, hints.list[n]?.description);
    }),
  );
}

/** Shows prices in the docs; `definition()` returns what the docs show now. */
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
