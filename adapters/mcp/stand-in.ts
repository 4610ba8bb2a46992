import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Piece } from '../http/bodies/encodings.js';
import type { Exchanged } from './exchange.js';

/**
 * What the protocol's library gets in place of a result: it checks and copies every member of one, which for a page is
 * more work than all the rest of the call.
 */
export const STAND_IN = { content: [{ type: 'text', text: '' }], structuredContent: {} } satisfies CallToolResult;

/** Its members as the library writes them. No string of a message can contain this text: its quotes would be escaped. */
const WRITTEN = JSON.stringify(STAND_IN).slice(1, -1);

/** The library's message with the members of the result in place of the stand-in's. */
export function completed({ bytes }: Exchanged, members: readonly Piece[]): Piece[] {
  const message = String(bytes);
  const at = message.indexOf(WRITTEN);
  if (at < 0) throw new TypeError('The result of a tool is not in the message that was made of it.');
  return [Buffer.from(message.slice(0, at)), ...members, Buffer.from(message.slice(at + WRITTEN.length))];
}
