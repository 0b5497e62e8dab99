import { type ProofFile, proofFileFromJson } from '@payouts/client';
import { Failure } from './failure.ts';

/** What a proof file holds; `file` names it. Throws `Failure` proof-unreadable. */
export function proofFileIn(text: string, file: string): ProofFile {
  try {
    return proofFileFromJson(JSON.parse(text));
  } catch (cause) {
    throw new Failure(
      'proof-unreadable',
      `${file} is no proof file. The recipients' page saves one; the coordinator's operator makes one, too: payout operator liability-proof --balance ADDRESS`,
      { cause },
    );
  }
}

/** Why a proof file is not taken that was good before. */
export const PROOF_OLD =
  'The proof is of another recording than the ledger holds. Ask the operator of the coordinator for a new one.';
