import { addressToBytes, leafHash, openingOf, ownerRecord, type RecipientList } from '@payouts/client';
import { isRecording, recordSecrets } from './record.ts';

/** Whose proofs are looked for: the hashes of a tree are in many of them. */
const PROOFS = 3;

/** Entries at either end of a list that are looked for, and every how many of those between: a part of a long list stands for all. */
const ENDS = 500;
const EVERY = 32;

/** Something that must not be readable: what it is, and hexadecimal digits or an amount. */
export type Secret = readonly [what: string, text: string];

/** What must not be readable anywhere of a list of recipients and of who owns their private balances. */
export function secretsOf({ recipients, tree }: RecipientList): Secret[] {
  const secrets: Secret[] = [];
  const add = (what: string, bytes: Uint8Array) => secrets.push([what, Buffer.from(bytes).toString('hex')]);
  for (const [place, entry] of recipients.entries()) {
    if (place >= ENDS && place < recipients.length - ENDS && place % EVERY !== 0) continue;
    add('address', addressToBytes(entry.recipient));
    add('salt', entry.salt);
    add('opening', openingOf(entry.salt));
    add('owner', ownerRecord(entry).owner);
    // The leaf of a single recipient is the root, and their amount the schedule's: both are public.
    if (recipients.length === 1) continue;
    add('leaf', leafHash(entry));
    secrets.push(['amount', String(entry.amount)]);
  }
  for (let place = 0; place < Math.min(PROOFS, recipients.length); place++) {
    for (const hash of tree.rangeProof(place, 1)) add('proof', hash);
  }
  return secrets;
}

/** Notes them for the search of a whole test run. */
export function recordList(list: RecipientList): void {
  if (isRecording) recordSecrets(secretsOf(list));
}
