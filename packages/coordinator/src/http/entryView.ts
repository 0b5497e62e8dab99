import type { Recipient } from '@payouts/client';
import type { Static } from 'typebox';
import type { RecipientView } from './privateSchemas.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** An entry with its proof, as the private routes show it. */
export function entryView(
  { index, amount, salt, delivery }: Recipient,
  proof: readonly Uint8Array[],
): Static<typeof RecipientView>['entries'][number] {
  return { index, amount: amount.toString(), salt: hex(salt), delivery, proof: proof.map(hex) };
}
