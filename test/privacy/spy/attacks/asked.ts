import type { Claim, Outcome } from '../claim.ts';
import type { Evidence } from '../evidence.ts';

/**
 * Balances that a stranger has asked the layer to show who knows whose they are and where, but has not their keys: without a signature, with
 * their own, with an old one and with one that is none. Whatever comes back is somebody's balance.
 */
export function asked({ layer }: Evidence): Outcome {
  const tries = layer.filter((line) => line.kind === 'asked');
  const claims = tries.flatMap(({ recipient: subject, mint: object, returned }): Claim[] =>
    returned === null ? [] : [{ kind: 'holds', subject, object, amount: returned, isCertain: true }],
  );
  const ways = new Set(tries.map(({ how }) => how));
  return { looked: `${tries.length} balances asked for in ${ways.size} ways`, claims };
}
