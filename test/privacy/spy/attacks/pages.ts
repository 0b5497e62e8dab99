import { createHash } from 'node:crypto';
import { addressToBytes, derivePageAddress, PAYOUT_LEDGER_PROGRAM_ADDRESS } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Claim, Outcome } from '../claim.ts';
import type { Evidence } from '../evidence.ts';
import { Guesses } from '../salts.ts';
import { addressesInSight, listsOf } from '../sight.ts';

/** Page numbers that could be in a nonce. */
const NUMBERS = 32;
const NONCE_BYTES = 16;

/** Addresses of pages of balances: nonces that somebody could have taken without drawing them, for every token, among all addresses in sight. */
export function pages(evidence: Evidence): Outcome {
  const { same } = new Guesses(evidence);
  const inSight = addressesInSight(evidence);
  const mints = new Set(listsOf(evidence).map(({ mint }) => mint as Address));
  const claims: Claim[] = [];
  let tried = 0;
  for (const mint of mints) {
    for (const nonce of [...same, ...numbered(mint)]) {
      tried += 1;
      const { address: subject } = derivePageAddress(mint, nonce, PAYOUT_LEDGER_PROGRAM_ADDRESS);
      if (inSight.has(subject)) claims.push({ kind: 'place', subject, object: '', isCertain: true });
    }
  }
  return { looked: `${tried} pages of ${mints.size} tokens among ${inSight.size} addresses`, claims };
}

/** Nonces that follow from a page's number. */
function* numbered(mint: Address): Generator<Uint8Array> {
  for (let number = 0; number < NUMBERS; number++) {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(number);
    for (const parts of [[bytes], [addressToBytes(mint), bytes]]) {
      yield new Uint8Array(createHash('sha256').update(Buffer.concat(parts)).digest().subarray(0, NONCE_BYTES));
    }
  }
}
