/** The bytes of a `Rendered` in one encoding, as far as whoever encoded them needs them to go on from there. */
export interface Encoded {
  readonly bytes: Buffer;
  /** CRC-32 of what was encoded. */
  readonly checksum: number;
}

/** What calls with the same answer share of it, as one interface sends it, and the same encoded: each once, when first asked for. */
export class Rendered {
  readonly bytes: Buffer;
  readonly #encoded = new Map<string, Encoded>();
  #grown = (): void => {};

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Bytes of all that is kept of it. */
  get size(): number {
    let size = this.bytes.length;
    for (const { bytes } of this.#encoded.values()) size += bytes.length;
    return size;
  }

  get(encoding: string): Encoded | undefined {
    return this.#encoded.get(encoding);
  }

  set(encoding: string, encoded: Encoded): void {
    this.#encoded.set(encoding, encoded);
    this.#grown();
  }

  /** Told whenever there is one more encoding: what keeps it weighs it again. */
  whenGrown(grown: () => void): void {
    this.#grown = grown;
  }
}
