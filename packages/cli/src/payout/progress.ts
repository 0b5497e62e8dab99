import {
  type RecipientClient,
  stepOf,
  type Time,
  type Watched,
  WITHDRAWAL_STEPS,
  type WithdrawalStep,
} from '@payouts/client';
import { dim, tell } from './output.ts';

/** Milliseconds between two looks, and how long is looked. */
const LOOK_MS = 1_000;
const WITHIN_MS = 120_000;
/** To a terminal. */
const CLEAR_LINE = '\x1b[K';

/** Shows how withdrawals get on until all are paid; false: some are still under way after two minutes. Throws `ApiFailed`. */
export async function watchWithdrawals(
  client: Pick<RecipientClient, 'balances'>,
  of: Watched,
  time: Time,
): Promise<boolean> {
  const deadline = time.monotonic() + WITHIN_MS;
  let shown: WithdrawalStep | undefined;
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
function show(step: WithdrawalStep): void {
  if (!process.stderr.isTTY) {
    tell(step);
    return;
  }
  const at = WITHDRAWAL_STEPS.indexOf(step);
  const line = WITHDRAWAL_STEPS.map((name, place) => (place <= at ? name : dim(name))).join(' · ');
  process.stderr.write(`\r${CLEAR_LINE}${line}${step === 'paid' ? '\n' : ' …'}`);
}
