import { type Cipher, createCipheriv, createHash } from 'node:crypto';

const CHUNK = Buffer.alloc(65_536);

/** A stream of bytes that a seed determines. */
export class Random {
  readonly #cipher: Cipher;
  #bytes: Buffer = Buffer.alloc(0);
  #place = 0;

  constructor(seed: string) {
    const key = createHash('sha256').update(seed).digest();
    this.#cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  }

  bytes(count: number): Buffer {
    if (this.#place + count > this.#bytes.length) {
      this.#bytes = this.#cipher.update(CHUNK);
      this.#place = 0;
    }
    this.#place += count;
    return this.#bytes.subarray(this.#place - count, this.#place);
  }

  /** An integer from 0 to `limit` − 1, for limits that are small beside 2^48. */
  below(limit: number): number {
    return this.bytes(6).readUIntLE(0, 6) % limit;
  }

  /** An integer from `least` to `most`. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  u64(): bigint {
    return this.bytes(8).readBigUInt64LE();
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }
}
