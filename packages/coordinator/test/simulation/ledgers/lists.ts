import { addressToBytes, LEAF_RECORD_BYTES, MerkleTree, type Recipient, SALT_BYTES } from '@payouts/client';
import type { Random } from '@payouts/testing/random';
import { ListRecords } from '../../../src/domain/listRecords.ts';
import { PayableList } from '../../../src/lists/payableList.ts';

/** A recipients' list of one token, as it was drawn. */
export type DrawnList = {
  readonly recipients: readonly Recipient[];
  readonly records: ListRecords;
  readonly root: Uint8Array;
  readonly total: bigint;
  /** The list as a process reads it that knows nothing of it yet. */
  readonly read: (places: Uint32Array | undefined) => PayableList;
};

const MOST_EACH = 1_000_000n;
/** After the recipient's address; then the delivery, and the salt last. */
const AMOUNT_AT = 32;
const DELIVERY_AT = 40;
/** How likely it is that one is in a former list of the vault, too, and that they are paid to their wallet. */
const KNOWN = 0.3;
const DELIVERED = 0.15;

/** A list of so many recipients, `known`: of the vault's lists, each at most once. */
export async function drawList(
  random: Random,
  { count, known }: { readonly count: number; readonly known: readonly Recipient[] },
): Promise<DrawnList> {
  const data = Buffer.alloc(count * LEAF_RECORD_BYTES);
  const left = [...known];
  let total = 0n;
  for (let at = 0; at < data.length; at += LEAF_RECORD_BYTES) {
    const amount = 1n + random.amount(MOST_EACH);
    const [former] = left.length > 0 && random.chance(KNOWN) ? left.splice(random.below(left.length), 1) : [];
    const isDelivered = former === undefined ? random.chance(DELIVERED) : former.delivery === 'wallet';
    data.set(former === undefined ? random.bytes(AMOUNT_AT) : addressToBytes(former.recipient), at);
    data.set(former?.salt ?? random.bytes(SALT_BYTES), at + LEAF_RECORD_BYTES - SALT_BYTES);
    data.writeBigUInt64LE(amount, at + AMOUNT_AT);
    data[at + DELIVERY_AT] = isDelivered ? 1 : 0;
    total += amount;
  }
  const records = new ListRecords(count, [data]);
  const terms = await records.terms();
  const { root } = await MerkleTree.ofTerms(terms);
  const read = (places: Uint32Array | undefined) => new PayableList(records, terms, places);
  return { recipients: await records.recipients(), records, root, total, read };
}
