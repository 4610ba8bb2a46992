const STRING = 24;
const OBJECT = 32;
const SLOT = 8;

const BEYOND_LATIN = /[\u0100-\uffff]/;

/**
 * Estimated bytes of memory that a plain value (JSON, or bytes) takes. As in V8: 1 per character of Latin text and 2 of
 * any other; 8 per number or reference; 24 to 32 per string or object. It overstates shared values (short strings, the
 * author of many tweets), so a bound in these bytes is not exceeded. Walks the value once, only at `set`.
 */
export function bytesOf(value: unknown): number {
  if (typeof value === 'string') return STRING + value.length * (BEYOND_LATIN.test(value) ? 2 : 1);
  if (typeof value !== 'object' || value === null) return SLOT;
  if (ArrayBuffer.isView(value)) return OBJECT + value.byteLength;
  let bytes = OBJECT;
  // Keys are not counted: objects of one shape share them.
  for (const item of Array.isArray(value) ? value : Object.values(value)) bytes += SLOT + bytesOf(item);
  return bytes;
}
