import type { Claim, Outcome } from '../claim.ts';
import type { Evidence } from '../evidence.ts';

/** Puts together what others have found: a withdrawal's line, whose wallet it went to, and who pays that one. */
export function joined(_: Evidence, known: readonly Claim[]): Outcome {
  const of = (kind: Claim['kind']) => known.filter((claim) => claim.kind === kind);
  const claims = of('line-takes').flatMap(({ subject: wallet, object: subject }) =>
    of('owns-wallet')
      .filter(({ object }) => object === wallet)
      .flatMap((owner) => of('paid-by').filter(({ subject }) => subject === owner.subject))
      .map(({ object }): Claim => ({ kind: 'line-paid-by', subject, object, isCertain: false })),
  );
  return { looked: `${claims.length} lines, wallets, people and employers that belong together`, claims };
}
