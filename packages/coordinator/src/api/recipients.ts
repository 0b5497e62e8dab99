import { setImmediate as nextTurn } from 'node:timers/promises';
import { isAddressText, MAX_LEAVES, MAX_U64, type Recipient, SALT_BYTES } from '@payouts/client';
import type { Static } from 'typebox';
import { Problem } from '../domain/problems.ts';
import type { RegistrationBody } from './schemas.ts';

/** Decimal text without sign or leading zeros; zero is nobody's payment. */
const AMOUNT = /^[1-9][0-9]{0,19}$/;
const SALT = new RegExp(`^[0-9a-fA-F]{${SALT_BYTES * 2}}$`);
/** Entries between two turns of the event loop. */
const CHUNK = 2_000;

type Entry = Static<typeof RegistrationBody>['recipients'][number];

/**
 * Reads a list's entries, in order of index. Throws `count-mismatch`, or `invalid-recipient` naming an entry's index and nothing
 * of it.
 */
export async function readEntries(entries: readonly Entry[]): Promise<Recipient[]> {
  if (entries.length > MAX_LEAVES) {
    throw new Problem('count-mismatch', `A list has at most ${MAX_LEAVES} recipients; this one has ${entries.length}.`);
  }
  const recipients: Recipient[] = new Array(entries.length);
  for (const [place, entry] of entries.entries()) {
    if (place % CHUNK === 0) await nextTurn();
    const recipient = readEntry(entry);
    if (entry.index >= entries.length) throw invalid(entry.index, 'the indexes must be 0 to n − 1 without a gap');
    if (recipients[entry.index] !== undefined) throw invalid(entry.index, 'the index stands in the list twice');
    recipients[entry.index] = recipient;
  }
  return recipients;
}

function readEntry({ index, recipient, amount, salt, delivery = 'balance' }: Entry): Recipient {
  if (!isAddressText(recipient)) throw invalid(index, 'the recipient is not an address');
  if (!AMOUNT.test(amount) || BigInt(amount) > MAX_U64) {
    throw invalid(index, 'the amount is not a positive decimal number of base units that fits 64 bits');
  }
  if (!SALT.test(salt)) throw invalid(index, 'the salt is not 16 bytes as hexadecimal');
  return { index, recipient, amount: BigInt(amount), delivery, salt: new Uint8Array(Buffer.from(salt, 'hex')) };
}

function invalid(index: number, what: string): Problem {
  return new Problem('invalid-recipient', `Entry ${index}: ${what}.`, { index });
}
