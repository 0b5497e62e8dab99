import { addressFromBytes, MAX_U64 } from '@payouts/client';
import { associatedToken } from '../../harness/handles.ts';
import { type BalanceModel, rule, type TokenModel } from '../model.ts';
import type { Done, Effects } from './effect.ts';

const walletAt = (done: Done, at: number) => addressFromBytes(done.bytes.slice(at, at + 32));

function tokenOf(done: Done, balance: BalanceModel): TokenModel {
  const token = done.model.tokens.get(balance.holder.token.mint);
  rule(token !== undefined, 'a balance of a token without a pool');
  return token;
}

/** The recipient's own balance, in a call whose accounts begin with recipient and balance. */
function own(done: Done): BalanceModel {
  const balance = done.model.balance(done.at(1));
  done.signedBy(0, balance.holder.recipient, 'recipient');
  return balance;
}

function start(done: Done, balance: BalanceModel, amount: bigint, wallet: BalanceModel['orderWallet']): void {
  const token = tokenOf(done, balance);
  rule(balance.pending === undefined, 'two withdrawals of one balance at once');
  rule(amount > 0n && amount <= balance.amount, 'a withdrawal of more than the balance');
  rule(wallet !== undefined, 'a withdrawal to nowhere');
  const number = token.nextNumber;
  rule(!token.paidNumbers.has(number) && number >= token.coveredTo, 'a withdrawal number was used again');
  token.nextNumber += 1n;
  token.withdrawals.set(number, { amount, wallets: new Set([wallet]) });
  balance.amount -= amount;
  if (balance.deliver > balance.amount) balance.deliver = balance.amount;
  balance.pending = { number, amount, wallet };
}

/** How money leaves the private balances. */
export const withdrawalEffects: Effects = {
  17: (done) => {
    const { model } = done;
    const token = model.tokenOfPool(done.at(0));
    const [number, amount] = [done.u64(1), done.u64(9)];
    const wallet = done.at(3);
    rule(!model.lost, 'a withdrawal was paid although the layer is lost');
    rule(number > 0n && amount > 0n, 'a withdrawal of nothing');
    rule(!token.paidNumbers.has(number), 'a withdrawal was paid twice');
    rule(number < token.coveredTo, 'a withdrawal was paid that the recorded tree does not know');
    rule(amount <= model.held(token), 'the pool paid more than it holds');
    const asked = token.withdrawals.get(number);
    const isHonest = asked?.amount === amount && asked.wallets.has(wallet);
    rule(isHonest || token.lied, 'a withdrawal was paid that nobody asked for');
    const to = associatedToken(wallet, token.token.mint, token.token.program);
    rule(to === done.at(4), 'a withdrawal went to an account that is not the wallet’s');
    if (!model.purses.has(to)) model.purses.set(to, { owner: wallet, token, amount: 0n });
    model.move(token.token.poolToken, to, amount);
    token.paidNumbers.add(number);
    token.paidOut += amount;
  },
  34: (done) => {
    const balance = own(done);
    const asked = done.u64(1);
    start(done, balance, asked === MAX_U64 ? balance.amount : asked, walletAt(done, 9));
  },
  35: (done) => {
    done.signedBy(0, done.model.authority, 'execution authority');
    const balance = done.model.balance(done.at(2));
    const token = tokenOf(done, balance);
    rule(balance.pending !== undefined, 'no withdrawal is under way');
    if (token.paidNumbers.has(balance.pending.number)) balance.pending = undefined;
    else rule(balance.pending.number < token.coveredTo, 'a withdrawal was issued that the recorded tree does not know');
  },
  36: (done) => {
    const balance = own(done);
    balance.threshold = done.u64(1);
    balance.orderWallet = balance.threshold === 0n ? undefined : walletAt(done, 9);
  },
  37: (done) => {
    done.signedBy(0, done.model.authority, 'execution authority');
    const balance = done.model.balance(done.at(2));
    const isDue = balance.threshold > 0n && balance.amount >= balance.threshold;
    const amount = isDue ? balance.amount : balance.deliver;
    balance.deliver -= balance.deliver < amount ? balance.deliver : amount;
    start(done, balance, amount, isDue ? balance.orderWallet : balance.holder.recipient);
  },
  38: (done) => {
    const balance = own(done);
    rule(balance.pending !== undefined, 'a withdrawal was redirected that is not under way');
    const wallet = walletAt(done, 1);
    balance.pending.wallet = wallet;
    tokenOf(done, balance).withdrawals.get(balance.pending.number)?.wallets.add(wallet);
  },
};
