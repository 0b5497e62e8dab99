import {
  addressFromBytes,
  deriveBalanceAddress,
  HASH_BYTES,
  type Leaf,
  leafHash,
  MerkleTree,
  SALT_BYTES,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Payable } from '../../../packages/coordinator/src/balances/payables.ts';
import type { PayableRecipient } from '../../../packages/coordinator/src/domain/recipient.ts';
import type { Random } from '../../program/fuzz/random.ts';

/** A recipients' list of one token, ready to be paid. */
export type FakeList = Payable & { readonly root: Uint8Array; readonly total: bigint };

const MOST_EACH = 1_000_000n;

/** An address that follows from the seed alone. */
export const drawAddress = (random: Random): Address => addressFromBytes(random.bytes(32));

/** A list of so many recipients. */
export async function drawList(
  random: Random,
  { count, mint, program }: { readonly count: number; readonly mint: Address; readonly program: Address },
): Promise<FakeList> {
  const hashes = new Uint8Array(count * HASH_BYTES);
  let total = 0n;
  const recipients = Array.from({ length: count }, (_, index): PayableRecipient => {
    const recipient = drawAddress(random);
    const salt = random.bytes(SALT_BYTES);
    const leaf: Leaf = { index, recipient, amount: 1n + random.amount(MOST_EACH), delivery: 'balance', salt };
    const { address: balance, bump } = deriveBalanceAddress(mint, { recipient, salt }, program);
    hashes.set(leafHash(leaf), index * HASH_BYTES);
    total += leaf.amount;
    return { ...leaf, balance, bump };
  });
  const tree = await MerkleTree.build(hashes);
  return { recipients, tree, root: tree.root, total };
}
