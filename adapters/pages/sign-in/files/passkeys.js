// Adds a passkey in the passkey panel. Removing one needs no script.
import { passkeyApi, post, showIfPossible, wordsFor } from './webauthn-page.js';

const form = document.getElementById('add-passkey');
if (showIfPossible(form)) {
  const button = form.querySelector('button');
  const status = form.querySelector('[role=status]');
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    status.textContent = '';
    try {
      const optionsJSON = await post('/dashboard/passkeys/options', {});
      const response = await passkeyApi.startRegistration({ optionsJSON });
      await post('/dashboard/passkeys', { response, name: form.elements.namedItem('name').value });
      location.reload();
    } catch (error) {
      status.textContent = wordsFor(error);
      document.getElementById('sign-in-again').hidden = error.reason !== 'sign_in_again';
      button.disabled = false;
    }
  });
}
