// The sign-in page: moves a link's secret into its form, and signs in with a passkey.
import { passkeyApi, post, showIfPossible, wordsFor } from './webauthn-page.js';

const SECRET = /^#([\w-]{43})$/;

/**
 * Removes the secret from the address at once, because it must not stay among the visited addresses. The state of the
 * tab's history entry keeps it instead, so that it survives a reload. Only a click spends it.
 */
function takeLink() {
  const [, secret = history.state?.link] = SECRET.exec(location.hash) ?? [];
  if (secret === undefined) {
    if (isDamaged(location.hash)) sayAnotherIsNeeded(document.getElementById('by-link'));
    return;
  }
  history.replaceState({ link: secret }, '', location.pathname + location.search);
  const form = document.getElementById('by-link');
  form.elements.namedItem('token').value = secret;
  form.hidden = false;
  document.getElementById('ways').hidden = true;
  void sayWhose(form, secret);
}

/** Whether part of a link's secret is missing, as after a line break in a mail: other hashes name a part of the page. */
const isDamaged = (hash) => hash.length > 1 && document.getElementById(hash.slice(1)) === null;

/**
 * Says whose account the link opens, so that people do not sign in to a stranger's by mistake, or that the link was
 * used or has expired. If the service cannot be reached, the answer to the click says so.
 */
async function sayWhose(form, token) {
  const button = form.querySelector('button');
  const seen = form.elements.namedItem('seen');
  const whose = document.getElementById('whose');
  button.disabled = true;
  seen.value = '';
  whose.textContent = '';
  try {
    const { name } = await post('/sign-in/whose', { token });
    whose.textContent = ` for ${name}`;
    seen.value = '1';
  } catch (error) {
    if (error.reason === 'link_spent') return sayAnotherIsNeeded(form);
  }
  button.disabled = false;
  button.focus();
}

function sayAnotherIsNeeded(form) {
  history.replaceState(null, '', location.pathname + location.search);
  form.hidden = true;
  document.getElementById('ways').hidden = false;
  const notice = document.getElementById('spent');
  notice.hidden = false;
  notice.tabIndex = -1;
  notice.focus();
}

takeLink();
addEventListener('hashchange', takeLink);

const byPasskey = document.getElementById('by-passkey');
if (showIfPossible(byPasskey)) {
  const button = byPasskey.querySelector('button');
  const status = byPasskey.querySelector('[role=status]');
  button.addEventListener('click', async () => {
    button.disabled = true;
    status.textContent = '';
    try {
      const optionsJSON = await post('/sign-in/passkey/options', {});
      const response = await passkeyApi.startAuthentication({ optionsJSON });
      const { location: there } = await post('/sign-in/passkey', { response, next: byPasskey.dataset.next });
      location.assign(there);
    } catch (error) {
      status.textContent = wordsFor(error);
      button.disabled = false;
    }
  });
}
