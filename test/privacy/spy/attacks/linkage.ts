import type { Claim, Outcome } from '../claim.ts';
import type { Evidence } from '../evidence.ts';
import { deliveredTo, type Lookup, listsOf, lookupsOf, payoutsOf, turnsOf } from '../sight.ts';

/** Milliseconds between a lookup and a withdrawal that can belong together. */
const WITHIN_MS = 1_000;

/**
 * What repeats: addresses that were asked for when a list was first paid, such as pages, and again when somebody took money out; and wallets that are paid
 * after each window of one employer, come when their list changes, or go (set intersection over windows).
 */
export function linkage(evidence: Evidence): Outcome {
  const lookups = lookupsOf(evidence);
  const lists = listsOf(evidence);
  const payouts = payoutsOf(evidence);
  const first = new Map<string, string>();
  const claims: Claim[] = [];
  const openings = turnsOf(evidence, 'WindowOpened');
  const publicAddresses = new Set(evidence.transactions.flatMap(({ accountKeys }) => accountKeys));
  let again = 0;
  for (const { at, addresses } of lookups.sort(byTime)) {
    const hidden = addresses.filter((address) => !publicAddresses.has(address));
    for (const address of hidden) {
      const schedule = first.get(address);
      if (schedule === undefined) {
        // Pages and accounts that are first needed after a window's opening are of whom it pays, most likely.
        const opened = openings.findLast((opening) => opening.at <= at)?.schedule;
        if (opened !== undefined) first.set(address, opened);
        continue;
      }
      again += 1;
      const payout = payouts.find((one) => one.at >= at && one.at <= at + WITHIN_MS);
      if (payout !== undefined)
        claims.push({ kind: 'payer', subject: payout.wallet, object: schedule, isCertain: false });
    }
  }

  // Between two windows of an employer, whoever is paid each time; an employer with other windows pays others.
  const wallets = deliveredTo(evidence);
  for (const [wallet, paid] of wallets) {
    const [{ mint } = { mint: '' }] = paid;
    const scores = lists
      .filter((list) => list.mint === mint)
      .map(({ schedule }) => {
        const own = openings.filter((opening) => opening.schedule === schedule);
        // The time from the opening before a payment to it, and openings that no payment followed.
        const waits = paid.map(({ at }) => at - (own.findLast((opening) => opening.at <= at)?.at ?? 0));
        return { schedule, wait: Math.max(...waits), missed: Math.abs(own.length - paid.length) };
      })
      .sort((a, b) => a.missed - b.missed || a.wait - b.wait);
    const [best] = scores;
    if (best !== undefined) claims.push({ kind: 'payer', subject: wallet, object: best.schedule, isCertain: false });
  }
  const looked = `${lookups.length} lookups, ${again} addresses asked for again, ${wallets.size} wallets over ${openings.length} windows`;
  return { looked, claims };
}

const byTime = (a: Lookup, b: Lookup): number => a.at - b.at;
