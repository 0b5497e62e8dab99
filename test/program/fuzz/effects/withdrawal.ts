import {
  addressToBytes,
  authorisationMessage,
  EXIT_LIMIT_SECONDS,
  expiryOf,
  FIRST_LIMIT_SECONDS,
  FIRST_PARTS,
  lastRound,
  MAX_U64,
  ROUND_OPEN_SECONDS,
  readAuthorisation,
  roundBefore,
} from '@payouts/client';
import { associatedToken, type Holder } from '@payouts/testing/litesvm/handles';
import { LEDGER_PROGRAM } from '@payouts/testing/litesvm/programs';
import type { Address, Instruction } from '@solana/kit';
import type { PersonalModel, WithdrawingModel } from '../balances.ts';
import { payeesOf } from '../cast.ts';
import { rule, type TokenModel } from '../model.ts';
import { sameBytes } from '../rule.ts';
import type { Done, Effects } from './effect.ts';

function tokenOf(done: Done, { holder }: PersonalModel): TokenModel {
  const token = done.model.tokens.get(holder.token.mint);
  rule(token !== undefined, 'a balance of a token without a pool');
  return token;
}

/** The recipient's own account, in a call whose accounts begin with whoever acts for them and the account. */
export function own(done: Done): PersonalModel {
  const personal = done.model.balances.personal(done.at(1));
  actsFor(done, personal.holder.recipient, 'recipient');
  return personal;
}

/** Whoever signs such a call is this one, or acts for them on the account. */
export function actsFor(done: Done, who: Address, role: string, personal = done.at(1)): void {
  const isAuthorised = done.authorisation !== undefined && authorises(done.authorisation, done, who, personal);
  done.signedBy(0, isAuthorised ? done.at(0) : who, role);
}

/** Whether somebody has signed that whoever signs this call acts for them on a personal account. */
function authorises(before: Instruction, done: Done, recipient: Address, personal: Address): boolean {
  const said = readAuthorisation(before);
  if (said?.recipient !== recipient) return false;
  const expiresAt = expiryOf(said);
  if (expiresAt === undefined || expiresAt < done.now) return false;
  const terms = { program: LEDGER_PROGRAM, personal, signer: done.at(0), expiresAt };
  return Buffer.compare(said.message, authorisationMessage(terms)) === 0;
}

/** The withdrawal of an account that a call names. */
function named({ withdrawals }: PersonalModel, id: number): WithdrawingModel {
  const found = withdrawals.find((each) => each.id === id);
  rule(found !== undefined, 'a withdrawal was taken for one under way');
  return found;
}

const end = (personal: PersonalModel, id: number): void => {
  personal.withdrawals = personal.withdrawals.filter((each) => each.id !== id);
};

/** Seconds ahead at most, of what a recipient chooses; what an order's release may be put off beyond its range. */
const LONGEST = 90n * 86_400n;
const ROUNDING = 3_600n;

/** What is to be begun. */
interface Plan {
  readonly amount: bigint;
  readonly wallet: Address | undefined;
  readonly dueAt: bigint;
  readonly inRound?: boolean;
  readonly isTransfer?: boolean;
}

/** Begins a withdrawal: at once, or it waits; or a transfer. */
function start(
  done: Done,
  personal: PersonalModel,
  { amount, wallet, dueAt, inRound = false, isTransfer = false }: Plan,
): void {
  rule(personal.withdrawals.length < personal.most, 'more withdrawals at a time than there is room for');
  rule(amount > 0n && amount <= done.model.balances.availableTo(personal), 'a withdrawal of more than is left');
  rule(wallet !== undefined, 'a withdrawal to nowhere');
  const terms = { number: undefined, dueAt, inRound, isTransfer, stands: false };
  const withdrawal = { id: personal.nextId, amount, wallet, ...terms };
  personal.nextId += 1;
  personal.withdrawals.push(withdrawal);
  if (dueAt <= done.now && !isTransfer) release(done, personal, withdrawal);
}

/** By when a part leaves that begins to wait now. */
function partDue(done: Done, { withdrawals }: PersonalModel): bigint {
  const waiting = withdrawals.filter(({ number, inRound }) => number === undefined && inRound).length;
  return lastRound(done.now, waiting < FIRST_PARTS ? FIRST_LIMIT_SECONDS : EXIT_LIMIT_SECONDS);
}

/** Has a part stand ready, whatever there is in the balance. */
function stand(personal: PersonalModel, amount: bigint, wallet: Address): void {
  rule(personal.withdrawals.length < personal.most, 'more withdrawals at a time than there is room for');
  rule(amount > 0n, 'a part of nothing stands ready');
  const terms = { number: undefined, dueAt: 0n, inRound: false, isTransfer: false, stands: true };
  personal.withdrawals.push({ id: personal.nextId, amount, wallet, ...terms });
  personal.nextId += 1;
}

function release(done: Done, personal: PersonalModel, withdrawal: WithdrawingModel): void {
  const token = tokenOf(done, personal);
  const number = token.nextNumber;
  const { amount, wallet } = withdrawal;
  rule(!token.paidNumbers.has(number) && number >= token.coveredTo, 'a withdrawal number was used again');
  token.nextNumber += 1n;
  token.withdrawals.set(number, { amount, wallets: new Set([wallet]) });
  const slot = done.model.balances.slotOf(personal);
  rule(amount <= slot.amount, 'more left a balance than was in it');
  slot.amount -= amount;
  withdrawal.number = number;
  withdrawal.dueAt = 0n;
}

/** The page that a call names is that of the account. */
const inPage = (done: Done, { holder }: PersonalModel, place: number): void =>
  rule(done.at(place) === holder.page.address, 'another page was taken for the balance’s');

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
    const personal = own(done);
    inPage(done, personal, 2);
    const asked = done.u64(1);
    const dueAt = done.i64(41);
    rule(dueAt <= done.now + LONGEST, 'a withdrawal is to wait for longer than 90 days');
    const amount = asked === MAX_U64 ? done.model.balances.availableTo(personal) : asked;
    start(done, personal, { amount, wallet: done.address(9), dueAt });
  },
  35: (done) => {
    done.signedBy(0, done.model.authority, 'execution authority');
    const personal = done.model.balances.personal(done.at(2));
    const token = tokenOf(done, personal);
    const { id, number, amount, wallet } = named(personal, done.u32(1));
    rule(number !== undefined, 'a withdrawal was issued that has no number');
    if (token.paidNumbers.has(number)) end(personal, id);
    else
      rule(token.payable?.has({ number, amount, wallet }) === true, 'a withdrawal was issued that is not recorded so');
  },
  36: (done) => {
    const personal = own(done);
    personal.threshold = done.u64(1);
    const isOver = personal.threshold === 0n;
    personal.orderWallet = isOver ? undefined : done.address(9);
    personal.part = isOver ? 0n : done.u64(41);
    personal.delays = isOver ? [0n, 0n] : [BigInt(done.u16(49)) * 60n, BigInt(done.u16(51)) * 60n];
    rule(personal.part <= personal.threshold, 'an order takes more than its threshold');
    rule(personal.delays[0] <= personal.delays[1], "an order's delays end before they begin");
  },
  37: (done) => {
    done.signedBy(0, done.model.authority, 'execution authority');
    const personal = done.model.balances.personal(done.at(2));
    inPage(done, personal, 3);
    const [id, drawn] = [done.u32(1), done.i64(5)];
    const after = drawn > done.now ? drawn - done.now : 0n;
    if (id !== 0) {
      const waiting = named(personal, id);
      rule(waiting.number === undefined, 'a withdrawal was released twice');
      rule(!waiting.isTransfer, 'a transfer to a payment code left for a wallet');
      if (waiting.stands) {
        rule(after === 0n, 'a part that stood ready was put off');
        rule(waiting.amount <= done.model.balances.availableTo(personal), 'a part was begun without the money for it');
        Object.assign(waiting, { dueAt: partDue(done, personal), stands: false, inRound: true });
        return;
      }
      const isRound = waiting.inRound && done.now - roundBefore(done.now) < ROUND_OPEN_SECONDS;
      rule(waiting.dueAt <= done.now || isRound, 'a withdrawal was released before its time');
      rule(after === 0n, 'a release was put off by another');
      release(done, personal, waiting);
      return;
    }
    const available = done.model.balances.availableTo(personal);
    const isDue = personal.threshold > 0n && available >= personal.threshold;
    rule(isDue || personal.isDelivery, 'something left a balance by itself that nobody has ordered');
    const [least, most] = isDue ? personal.delays : [0n, 0n];
    rule(after >= least && after <= (most === 0n ? 0n : most + ROUNDING), "a release lies outside its order's range");
    const amount = !isDue || personal.part === 0n ? available : personal.part;
    start(done, personal, {
      amount,
      wallet: isDue ? personal.orderWallet : personal.holder.recipient,
      dueAt: drawn,
    });
  },
  38: (done) => {
    const personal = own(done);
    const [id, wallet, dueAt] = [done.u32(1), done.address(5), done.i64(37)];
    rule(dueAt <= done.now + LONGEST, 'a withdrawal is to wait for longer than 90 days');
    const withdrawal = named(personal, id);
    rule(!withdrawal.isTransfer, 'a transfer was redirected to a wallet');
    withdrawal.wallet = wallet;
    const stays = done.u8(45) === 1;
    const isPart = (withdrawal.inRound || withdrawal.stands) && withdrawal.number === undefined;
    rule(!stays || isPart, 'a withdrawal joined a round');
    if (stays) return;
    rule(!withdrawal.stands, 'a part that stands ready was asked for without the money for it');
    if (withdrawal.number === undefined) {
      withdrawal.dueAt = dueAt > done.now ? dueAt : 0n;
      withdrawal.inRound = false;
    } else tokenOf(done, personal).withdrawals.get(withdrawal.number)?.wallets.add(wallet);
  },
  66: (done) => {
    const personal = own(done);
    const { id, number } = named(personal, done.u32(1));
    rule(number === undefined, 'a withdrawal was cancelled that does not wait');
    end(personal, id);
  },
  79: (done) => {
    const personal = own(done);
    inPage(done, personal, 2);
    const [amount, count] = [done.u64(1), done.u16(9)];
    rule(count > 0, 'no part was taken out');
    const stands = done.u8(11 + 32 * count) === 1;
    for (let place = 0; place < count; place += 1) {
      if (stands) stand(personal, amount, done.address(11 + 32 * place));
      else {
        const dueAt = partDue(done, personal);
        start(done, personal, { amount, wallet: done.address(11 + 32 * place), dueAt, inRound: true });
      }
    }
  },
  80: (done) => {
    const personal = own(done);
    inPage(done, personal, 2);
    const isOwn = sameBytes(personal.holder.owner, done.bytes.subarray(9, 41));
    rule(!isOwn, 'a balance pays itself');
    start(done, personal, { amount: done.u64(1), wallet: done.address(9), dueAt: 0n, isTransfer: true });
  },
  81: (done) => {
    done.signedBy(0, done.model.authority, 'execution authority');
    const { balances } = done.model;
    const personal = balances.personal(done.at(2));
    inPage(done, personal, 3);
    const { id, amount, wallet, isTransfer } = named(personal, done.u32(1));
    rule(isTransfer, 'a withdrawal was made a transfer');
    const [page, slot] = [done.at(4), done.u8(5)];
    rule(balances.page(page).token === personal.holder.token, 'a transfer went to a page of another token');
    const { token } = personal.holder;
    const owner = addressToBytes(wallet);
    const isTheirs = (holder: Holder) => sameBytes(holder.owner, owner);
    const holder = [...payeesOf(token), ...balances.of(token).map((one) => one.holder)].find(isTheirs);
    // Nobody can redeem what is paid to a code that nobody has.
    if (holder === undefined) tokenOf(done, personal).lied = true;
    const paid = balances.slot(page, slot) ?? balances.takeSlot(page, holder ?? { ...personal.holder, owner }, slot);
    rule(isTheirs(paid.holder), 'a transfer went to another owner');
    const from = balances.slotOf(personal);
    rule(amount <= from.amount, 'more left a balance than was in it');
    from.amount -= amount;
    paid.amount += amount;
    end(personal, id);
  },
};
