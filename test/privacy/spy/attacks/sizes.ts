import type { Claim, Outcome } from '../claim.ts';
import type { Evidence } from '../evidence.ts';

/** Bytes by which an answer grows with a hash of a proof: 64 digits, quotes and a comma. */
const HASH = 67;

/**
 * Sizes of encrypted private answers: an amount stands in its recipient's entry and in each of their receipts, so an answer is the longer the more
 * digits it has. The colleague knows how long their own was, among those of the same day.
 */
export function sizes({ reads, colleague }: Evidence): Outcome {
  const claims: Claim[] = [];
  for (const [place, { received }] of reads.entries()) {
    // They differ by hashes of the proof, and by the digits of entry and receipt.
    let more = (received - colleague.read.received) % HASH;
    if (more > HASH / 2) more -= HASH;
    if (more < -HASH / 2) more += HASH;
    const digits = colleague.amount.length + Math.round(more / 2);
    claims.push({ kind: 'digits', subject: String(place), object: '', amount: String(digits), isCertain: false });
  }
  const seen = new Set(reads.map(({ received }) => received));
  return { looked: `${reads.length} private answers of ${seen.size} sizes`, claims };
}
