import { badRequest, type ServiceError } from '../domain/errors.js';
import { readable, sentence } from '../lib/text.js';

const MOST_URL = 2000;

export const unusableAddress = (why: string): ServiceError =>
  badRequest(`This address cannot be used. ${sentence(why)}`, 'webhook_url');

/** The URL of a webhook, whose `href` is the one spelling that is stored. Throws `bad_request`. */
export function parseWebhookUrl(text: string): URL {
  if (text.length > MOST_URL)
    throw unusableAddress(`It can have at most ${MOST_URL.toLocaleString('en-US')} characters.`);
  // Otherwise a URL would take U+FFFD or `%00` in their place.
  if (readable(text) !== text) throw unusableAddress('It has U+0000 or half of a surrogate pair.');
  if (!URL.canParse(text)) throw unusableAddress('It should look like https://example.com/webhooks/perch.');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') throw unusableAddress('It must not contain a user name or password.');
  return url;
}
