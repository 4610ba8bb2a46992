// Sends a form once when it is clicked twice. For the second request the browser would drop the answer to the first,
// which may be the only page that ever shows a new key. Without this script, forms are sent as often as they are clicked.

/** A form whose answer is a file, or never arrives, stays on the page; it can be sent again after this time. */
const AGAIN_MS = 10_000;

let sent = new WeakSet();

document.addEventListener('submit', (event) => {
  const form = event.target;
  // Forms of scripts do not leave the page.
  if (event.defaultPrevented || form.method !== 'post') return;
  if (sent.has(form)) return event.preventDefault();
  sent.add(form);
  setTimeout(() => sent.delete(form), AGAIN_MS);
});

// The browser may show the page again as it was left.
addEventListener('pageshow', () => {
  sent = new WeakSet();
});
