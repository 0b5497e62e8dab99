import type { Claim, Outcome } from '../claim.ts';
import type { Evidence } from '../evidence.ts';
import { deliveredTo, listsOf } from '../sight.ts';

const RUNS = /^\/api\/schedules\/([^/]+)\/executions$/;

type Run = { readonly attempts: readonly { readonly stage: string; readonly endedAt: number | null }[] };

/**
 * When things happen: what is delivered to a wallet comes from the employer whose claims ended last before it, in most windows; and of two wallets
 * the one that is paid first stands first in the list. Others take money out when they like.
 */
export function timing(evidence: Evidence): Outcome {
  const mints = new Map(listsOf(evidence).map(({ schedule, mint }) => [schedule, mint]));
  const ends: { readonly schedule: string; readonly at: number }[] = [];
  for (const { path, status, body } of evidence.answers) {
    const schedule = status === 200 ? RUNS.exec(path)?.[1] : undefined;
    if (schedule === undefined) continue;
    for (const { attempts } of (JSON.parse(body) as { executions: Run[] }).executions) {
      for (const { stage, endedAt } of attempts) {
        if (stage === 'claim' && endedAt !== null) ends.push({ schedule, at: endedAt });
      }
    }
  }
  const claims: Claim[] = [];
  const wallets = deliveredTo(evidence);
  for (const [wallet, payouts] of wallets) {
    const votes = new Map<string, number>();
    for (const { at, mint } of payouts) {
      const before = ends.filter((end) => end.at <= at && mints.get(end.schedule) === mint).sort((a, b) => b.at - a.at);
      const [last] = before;
      if (last !== undefined) votes.set(last.schedule, (votes.get(last.schedule) ?? 0) + 1);
    }
    const [best] = [...votes].sort(([, a], [, b]) => b - a);
    if (best !== undefined) claims.push({ kind: 'payer', subject: wallet, object: best[0], isCertain: false });
  }

  const delivered = [...wallets].map(([wallet, paid]) => ({
    wallet,
    number: Math.min(...paid.map((payout) => Number(payout.number))),
    mint: paid[0]?.mint,
  }));
  for (const one of delivered) {
    for (const other of delivered) {
      if (one.mint !== other.mint || one.number >= other.number) continue;
      claims.push({ kind: 'order', subject: one.wallet, object: other.wallet, isCertain: false });
    }
  }
  return { looked: `${wallets.size} wallets, ${ends.length} times that claims ended`, claims };
}
