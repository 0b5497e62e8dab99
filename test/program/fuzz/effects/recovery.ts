import { NO_APPROVER as NOBODY } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { PersonalModel, RecoveryModel } from '../balances.ts';
import { rule } from '../model.ts';
import type { Done, Effects } from './effect.ts';
import { actsFor, own } from './withdrawal.ts';

const FORTNIGHT = 14n * 86_400n;

const named = (wallet: Address) => (wallet === NOBODY ? undefined : wallet);

/** Who may recover a balance, with the change that is due by now. */
function recoveryOf(done: Done, { recovery }: PersonalModel): RecoveryModel {
  rule(recovery !== undefined, 'a recovery of a balance for which nobody was ever named');
  const { change, completesAt } = recovery;
  if (completesAt === undefined && change !== undefined && change.from <= done.now) {
    recovery.wallet = change.wallet;
    recovery.change = undefined;
  }
  return recovery;
}

/** A call that the present recovery wallet makes. */
function byRecoveryWallet(done: Done) {
  const personal = done.model.balances.personal(done.at(1));
  const recovery = recoveryOf(done, personal);
  rule(recovery.wallet !== undefined, 'somebody recovers for whom nobody was named');
  actsFor(done, recovery.wallet, 'recovery wallet');
  return { personal, recovery };
}

/** How a balance changes hands whose owner can't act. */
export const recoveryEffects: Effects = {
  67: (done) => {
    const personal = own(done);
    const wallet = named(done.address(1));
    rule(wallet !== personal.holder.recipient, 'a recipient is their own recovery wallet');
    if (personal.recovery === undefined) {
      rule(wallet !== undefined, 'nobody was named where nobody was');
      personal.recovery = { wallet, change: undefined, completesAt: undefined };
    }
    const recovery = recoveryOf(done, personal);
    const isAtOnce = recovery.wallet === undefined || recovery.wallet === wallet;
    recovery.change = isAtOnce ? undefined : { wallet, from: done.now + FORTNIGHT };
    if (isAtOnce) recovery.wallet = wallet;
  },
  68: (done) => {
    const { recovery } = byRecoveryWallet(done);
    rule(recovery.completesAt === undefined, 'a recovery was asked for twice');
    recovery.completesAt = done.now + FORTNIGHT;
  },
  69: (done) => {
    const recovery = recoveryOf(done, own(done));
    rule(recovery.completesAt !== undefined, 'a recovery was refused that nobody has asked for');
    recovery.completesAt = undefined;
  },
  70: (done) => {
    const { personal, recovery } = byRecoveryWallet(done);
    const { completesAt } = recovery;
    rule(completesAt !== undefined && completesAt <= done.now, 'a recovery was completed before its time');
    const wallet = done.address(1);
    const token = done.model.tokens.get(personal.holder.token.mint);
    personal.withdrawals = personal.withdrawals.filter(({ number }) => number !== undefined);
    for (const withdrawal of personal.withdrawals) {
      withdrawal.wallet = wallet;
      token?.withdrawals.get(withdrawal.number ?? 0n)?.wallets.add(wallet);
    }
    personal.threshold = 1n;
    personal.orderWallet = wallet;
    personal.part = 0n;
    personal.delays = [BigInt(done.u16(33)) * 60n, BigInt(done.u16(35)) * 60n];
    rule(personal.delays[0] <= personal.delays[1], "an order's delays end before they begin");
  },
};
