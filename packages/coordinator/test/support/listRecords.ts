import { addressToBytes, type RecipientList } from '@payouts/client';
import { BLOCK_RECIPIENTS, ListRecords } from '../../src/domain/listRecords.ts';
import { chunksOf } from '../../src/platform/concurrency.ts';

/** A list as it is stored. */
export function recordsOf({ recipients }: Pick<RecipientList, 'recipients'>): ListRecords {
  const records = recipients.map(({ recipient, amount, salt }) => {
    const numbers = Buffer.alloc(9);
    numbers.writeBigUInt64LE(amount);
    return Buffer.concat([addressToBytes(recipient), numbers, salt]);
  });
  const blocks = [...chunksOf(records, BLOCK_RECIPIENTS)].map((block) => Buffer.concat(block));
  return new ListRecords(recipients.length, blocks);
}
