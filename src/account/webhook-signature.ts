import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

/** The secret of an alert's or watch's webhook, as given to its owner. Derived, so that it need not be stored. */
export const webhookSecret = (root: Uint8Array, accountId: string, id: string): string =>
  PREFIX + createHmac('sha256', root).update(`${accountId} ${id}`).digest('base64');

/**
 * The headers of Standard Webhooks (standardwebhooks.com): id, time in seconds, and HMAC-SHA-256 of
 * `id.timestamp.body`. Receivers can check them with existing libraries. The package `standardwebhooks` is not used
 * here because it hashes in JavaScript, which takes seven times as long.
 */
export function webhookHeaders(
  secret: string,
  { id, atMs, body }: { readonly id: string; readonly atMs: number; readonly body: string },
): Record<string, string> {
  const seconds = Math.floor(atMs / 1000);
  const signature = createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(`${id}.${seconds}.${body}`)
    .digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${signature}` };
}
