// For the page that a mailed link leads to: moves the link's secret into the form. Without this script, people paste
// it.
const SECRET = /^#change=([\w-]{43})$/;

/** Removes the secret from the address at once, because it must not stay in the history. Only a click spends it. */
function takeLink() {
  const [, secret] = SECRET.exec(location.hash) ?? [];
  if (secret === undefined) return;
  history.replaceState(null, '', location.pathname + location.search);
  const field = document.getElementById('token');
  field.value = secret;
  field.form.querySelector('button').focus();
}

takeLink();
addEventListener('hashchange', takeLink);
