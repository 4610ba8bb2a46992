import { deflateRawSync } from 'node:zlib';

const TABLE = Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit += 1) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
  return rest;
});

function crcOf(content: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of content) crc = (TABLE[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/** Fields of a header, each with its number of bytes. */
const header = (...fields: readonly (readonly [bytes: 2 | 4, value: number])[]): Buffer =>
  Buffer.concat(
    fields.map(([bytes, value]) => {
      const field = Buffer.alloc(bytes);
      field.writeUIntLE(value, 0, bytes);
      return field;
    }),
  );

/** A zip of these files, deflated as in a download. */
export function zipOf(files: Readonly<Record<string, string | Buffer>>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const packed = deflateRawSync(content);
    const crc = crcOf(Buffer.from(content));
    const common = [
      [2, 0x800],
      [2, 8],
      [2, 0],
      [2, 33],
      [4, crc],
      [4, packed.length],
      [4, Buffer.byteLength(content)],
      [2, Buffer.byteLength(name)],
      [2, 0],
    ] as const;
    const local = Buffer.concat([header([4, 0x04034b50], [2, 20], ...common), Buffer.from(name), packed]);
    directory.push(
      header([4, 0x02014b50], [2, 20], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]),
      Buffer.from(name),
    );
    parts.push(local);
    offset += local.length;
  }
  const entries = Buffer.concat(directory);
  const count = Object.keys(files).length;
  const end = header([4, 0x06054b50], [2, 0], [2, 0], [2, count], [2, count], [4, entries.length], [4, offset], [2, 0]);
  return Buffer.concat([...parts, entries, end]);
}
