import { type RunKey, runIdOf } from '../../domain/run.ts';
import type { SealedReason } from '../queries/operatorRuns.ts';
import type { PayloadKeys } from './payloadKeys.ts';

/** What a reason is bound to, so that none can take another's place. */
export const reasonPlace = (key: RunKey): Uint8Array => Buffer.from(`abandoned ${runIdOf(key)}`);

/** Encrypts why a run is given up. */
export async function sealReason(payloadKeys: PayloadKeys, key: RunKey, reason: string): Promise<SealedReason> {
  const { wrapped, keyId } = await payloadKeys.wrap(Buffer.from(reason), reasonPlace(key));
  return { reason: wrapped, key_id: keyId };
}

/** Decrypts a reason. Throws `WrongPayloadKey` or `DecryptionFailed`. */
export async function openReason(payloadKeys: PayloadKeys, key: RunKey, sealed: SealedReason): Promise<string> {
  const bytes = await payloadKeys.unwrap({ keyId: sealed.key_id, wrapped: sealed.reason }, reasonPlace(key));
  return Buffer.from(bytes).toString();
}
