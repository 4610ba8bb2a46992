// A test key of the customer who is signed in, made for this browser's session on a click: it reads invented data, and ends by itself.

/** Resolves with the key. Throws an Error that says what to do, with `signIn`, an address, where nobody is signed in. */
export async function takeTestKey() {
  const here = location.pathname + location.search;
  const headers = { accept: 'application/json' };
  const response = await fetch('/dashboard/test-key', {
    method: 'POST',
    headers,
    body: new URLSearchParams(),
    redirect: 'manual',
    cache: 'no-store',
  }).catch(() => null);
  if (response === null) throw new Error('The service could not be reached. Is it still running?');
  // Visitors are sent to sign in.
  if (response.type === 'opaqueredirect') {
    const signIn = `/sign-in?${new URLSearchParams({ next: here })}`;
    throw Object.assign(new Error('Test keys are free, but need an account.'), { signIn });
  }
  const body = await response.json().catch(() => ({}));
  if (response.ok && typeof body.key === 'string') return body.key;
  throw new Error(body.error?.message ?? 'No test key could be made. Create one in the dashboard.');
}
