import { NO_APPROVER as NOBODY } from '@payouts/client';
import type { Address } from '@solana/kit';
import { type BalanceModel, type RecoveryModel, rule } from '../model.ts';
import type { Done, Effects } from './effect.ts';
import { actsFor, own } from './withdrawal.ts';

const FORTNIGHT = 14n * 86_400n;

const named = (wallet: Address) => (wallet === NOBODY ? undefined : wallet);

/** What a call's recovery account says of its balance, with the change that is due by now. */
function recoveryOf(done: Done, { holder, recovery }: BalanceModel): RecoveryModel {
  rule(done.at(2) === holder.recovery, 'another balance’s recovery was taken for this one’s');
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
  const balance = done.model.balance(done.at(1));
  const recovery = recoveryOf(done, balance);
  rule(recovery.wallet !== undefined, 'somebody recovers for whom nobody was named');
  actsFor(done, recovery.wallet, 'recovery wallet');
  return { balance, recovery };
}

/** How a balance changes hands whose owner can't act. */
export const recoveryEffects: Effects = {
  67: (done) => {
    const balance = own(done);
    const wallet = named(done.address(1));
    rule(wallet !== balance.holder.recipient, 'a recipient is their own recovery wallet');
    rule(done.at(3) === balance.holder.token.counter, 'another token paid for a recovery account');
    if (balance.recovery === undefined) {
      rule(wallet !== undefined, 'nobody was named where nobody was');
      balance.recovery = { wallet, change: undefined, completesAt: undefined };
    }
    const recovery = recoveryOf(done, balance);
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
    const { balance, recovery } = byRecoveryWallet(done);
    const { completesAt } = recovery;
    rule(completesAt !== undefined && completesAt <= done.now, 'a recovery was completed before its time');
    const wallet = done.address(1);
    balance.waiting = undefined;
    if (balance.pending !== undefined) {
      balance.pending.wallet = wallet;
      const token = done.model.tokens.get(balance.holder.token.mint);
      token?.withdrawals.get(balance.pending.number)?.wallets.add(wallet);
    }
    balance.threshold = 1n;
    balance.orderWallet = wallet;
    balance.part = 0n;
    balance.delays = [BigInt(done.u16(33)) * 60n, BigInt(done.u16(35)) * 60n];
    rule(balance.delays[0] <= balance.delays[1], "an order's delays end before they begin");
  },
};
