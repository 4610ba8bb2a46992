// Gets a test key of the signed-in customer, made for this browser's session on a click. It reads invented data and
// expires by itself.

/** Resolves with the key. Throws an Error that says what to do; if no one is signed in, its `signIn` is an address. */
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
  // Visitors who are not signed in are redirected to sign-in.
  if (response.type === 'opaqueredirect') {
    const signIn = `/sign-in?${new URLSearchParams({ next: here })}`;
    throw Object.assign(new Error('Test keys are free, but need an account.'), { signIn });
  }
  const body = await response.json().catch(() => ({}));
  if (response.ok && typeof body.key === 'string') return body.key;
  throw new Error(body.error?.message ?? 'No test key could be made. Create one in the dashboard.');
}
