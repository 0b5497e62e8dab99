import type { RecipientBalance, RecipientBalances, RecipientClient, Time, WithdrawalUnderWay } from '@payouts/client';
import type { Address } from '@solana/kit';
import { dim, tell } from './output.ts';

const STEPS = ['asked for', 'recorded', 'paid'] as const;
type Step = (typeof STEPS)[number];

/** Milliseconds between two looks, and how long is looked. */
const LOOK_MS = 1_000;
const WITHIN_MS = 120_000;
/** To a terminal. */
const CLEAR_LINE = '\x1b[K';

const reachedBy = (state: WithdrawalUnderWay['state']): number =>
  state === 'waiting' || state === 'requested' ? 0 : state === 'paid' ? 2 : 1;

/** Withdrawals that were just asked for, one of each of these balances, where these were under way before. */
export type Watched = ReadonlyMap<Address, readonly WithdrawalUnderWay[]>;

/** What is under way of these balances. */
export const watchedFrom = (balances: readonly RecipientBalance[]): Watched =>
  new Map(balances.map(({ address, withdrawals }) => [address, withdrawals]));

/** How far what was asked for is: the slowest counts. What is no longer under way is paid. */
export function stepOf({ balances }: Pick<RecipientBalances, 'balances'>, of: Watched): Step {
  const steps = balances.flatMap(({ address, withdrawals }) => {
    const before = of.get(address);
    if (before === undefined) return [];
    const isNew = (each: WithdrawalUnderWay) => !before.some((known) => isSame(known, each));
    return withdrawals.filter(isNew).map(({ state }) => reachedBy(state));
  });
  return STEPS[Math.min(STEPS.length - 1, ...steps)] as Step;
}

/** Ids begin anew when a balance's last withdrawal was paid; numbers never. */
const isSame = (known: WithdrawalUnderWay, now: WithdrawalUnderWay): boolean =>
  known.id === now.id && (known.number === null || known.number === now.number);

/** Shows how withdrawals get on until all are paid; false: some are still under way after two minutes. Throws `ApiFailed`. */
export async function watchWithdrawals(
  client: Pick<RecipientClient, 'balances'>,
  of: Watched,
  time: Time,
): Promise<boolean> {
  const deadline = time.monotonic() + WITHIN_MS;
  let shown: Step | undefined;
  for (;;) {
    const step = stepOf(await client.balances(), of);
    if (step !== shown) show(step);
    shown = step;
    if (step === 'paid') return true;
    if (time.monotonic() > deadline) {
      if (process.stderr.isTTY) tell('');
      return false;
    }
    await time.pause(LOOK_MS);
  }
}

/** One line that grows on a terminal; a line for each step elsewhere. */
function show(step: Step): void {
  if (!process.stderr.isTTY) {
    tell(step);
    return;
  }
  const at = STEPS.indexOf(step);
  const line = STEPS.map((name, place) => (place <= at ? name : dim(name))).join(' · ');
  process.stderr.write(`\r${CLEAR_LINE}${line}${step === 'paid' ? '\n' : ' …'}`);
}
