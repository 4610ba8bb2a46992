import { expect, it } from 'vitest';
import { gzipPieces } from '../../../adapters/http/bodies/encodings.js';
import { RenderedResult } from '../../../adapters/mcp/rendered-result.js';

it('weighs a kept result with its envelope, lines and encodings, and reports when it grows', () => {
  const result = new RenderedResult(Buffer.from('{"data":{"id":"1"}'), 'one "line"\n');
  expect(String(result.lines.bytes)).toBe('one \\"line\\"\\n');
  const plain = result.size;
  expect(plain).toBe(result.bytes.length + result.lines.bytes.length);
  const sizes: number[] = [];
  result.whenGrown(() => sizes.push(result.size));
  gzipPieces([result.lines, Buffer.from('own'), result]);
  expect(sizes).toHaveLength(2);
  expect(plain).toBeLessThan(sizes[0] ?? 0);
  expect(sizes[0]).toBeLessThan(sizes[1] ?? 0);
});
