import { named } from '@payouts/testing/litesvm/addresses';
import { type Holder, payeeOf, type Token, type Vault } from '@payouts/testing/litesvm/handles';
import type { Address } from '@solana/kit';
import { keyed } from '../harness/authorisation.ts';

/** Who takes part. */
export const EMPLOYERS: readonly Address[] = ['employer A', 'employer B', 'employer C'].map(named);
export const RECIPIENTS: readonly Address[] = Array.from({ length: 10 }, (_, place) => keyed(`recipient ${place}`));
export const WALLETS: readonly Address[] = Array.from({ length: 6 }, (_, place) => named(`wallet ${place}`));
export const ATTACKERS: readonly Address[] = Array.from({ length: 3 }, (_, place) => keyed(`attacker ${place}`));
/** Employers name their approvers among these. */
export const APPROVERS: readonly Address[] = Array.from({ length: 3 }, (_, place) => named(`approver ${place}`));
/** Governance and guardian change hands among these. */
export const KEYS: readonly Address[] = Array.from({ length: 4 }, (_, place) => named(`key ${place}`));

/** What the moves choose from. */
export interface Cast {
  readonly tokens: readonly Token[];
  readonly vaults: readonly Vault[];
  readonly holders: readonly Holder[];
}

const payees = new WeakMap<Token, readonly Holder[]>();

/** Recipients' balances of a token that no list has: they are paid by payment codes. */
export function payeesOf(token: Token): readonly Holder[] {
  const known = payees.get(token) ?? RECIPIENTS.slice(0, 4).map((recipient) => payeeOf(recipient, token));
  payees.set(token, known);
  return known;
}
