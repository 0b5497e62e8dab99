import { addressFromBytes, ownerOfPaymentCode } from '@payouts/client';
import type { Claim, Outcome } from '../claim.ts';
import type { Evidence } from '../evidence.ts';
import { ownersOf } from '../owners.ts';
import { textOf } from '../sight.ts';

/** Whose the codes are that were published: owners of candidates by guessed salts, and lines in which a code stands beside a candidate. */
export function paymentCodes(evidence: Evidence): Outcome {
  const { answers, metrics, log, candidates } = evidence;
  const { byOwner, tried } = ownersOf(evidence);
  const lines = [
    ...log.toString().split('\n'),
    ...answers.map(textOf),
    ...metrics.flatMap(({ text }) => text.split('\n')),
  ];
  const claims: Claim[] = [];
  for (const object of candidates.codes) {
    const owner = addressFromBytes(ownerOfPaymentCode(object));
    const beside = lines.filter((line) => line.includes(object) || line.includes(owner));
    const subjects = new Set([
      ...(byOwner.has(owner) ? [byOwner.get(owner)?.recipient as string] : []),
      ...candidates.addresses.filter((address) => beside.some((line) => line.includes(address))),
    ]);
    for (const subject of subjects) claims.push({ kind: 'code', subject, object, isCertain: true });
  }
  return { looked: `${candidates.codes.length} published codes, ${tried} owners`, claims };
}
