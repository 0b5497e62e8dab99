import { paddedToBlock } from '../domain/padToBlock.ts';
import type { ListSource } from '../lists/listProofs.ts';
import type { WebhookContent } from '../store/crypto/webhookSeal.ts';
import type { EndpointMessage } from '../store/queries/webhookMessages.ts';
import { encryptedFor } from './encryption.ts';
import { findUnpaid } from './unpaid.ts';

/**
 * What is sent of a message: JSON text. Who stayed unpaid stands in it for the holder of the employer's key alone, and is put together
 * for each try: it is recorded nowhere. Throws `WrongPayloadKey` or `DecryptionFailed`.
 */
export async function messageBody(
  source: ListSource,
  { type, at, data, run_id: runId }: Pick<EndpointMessage, 'type' | 'at' | 'data' | 'run_id'>,
  { encryptionKey }: Pick<WebhookContent, 'encryptionKey'>,
): Promise<string> {
  const body = { type, timestamp: new Date(Number(at)).toISOString(), data };
  if (type !== 'recipient.unpaid' || encryptionKey === null || runId === null) return JSON.stringify(body);
  const unpaid = await findUnpaid(source, runId, BigInt(data.window as string));
  const encrypted = unpaid && (await encryptedFor(encryptionKey, paddedToBlock(JSON.stringify(unpaid))));
  return JSON.stringify({ ...body, data: { ...data, encrypted: encrypted ?? null } });
}
