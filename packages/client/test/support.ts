import { randomBytes } from 'node:crypto';
import {
  type Address,
  type Blockhash,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
} from '@solana/kit';
import fc from 'fast-check';
import { addressFromBytes, ClientError, type Leaf } from '../src/index.ts';

/** A random address; most of them lie off the curve or on it as chance has it. */
export const randomAddress = (): Address => addressFromBytes(randomBytes(32));

/** So many random leaves, numbered from 0. */
export const randomLeaves = (count: number): Leaf[] =>
  Array.from({ length: count }, (_, index) => ({
    index,
    recipient: randomAddress(),
    amount: BigInt(index) + 1n,
    delivery: index % 7 === 0 ? 'wallet' : 'balance',
    salt: new Uint8Array(randomBytes(16)),
  }));

/** A number of leaves and a range within them. */
export const rangeIn = (most: number) =>
  fc.integer({ min: 1, max: most }).chain((leafCount) =>
    fc.integer({ min: 0, max: leafCount - 1 }).chain((start) =>
      fc.record({
        leafCount: fc.constant(leafCount),
        start: fc.constant(start),
        count: fc.integer({ min: 1, max: leafCount - start }),
      }),
    ),
  );

/** The code of the client's error that an action throws. */
export function codeOf(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error instanceof ClientError ? error.code : error;
  }
  return 'nothing thrown';
}

/** A lifetime for transactions that no ledger sees. */
export const lifetime = { blockhash: randomAddress() as string as Blockhash, lastValidBlockHeight: 100n };

/** A transaction's message, as kit reads it. */
export function decodeTransaction(wire: string) {
  const transaction = getTransactionDecoder().decode(getBase64Encoder().encode(wire));
  const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
  if (message.version !== 'legacy') throw new Error('the message is not in the legacy form');
  return { transaction, message };
}
