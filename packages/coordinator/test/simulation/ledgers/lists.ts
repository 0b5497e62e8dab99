import {
  addressToBytes,
  type Claim,
  LEAF_RECORD_BYTES,
  PAYOUT_LEDGER_PROGRAM_ADDRESS as program,
  SALT_BYTES,
} from '@payouts/client';
import type { Random } from '@payouts/testing/random';
import type { Address } from '@solana/kit';
import { ListRecords } from '../../../src/domain/listRecords.ts';
import { deriveBlock } from '../../../src/lists/derive.ts';
import { PayableList } from '../../../src/lists/payableList.ts';

/** A recipients' list of one token: as it was drawn, and as coordinators read it. */
export type DrawnList = {
  readonly recipients: readonly Claim[];
  readonly payees: PayableList;
  readonly root: Uint8Array;
  readonly total: bigint;
};

const MOST_EACH = 1_000_000n;
/** After the recipient's address; the salt stands last, and a zero between them stands for a payment into the balance. */
const AMOUNT_AT = 32;

/** A list of so many recipients. */
export async function drawList(
  random: Random,
  { count, mint }: { readonly count: number; readonly mint: Address },
): Promise<DrawnList> {
  const records = new Uint8Array(count * LEAF_RECORD_BYTES);
  let total = 0n;
  for (let at = 0; at < records.length; at += LEAF_RECORD_BYTES) {
    const [recipient, salt, amount] = [random.bytes(32), random.bytes(SALT_BYTES), 1n + random.amount(MOST_EACH)];
    records.set(recipient, at);
    new DataView(records.buffer).setBigUint64(at + AMOUNT_AT, amount, true);
    records.set(salt, at + LEAF_RECORD_BYTES - SALT_BYTES);
    total += amount;
  }
  const base = { mint: addressToBytes(mint), program: addressToBytes(program) };
  const payees = new PayableList(new ListRecords(count, [records]), [deriveBlock(records, base)]);
  const { root } = await payees.tree();
  return { recipients: payees.claims(0, count), payees, root, total };
}
