// For both passkey scripts: the library, which defines a global, and a function that calls the service. Imported by its
// address: the library's own file is beside this one only where both are served.
await import(new URL('webauthn.js', import.meta.url));

export const passkeyApi = globalThis.SimpleWebAuthnBrowser;

/**
 * Shows an element that uses passkeys, if this browser supports them here. `data-origin` is set when the service could
 * not tell its own address from the request: then the browser's address decides.
 */
export function showIfPossible(element) {
  const origin = element?.dataset.origin ?? location.origin;
  if (!element || origin !== location.origin || !passkeyApi.browserSupportsWebAuthn()) return false;
  element.hidden = false;
  document.getElementById('passkeys-elsewhere')?.remove();
  return true;
}

/** Sends JSON and returns the answer's; throws an Error with the service's message, and its `reason`. */
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

/** A person who closes the browser's passkey window has done nothing wrong. */
export function wordsFor(error) {
  if (error.name === 'NotAllowedError' || error.name === 'AbortError') return 'Cancelled. You can try again.';
  if (error.name === 'InvalidStateError') return 'This device already has a passkey for this account.';
  return error.message;
}
