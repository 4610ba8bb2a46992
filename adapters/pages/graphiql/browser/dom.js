// Small helpers for the page that the server has rendered.

export const byId = (id) => document.getElementById(id);

/** An element with text and children; text is never read as HTML. */
export function element(tag, properties, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

const NUMBER = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });

export const figure = (value) => (typeof value === 'number' ? NUMBER.format(value) : '–');

export const inCredits = (value) => `${figure(value)} ${value === 1 ? 'credit' : 'credits'}`;
