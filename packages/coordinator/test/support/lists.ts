import { addressToBytes, LEAF_RECORD_BYTES, type Recipient, type RecipientList } from '@payouts/client';
import type { Address } from '@solana/kit';
import { BLOCK_RECIPIENTS, ListRecords } from '../../src/domain/listRecords.ts';
import { chunksOf } from '../../src/platform/concurrency.ts';
import type { PayloadKeys } from '../../src/store/crypto/payloadKeys.ts';
import { findList, type ListRow, registerList } from '../../src/store/queries/lists.ts';
import type { Db } from '../../src/store/schema.ts';
import { observedSchedule } from './addSchedule.ts';
import { randomAddress } from './promised.ts';

function recordOf({ recipient, amount, delivery, salt }: Recipient): Buffer {
  const record = Buffer.alloc(LEAF_RECORD_BYTES);
  record.set(addressToBytes(recipient));
  record.writeBigUInt64LE(amount, 32);
  record[40] = delivery === 'wallet' ? 1 : 0;
  record.set(salt, 41);
  return record;
}

/** A list's records as a registration stores them. */
export function recordsOf({ recipients }: RecipientList): ListRecords {
  const blocks = [...chunksOf(recipients.map(recordOf), BLOCK_RECIPIENTS)].map((block) => Buffer.concat(block));
  return new ListRecords(recipients.length, blocks);
}

/** A list of a new schedule as it is stored. */
export async function storeList(
  database: Db,
  payloadKeys: PayloadKeys,
  list: RecipientList,
  { mint, vault, schedule = randomAddress() }: { mint: Address; vault: Address; schedule?: Address },
): Promise<ListRow> {
  const root = Buffer.from(list.root).toString('hex');
  const terms = { root, recipients: list.recipients.length, mint, vault };
  const registration = {
    schedule: { ...observedSchedule(schedule, terms), employer: null },
    root: list.root,
    records: recordsOf(list),
    payloadKeys,
    at: 1,
  };
  await registerList(database, registration, async () => {});
  return (await findList(database, schedule, root)) as ListRow;
}
