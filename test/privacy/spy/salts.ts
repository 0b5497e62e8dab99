import { createHash, createHmac } from 'node:crypto';
import { addressToBytes, SALT_BYTES } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Evidence } from './evidence.ts';
import { listsOf, turnsOf } from './sight.ts';

const first = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes.subarray(0, SALT_BYTES));
const sha = (...parts: Uint8Array[]): Uint8Array => createHash('sha256').update(Buffer.concat(parts)).digest();

function number(value: bigint): Uint8Array {
  const bytes = Buffer.alloc(SALT_BYTES);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

/** Everything of 16 bytes that somebody could have taken for a salt or a blind without drawing it: from what is public, or what a colleague has. */
export class Guesses {
  readonly #same: Uint8Array[];
  readonly #secrets: Uint8Array[];

  constructor(evidence: Evidence) {
    const lists = listsOf(evidence);
    const publicAddresses = new Set(lists.flatMap(({ schedule, vault, mint }) => [schedule, vault, mint]));
    const publicBytes = [...publicAddresses].map((address) => addressToBytes(address as Address));
    const roots = lists.map(({ root }) => Buffer.from(root, 'hex'));
    const times = new Set(turnsOf(evidence, 'WindowOpened').flatMap(({ at }) => [at, Math.floor(at / 1_000)]));
    this.#same = [
      new Uint8Array(SALT_BYTES),
      new Uint8Array(SALT_BYTES).fill(0xff),
      Uint8Array.from({ length: SALT_BYTES }, (_, place) => place),
      Buffer.from(evidence.colleague.salt, 'hex'),
      Buffer.from(evidence.colleague.liabilities.blind, 'hex'),
      ...[...publicBytes, ...roots].flatMap((bytes) => [
        first(bytes),
        first(bytes.subarray(SALT_BYTES)),
        first(sha(bytes)),
      ]),
      ...[...times].map((time) => number(BigInt(time))),
      ...Array.from({ length: 16 }, (_, index) => number(BigInt(index + 1))),
    ];
    const leaked = (evidence.keys.employers ?? []).map((secret) => Buffer.from(secret, 'hex'));
    const guessed = [new Uint8Array(0), new Uint8Array(32), new Uint8Array(32).fill(0xff)];
    this.#secrets = [...leaked, ...guessed, ...publicBytes, ...roots];
  }

  /** The same for everybody. */
  get same(): readonly Uint8Array[] {
    return this.#same;
  }

  /** For one recipient of one token: also what follows from who they are, and salts of employers whose secret is none. */
  *of(recipient: Uint8Array, mint: Uint8Array): Generator<Uint8Array> {
    yield* this.#same;
    yield first(recipient);
    yield first(recipient.subarray(SALT_BYTES));
    for (const parts of [[recipient], [mint, recipient], [recipient, mint], [Buffer.from('salt'), mint, recipient]]) {
      yield first(sha(...parts));
    }
    for (const secret of this.#secrets) {
      yield first(createHmac('sha256', secret).update('salt').update(mint).update(recipient).digest());
    }
  }
}
