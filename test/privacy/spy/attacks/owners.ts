import type { Claim, Outcome } from '../claim.ts';
import type { Evidence, Staff } from '../evidence.ts';
import { deliveredTo, listsOf, payoutsOf } from '../sight.ts';

/** Windows that may be taken out together. */
const WINDOWS = 3n;

type Exit = { readonly wallet: string; readonly mint: string; readonly at: number; readonly amount: bigint };

/**
 * Whose a withdrawal is, for somebody who knows who works for whom and for how much, as docs/concepts/exits.md has it: all that one wallet got is one
 * person's; a sum that is a salary, or several windows of it, is of whoever earns that; and what a wallet does next may join it to a known address.
 */
export function wholeSalaries(evidence: Evidence): Outcome {
  const { exits, staff } = lookedAt(evidence);
  const claims: Claim[] = [];
  for (const { wallet: object, mint, amount } of exits) {
    const possible = staff.filter((one) => one.mint === mint && isWindowsOf(one, amount));
    const people = new Set(possible.map(({ recipient }) => recipient));
    const [subject] = people;
    if (people.size === 1 && subject !== undefined) claims.push({ kind: 'owner', subject, object, isCertain: true });
  }
  for (const { preTokenBalances, postTokenBalances } of evidence.transactions) {
    const change = new Map<string, bigint>();
    for (const { owner, uiTokenAmount } of postTokenBalances)
      change.set(owner, (change.get(owner) ?? 0n) + BigInt(uiTokenAmount.amount));
    for (const { owner, uiTokenAmount } of preTokenBalances)
      change.set(owner, (change.get(owner) ?? 0n) - BigInt(uiTokenAmount.amount));
    const from = exits.find(({ wallet }) => (change.get(wallet) ?? 0n) < 0n);
    const to = staff.find(({ recipient }) => (change.get(recipient) ?? 0n) > 0n);
    if (from === undefined || to === undefined) continue;
    claims.push({ kind: 'owner', subject: to.recipient, object: from.wallet, isCertain: true });
  }
  return { looked: `${exits.length} wallets, ${staff.length} salaries`, claims };
}

/**
 * The same of round parts: who earns most takes most parts, and takes the last ones. So the wallets of a token in order of time are given to its people in
 * order of what they earn, as far as they could have taken so much.
 */
export function parts(evidence: Evidence): Outcome {
  const { exits, staff } = lookedAt(evidence);
  const claims: Claim[] = [];
  for (const mint of new Set(exits.map((exit) => exit.mint))) {
    const people = staff.filter((one) => one.mint === mint).sort((a, b) => Number(BigInt(a.amount) - BigInt(b.amount)));
    const own = exits.filter((exit) => exit.mint === mint && !people.some((one) => isWindowsOf(one, exit.amount)));
    for (const [place, { wallet: object, amount }] of own.sort((a, b) => a.at - b.at).entries()) {
      const able = people.filter((one) => BigInt(one.amount) * WINDOWS >= amount);
      const subject = able[Math.floor((place * able.length) / own.length)]?.recipient;
      const among = new Set(able.map(({ recipient }) => recipient)).size;
      if (subject !== undefined) claims.push({ kind: 'owner', subject, object, isCertain: false, among });
    }
  }
  return { looked: `${claims.length} wallets that took round parts`, claims };
}

function lookedAt(evidence: Evidence): {
  readonly exits: Exit[];
  readonly staff: (Staff & { readonly mint: string })[];
} {
  const mints = new Map(listsOf(evidence).map(({ schedule, mint }) => [schedule, mint]));
  const delivered = deliveredTo(evidence);
  const exits = new Map<string, Exit>();
  for (const { wallet, mint, at, amount } of payoutsOf(evidence)) {
    if (!delivered.has(wallet))
      exits.set(wallet, { wallet, mint, at, amount: amount + (exits.get(wallet)?.amount ?? 0n) });
  }
  const staff = evidence.staff
    .filter(({ delivery }) => delivery === 'balance')
    .map((one) => ({ ...one, mint: mints.get(one.schedule) ?? '' }));
  return { exits: staff.length === 0 ? [] : [...exits.values()], staff };
}

function isWindowsOf({ amount }: Staff, taken: bigint): boolean {
  const windows = taken / BigInt(amount);
  return taken % BigInt(amount) === 0n && windows >= 1n && windows <= WINDOWS;
}
