import type { Response } from 'undici';
import { ServiceError } from '../../../src/domain/errors.js';

/** Far more than any page; a larger body is not an answer to the request. */
const MOST_BYTES = 16 * 1024 * 1024;

/** The whole body as text. Throws `upstream_error` when it is cut short or too long. */
export async function readBody(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BYTES) {
      throw new ServiceError('upstream_error', 'The response from the network is too large.');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
