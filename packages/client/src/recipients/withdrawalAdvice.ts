import type { Address } from '@solana/kit';

/** What an observer sees of a withdrawal, and what only its owner knows of it. */
export type SeenWithdrawal = {
  readonly to: Address;
  /** The recipient's own address, by which employers pay them. */
  readonly owner: Address;
  /** Base units. */
  readonly amount: bigint;
  /** Base units in all private balances of the token. */
  readonly held: bigint;
  readonly decimals: number;
  /** Seconds within which the release is drawn; undefined: at once. */
  readonly within: number | undefined;
};

/** Of a withdrawal to the recipient's own address. */
export const KNOWN_WALLET =
  'It goes to the address that your employer pays: whoever knows it as yours sees the amount and the time.';
/** How often the simulated observer is right about who took all of a pay out at once, among 1,000 people: docs/concepts/exits.md. */
const FOUND_AT_ONCE = 88;

/** Whole tokens in an amount that others are likely to take out, too. */
const ROUND = 100n;

/**
 * What an observer can tell by this withdrawal, in sentences; none where nothing in it says more than any withdrawal does. `howToDraw`: how its
 * time is drawn by lot here.
 */
export function adviceOn({ to, owner, amount, held, decimals, within }: SeenWithdrawal, howToDraw: string): string[] {
  const advice: string[] = [];
  if (to === owner) advice.push(KNOWN_WALLET);
  if (amount === held) {
    advice.push('It is all that you hold: whoever knows what people earn can compare. A round part says less.');
  } else if (amount % (ROUND * 10n ** BigInt(decimals)) !== 0n) {
    advice.push(`Few others take out the same amount: a round one, in steps of ${ROUND}, says less.`);
  }
  if (within === undefined && amount === held) {
    advice.push(
      `Among 1,000 people who take all out at once, whoever knows what they earn is right ${FOUND_AT_ONCE} times in 100.`,
    );
  }
  if (within === undefined) {
    advice.push(`It leaves at once: its time can be compared with pay runs. ${howToDraw}`);
  }
  return advice;
}
