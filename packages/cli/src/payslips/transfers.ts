import { type RecipientClient, type TransferReceipt, transferFaults } from '@payouts/client';
import { ExportError } from './export.ts';

/** Entries of a history that are asked for at a time. */
const AT_A_TIME = 100;

/** Receipts of all private transfers that a recipient has made and received, newest first; each is verified. Throws `ExportError`. */
export async function* transferReceipts(client: RecipientClient): AsyncGenerator<TransferReceipt> {
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = await client.history({ limit: AT_A_TIME, ...(cursor !== undefined && { cursor }) });
    for (const item of page.items) {
      if (item.kind !== 'transfer' || item.receipt === null) continue;
      const [fault] = await transferFaults(item.receipt);
      if (fault !== undefined) throw new ExportError(`The coordinator has given a receipt that is not sound: ${fault}`);
      yield item.receipt;
    }
    cursor = page.nextCursor;
  }
}
