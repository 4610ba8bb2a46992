/** The bytes of a `Rendered` in one encoding, with what the encoder needs to append to them. */
export interface Encoded {
  readonly bytes: Buffer;
  /** CRC-32 of the bytes before encoding. */
  readonly checksum: number;
}

/**
 * Copies bytes that share a larger block of memory. Node cuts small buffers from slabs of 8 KiB, and compressors leave
 * room after their result: the whole block would stay in memory as long as the bytes.
 */
function alone(bytes: Buffer): Buffer {
  if (bytes.length === bytes.buffer.byteLength) return bytes;
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

/**
 * The part of a rendered answer that calls to one interface share, and its encodings, each made when first needed.
 */
export class Rendered {
  readonly bytes: Buffer;
  readonly #encoded = new Map<string, Encoded>();
  #grown = (): void => {};

  constructor(bytes: Buffer) {
    this.bytes = alone(bytes);
  }

  /** Bytes of everything it keeps. */
  get size(): number {
    let size = this.bytes.length;
    for (const { bytes } of this.#encoded.values()) size += bytes.length;
    return size;
  }

  get(encoding: string): Encoded | undefined {
    return this.#encoded.get(encoding);
  }

  set(encoding: string, encoded: Encoded): void {
    this.#encoded.set(encoding, { ...encoded, bytes: alone(encoded.bytes) });
    this.#grown();
  }

  /** Sets a callback for each new encoding, so that the owner can weigh it again. */
  whenGrown(grown: () => void): void {
    this.#grown = grown;
  }
}
