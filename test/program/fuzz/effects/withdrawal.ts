import { authorisationMessage, expiryOf, MAX_U64, readAuthorisation } from '@payouts/client';
import { associatedToken } from '@payouts/testing/litesvm/handles';
import { LEDGER_PROGRAM } from '@payouts/testing/litesvm/programs';
import type { Address, Instruction } from '@solana/kit';
import { type BalanceModel, rule, type TokenModel } from '../model.ts';
import type { Done, Effects } from './effect.ts';

function tokenOf(done: Done, balance: BalanceModel): TokenModel {
  const token = done.model.tokens.get(balance.holder.token.mint);
  rule(token !== undefined, 'a balance of a token without a pool');
  return token;
}

/** The recipient's own balance, in a call whose accounts begin with whoever acts for them and the balance. */
export function own(done: Done): BalanceModel {
  const balance = done.model.balance(done.at(1));
  actsFor(done, balance.holder.recipient, 'recipient');
  return balance;
}

/** Whoever signs such a call is this one, or acts for them. */
export function actsFor(done: Done, who: Address, role: string): void {
  const isAuthorised = done.authorisation !== undefined && authorises(done.authorisation, done, who);
  done.signedBy(0, isAuthorised ? done.at(0) : who, role);
}

/** Whether somebody has signed that whoever signs this call acts for them on its balance. */
function authorises(before: Instruction, done: Done, recipient: Address): boolean {
  const said = readAuthorisation(before);
  if (said?.recipient !== recipient || expiryOf(said) < done.now) return false;
  const terms = { program: LEDGER_PROGRAM, balance: done.at(1), signer: done.at(0), expiresAt: expiryOf(said) };
  return Buffer.compare(said.message, authorisationMessage(terms)) === 0;
}

/** Seconds ahead at most, of what a recipient chooses; what an order's release may be put off beyond its range. */
const LONGEST = 90n * 86_400n;
const ROUNDING = 3_600n;

/** Begins a withdrawal: at once, or it waits. */
function start(
  done: Done,
  balance: BalanceModel,
  amount: bigint,
  wallet: BalanceModel['orderWallet'],
  dueAt: bigint,
): void {
  rule(balance.pending === undefined && balance.waiting === undefined, 'two withdrawals of one balance at once');
  rule(amount > 0n && amount <= balance.amount, 'a withdrawal of more than the balance');
  rule(wallet !== undefined, 'a withdrawal to nowhere');
  if (dueAt > done.now) balance.waiting = { amount, wallet, dueAt };
  else release(done, balance, amount, wallet);
}

function release(done: Done, balance: BalanceModel, amount: bigint, wallet: NonNullable<BalanceModel['orderWallet']>) {
  const token = tokenOf(done, balance);
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
    rule(token.payable?.has({ number, amount, wallet }) === true, 'a withdrawal was paid that is not recorded so');
    rule(amount <= model.held(token), 'the pool paid more than it holds');
    const asked = token.withdrawals.get(number);
    const isHonest = asked?.amount === amount && asked.wallets.has(wallet);
    rule(isHonest || token.lied, 'a withdrawal was paid that nobody asked for');
    const to = associatedToken(wallet, token.token.mint, token.token.program);
    rule(to === done.at(4), 'a withdrawal went to an account that is not the wallet’s');
    const isThere = model.purses.has(to);
    rule(isThere || amount >= token.leastOpening, 'the sponsor opened an account for too little');
    if (!isThere) model.purses.set(to, { owner: wallet, token, amount: 0n });
    model.move(token.token.poolToken, to, amount);
    token.paidNumbers.add(number);
    token.paidOut += amount;
    token.left -= amount;
    rule(token.left >= 0n, 'more was paid than the recorded total');
  },
  34: (done) => {
    const balance = own(done);
    const asked = done.u64(1);
    const dueAt = done.i64(41);
    rule(dueAt <= done.now + LONGEST, 'a withdrawal is to wait for longer than 90 days');
    start(done, balance, asked === MAX_U64 ? balance.amount : asked, done.address(9), dueAt);
  },
  35: (done) => {
    done.signedBy(0, done.model.authority, 'execution authority');
    const balance = done.model.balance(done.at(2));
    const token = tokenOf(done, balance);
    rule(balance.pending !== undefined, 'no withdrawal is under way');
    if (token.paidNumbers.has(balance.pending.number)) balance.pending = undefined;
    else rule(token.payable?.has(balance.pending) === true, 'a withdrawal was issued that is not recorded so');
  },
  36: (done) => {
    const balance = own(done);
    balance.threshold = done.u64(1);
    const isOver = balance.threshold === 0n;
    balance.orderWallet = isOver ? undefined : done.address(9);
    balance.part = isOver ? 0n : done.u64(41);
    balance.delays = isOver ? [0n, 0n] : [BigInt(done.u16(49)) * 60n, BigInt(done.u16(51)) * 60n];
    rule(balance.part <= balance.threshold, 'an order takes more than its threshold');
    rule(balance.delays[0] <= balance.delays[1], "an order's delays end before they begin");
  },
  37: (done) => {
    done.signedBy(0, done.model.authority, 'execution authority');
    const balance = done.model.balance(done.at(2));
    const drawn = done.i64(1);
    const after = drawn > done.now ? drawn - done.now : 0n;
    const { waiting } = balance;
    if (waiting !== undefined) {
      rule(waiting.dueAt <= done.now, 'a withdrawal was released before its time');
      rule(after === 0n, 'a release was put off by another');
      balance.waiting = undefined;
      release(done, balance, waiting.amount, waiting.wallet);
      return;
    }
    const isDue = balance.threshold > 0n && balance.amount >= balance.threshold;
    const [least, most] = isDue ? balance.delays : [0n, 0n];
    rule(after >= least && after <= (most === 0n ? 0n : most + ROUNDING), "a release lies outside its order's range");
    const whole = balance.part === 0n ? balance.amount : balance.part;
    const amount = isDue ? whole : balance.deliver;
    if (!isDue) balance.deliver = 0n;
    start(done, balance, amount, isDue ? balance.orderWallet : balance.holder.recipient, drawn);
  },
  38: (done) => {
    const balance = own(done);
    const wallet = done.address(1);
    const dueAt = done.i64(33);
    rule(dueAt <= done.now + LONGEST, 'a withdrawal is to wait for longer than 90 days');
    if (balance.waiting !== undefined) {
      balance.waiting = { ...balance.waiting, wallet, dueAt: dueAt > done.now ? dueAt : 0n };
      return;
    }
    rule(balance.pending !== undefined, 'a withdrawal was redirected that is not under way');
    balance.pending.wallet = wallet;
    tokenOf(done, balance).withdrawals.get(balance.pending.number)?.wallets.add(wallet);
  },
  66: (done) => {
    const balance = own(done);
    rule(balance.waiting !== undefined, 'a withdrawal was cancelled that does not wait');
    balance.waiting = undefined;
  },
};
