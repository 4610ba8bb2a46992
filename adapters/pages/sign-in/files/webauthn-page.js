// For both passkey scripts: the library, which defines a global, and a function that calls the service. The library is
// imported by its address, because its file is next to this one only when both are served.
await import(new URL('webauthn.js', import.meta.url));

export const passkeyApi = globalThis.SimpleWebAuthnBrowser;

/**
 * Shows an element that uses passkeys, if this browser supports them here. `data-origin` is set if the service could
 * not tell its own address from the request; then the browser's address decides.
 */
export function showIfPossible(element) {
  const origin = element?.dataset.origin ?? location.origin;
  if (!element || origin !== location.origin || !passkeyApi.browserSupportsWebAuthn()) return false;
  element.hidden = false;
  document.getElementById('passkeys-elsewhere')?.remove();
  return true;
}

/** Sends JSON and returns the JSON of the answer. Throws an Error with the service's message and `reason`. */
export async function post(path, body) {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const result = await answer.json();
  if (!answer.ok) {
    const words = result.error?.message ?? 'The service did not respond. Try again.';
    throw Object.assign(new Error(words), { reason: result.error?.reason });
  }
  return result;
}

/** The message for an error. Closing the browser's passkey window only counts as cancelling. */
export function wordsFor(error) {
  if (error.name === 'NotAllowedError' || error.name === 'AbortError') return 'Cancelled. You can try again.';
  if (error.name === 'InvalidStateError') return 'This device already has a passkey for this account.';
  return error.message;
}
