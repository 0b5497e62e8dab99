import { isDeepStrictEqual } from 'node:util';
import {
  BITMAP_PAGE_BITS,
  getClaimPaymentInstructionDataDecoder,
  getSettleInstructionDataDecoder,
  PAGE_SLOTS,
} from '@payouts/client';
import { LEDGER_PROGRAM } from '@payouts/testing/litesvm/programs';
import type { Address } from '@solana/kit';
import { readersOf } from '../../harness/permissions.ts';
import { withdrawalsWithRoot } from '../../harness/withdrawals.ts';
import { bitmapHash } from '../../instructions/support/hashes.ts';
import { bitsOf } from '../bits.ts';
import { type Model, rule, type ScheduleModel, type TokenModel, termsText, type WindowModel } from '../model.ts';
import { sameBytes } from '../rule.ts';
import type { Done, Effects } from './effect.ts';

const claimDecoder = getClaimPaymentInstructionDataDecoder();
const settleDecoder = getSettleInstructionDataDecoder();
/** Accounts that settled windows have in common, and each window's. */
const FIRST_SETTLED = 6;
const ACCOUNTS_EACH = 4;
const FIRST_PAGE = 4;
const FIRST_BITMAP = 6;
const FIRST_PAIR = 6;
/** In the schedule's bytes: the calendar has its own tests. */
const NEXT_EXECUTION = 128;
const ROOT_VERSION = 156;
/** In the batch's bytes. */
const BATCH_WINDOW = 104;

const MOST_PAYABLE = 4_096;

interface Settled {
  readonly paid: bigint;
  /** What the recorded tree says that it has paid. */
  readonly recorded: bigint | undefined;
  readonly lied: boolean;
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
export const byAuthority = (done: Done) => done.signedBy(0, done.model.authority, 'execution authority');

export function openWindow({ open }: Pick<ScheduleModel, 'open'>): WindowModel {
  rule(open !== undefined, 'no window is open');
  return open;
}

/** Whether the time for paying is over. */
const isOver = (done: Done, schedule: ScheduleModel) => done.now >= openWindow(schedule).openedAt + schedule.timeout;

/** A tree was recorded; `at` is where its data begin. */
export function record(done: Done, token: TokenModel, at: number): void {
  const { model } = done;
  rule(model.lossDeclaredAt === 0n, 'a root was recorded after the loss was declared');
  rule(done.u64(at) === token.sequence + 1n, 'a root was recorded out of order');
  const openings = done.u64(at + 48);
  const movedIn = done.u64(at + 56);
  rule(openings >= token.recordedOpenings, 'a tree knows of fewer windows than the one before');
  rule(openings <= token.openings, 'a tree knows of more windows than were opened');
  rule(movedIn >= token.recordedIn, 'a tree knows of less than the one before');
  rule(movedIn <= token.movedIn, 'a tree knows of more than has moved in');
  const later = token.movedIn - movedIn;
  rule(done.u64(at + 40) === model.held(token) - later, 'a root was recorded whose total is not what the pool holds');
  const coveredTo = done.u64(at + 64);
  const payableRoot = done.hex(at + 76);
  const payableLeaves = done.u32(at + 108);
  const known = BigInt(token.paidNumbers.size + payableLeaves);
  const highest = [...token.paidNumbers].reduce((most, number) => (number > most ? number : most), 0n);
  rule(payableLeaves <= MOST_PAYABLE, 'more withdrawals were recorded than a proof can tell apart');
  rule(coveredTo <= (known > highest ? known : highest) + 1n, 'numbers were covered that nobody can know');
  for (const number of token.paidNumbers) rule(number < coveredTo, 'a withdrawal was paid and is not covered');
  const honest = model.tree(token, openings);
  const record = honest.record(0n, 0n, token, 0n);
  const root = hex(record.root);
  // What has moved in later is what open windows brought that have paid nothing.
  const unknown = model.windowsOf(token).filter(({ opening }) => opening > openings);
  const isLater =
    unknown.every(({ paid }) => paid === 0n) && unknown.reduce((sum, { amount }) => sum + amount, 0n) === later;
  const isSame = root === done.hex(at + 8) && honest.leaves === done.u32(at + 72);
  const isPayable = payableRoot === hex(record.withdrawalsRoot) && payableLeaves === record.withdrawalLeaves;
  const isHonest = isSame && isPayable && isLater && coveredTo === token.nextNumber;
  token.sequence += 1n;
  token.recordedIn = movedIn;
  token.recordedOpenings = openings;
  token.left = done.u64(at + 40);
  token.coveredTo = coveredTo;
  token.payableRoot = payableRoot;
  token.payableLeaves = payableLeaves;
  token.payable = withdrawalsWithRoot(payableRoot);
  token.recorded = isHonest ? honest : undefined;
  if (!isHonest) token.lied = true;
}

/** One window of those that a call settles: what it has paid, and what the recorded tree says. */
function settleOne(done: Done, token: TokenModel, place: number, number: bigint): Settled {
  const schedule = done.model.schedule(done.at(FIRST_SETTLED + place * ACCOUNTS_EACH));
  const window = openWindow(schedule);
  const { vault } = schedule.vault;
  rule(schedule.vault.token === token, 'a window of another token was settled');
  rule(window.place === 'base', 'a window was settled whose batch is not back');
  rule(window.number === number, 'another window was settled');
  rule(window.opening <= token.recordedOpenings, 'a window was settled that the recorded tree does not know');
  const batch = new DataView(done.world.base.data(schedule.schedule.batch).buffer);
  rule(batch.getBigUint64(BATCH_WINDOW, true) === window.number, 'settled with the batch of another window');
  const event = done.outcome.events[place];
  rule(event?.__kind === 'WindowSettled' && event.window === number, 'a settlement without its event');
  const { paidAmount: paid, paidCount } = event;
  rule(window.isClosed || isOver(done, schedule), 'a batch that came back open was settled before its time');
  if (window.lied) {
    // The layer's word counts, but for the schedule's own bounds.
    rule(paid >= 0n && paid <= window.amount, 'a window paid more than its amount');
    rule(paidCount <= window.recipients - window.held.size, 'a window paid more recipients than it has');
    rule(paidCount === window.recipients - window.held.size || isOver(done, schedule), 'settled before its time');
    if (paid !== window.paid) token.lied = true;
  } else {
    rule(paid === window.paid && paidCount === window.claimed.size, 'settled otherwise than paid');
    const hash = window.isClosed ? window.hash : new Uint8Array(32);
    rule(sameBytes(event.bitmapHash, hash), 'settled with another bitmap');
    rule(done.model.isComplete(window) || isOver(done, schedule), 'a window was settled before its time');
  }
  const returned = window.amount - paid;
  done.model.move(token.token.poolToken, vault.tokenAccount, returned);
  token.returned += returned;
  token.left -= returned;
  rule(token.left >= 0n, 'more was returned than the recorded tree owed');
  token.open -= window.amount;
  token.closings += 1n;
  schedule.vault.paid += paid;
  schedule.open = undefined;
  schedule.window += 1n;
  schedule.left -= 1;
  if (schedule.left === 0 && schedule.kept === 0 && schedule.status !== 'cancelled') schedule.status = 'completed';
  const known = token.recorded?.windows.find(
    (each) => each.schedule === schedule.schedule.address && each.window === number,
  );
  return { paid, recorded: known?.paid, lied: window.lied };
}

/** Windows that were settled together: whoever settles names what the recorded tree says that they have paid. */
function checkPaid(token: TokenModel, settled: readonly Settled[], named: bigint): void {
  const paid = settled.reduce((sum, window) => sum + window.paid, 0n);
  rule(paid === named, 'windows were settled that have paid otherwise than was named');
  if (settled.every((window) => window.paid === window.recorded)) return;
  const recorded = settled.reduce((sum, window) => sum + (window.recorded ?? 0n), 0n);
  const isHonest = named === recorded && !settled.some(({ lied }) => lied) && !token.lied;
  rule(!isHonest, 'a window was settled that has paid otherwise than recorded');
  token.lied = true;
}

/** Nobody else may read an account than who is to; one whose permission can't be made is left out. */
export function checkReaders({ model, world }: Done, account: Address): void {
  const readers = readersOf(world, account)?.map(([address]) => address);
  // The permission names the program that owns the account.
  const entitled = [LEDGER_PROGRAM, model.authority];
  rule(readers === undefined || isDeepStrictEqual(readers, entitled), 'somebody else may read an account');
}

/** Without an end only what is reserved is opened, or can be at that moment. */
function takeReserved(model: Model, schedule: ScheduleModel): void {
  if (schedule.kept === 0) return;
  model.refill(schedule);
  rule(schedule.reserved > 0, 'a window was opened that nothing is reserved for');
  schedule.reserved -= 1;
}

/** From the opening of a window to its settlement. */
export const windowEffects: Effects = {
  15: (done) => {
    byAuthority(done);
    const { model } = done;
    const schedule = model.schedule(done.at(2));
    const { token } = schedule.vault;
    rule(model.lossDeclaredAt === 0n, 'a window was opened although the layer is declared lost');
    rule(schedule.status === 'active' && schedule.left > 0, 'a window of a schedule was opened that is not active');
    takeReserved(model, schedule);
    rule(schedule.approved.has(termsText(schedule)), 'a window was opened of a list that the approver has not seen');
    rule(schedule.open === undefined && schedule.window === done.u64(1), 'a window was opened twice');
    rule(done.at(6) === token.token.pool, 'a window was opened in another pool');
    const bytes = new DataView(done.world.base.data(done.at(2)).buffer);
    rule(bytes.getUint32(ROOT_VERSION, true) === done.u32(9), 'a window was opened of a list that nobody named');
    const dueAt = bytes.getBigInt64(NEXT_EXECUTION, true);
    rule(done.now >= dueAt, 'a window was opened before its time');
    schedule.open = {
      number: schedule.window,
      amount: schedule.amount,
      list: schedule.list,
      recipients: schedule.recipients,
      held: new Set(schedule.held),
      openedAt: done.now,
      opening: token.openings + 1n,
      claimed: new Set(),
      paid: 0n,
      bitmap: new Map(),
      bitmapNonce: 0,
      hash: new Uint8Array(32),
      place: 'layer',
      isClosed: false,
      lied: false,
    };
    model.move(schedule.vault.vault.tokenAccount, token.token.poolToken, schedule.amount);
    token.movedIn += schedule.amount;
    token.openings += 1n;
    token.open += schedule.amount;
    model.refill(schedule);
  },
  16: (done) => {
    byAuthority(done);
    const { model } = done;
    const { paid, windows } = settleDecoder.decode(done.bytes);
    const token = model.tokenOfPool(done.at(2));
    rule(model.lossDeclaredAt === 0n, 'windows were settled after the loss was declared');
    rule(windows.length > 0, 'a settlement of no window');
    checkPaid(
      token,
      windows.map((number, place) => settleOne(done, token, place, number)),
      paid,
    );
  },
  23: (done) => {
    byAuthority(done);
    record(done, done.model.tokenOfPool(done.at(2)), 1);
  },
  32: (done) => {
    byAuthority(done);
    const { model } = done;
    const schedule = model.batch(done.at(2));
    const window = openWindow(schedule);
    rule(window.place === 'layer', 'claims from a window whose batch has left the layer');
    const { start, entries } = claimDecoder.decode(done.bytes);
    const bitmap = window.bitmap.get(Math.floor(start / BITMAP_PAGE_BITS));
    rule(bitmap !== undefined && done.at(3) === bitmap, 'claims with another page of bits');
    const counts = { paid: 0, alreadyPaid: 0, skipped: 0 };
    for (const [offset, { owner, amount, blind, page, slot }] of entries.entries()) {
      const index = start + offset;
      const leaf = window.list?.leaves[index];
      const holder = window.list?.holders[index];
      const isPromised = holder !== undefined && sameBytes(holder.owner, owner) && sameBytes(holder.blind, blind);
      rule(isPromised && leaf?.amount === amount, 'a payment that the list does not promise');
      if (window.held.has(index) || window.claimed.has(index)) {
        counts.alreadyPaid += 1;
        continue;
      }
      if (amount === 0n || window.paid + amount > window.amount) {
        counts.skipped += 1;
        continue;
      }
      const at = done.at(FIRST_PAGE + page);
      rule(model.balances.page(at).token === schedule.vault.token.token, 'a payment into a page of another token');
      rule(slot < PAGE_SLOTS, 'a payment beyond the places of a page');
      const known = model.balances.slot(at, slot);
      if (known !== undefined && !sameBytes(known.holder.owner, owner)) {
        counts.skipped += 1;
        continue;
      }
      (known ?? model.balances.takeSlot(at, holder, slot)).amount += amount;
      window.claimed.add(index);
      window.paid += amount;
      counts.paid += 1;
    }
    const event = done.outcome.events[0];
    rule(
      event?.__kind === 'ClaimsProcessed' &&
        event.paid === counts.paid &&
        event.alreadyPaid === counts.alreadyPaid &&
        event.skipped === counts.skipped,
      () => `claims were counted otherwise: ${JSON.stringify(event)}, not ${JSON.stringify(counts)}`,
    );
  },
  33: (done) => {
    byAuthority(done);
    const schedule = done.model.batch(done.at(2));
    const window = openWindow(schedule);
    rule(window.place === 'layer' && window.number === done.u64(1), 'another window was committed');
    rule(done.model.isComplete(window) || isOver(done, schedule), 'a window was committed before its time');
    const made = [...window.bitmap].sort(([one], [other]) => one - other);
    const named = done.accounts.slice(FIRST_BITMAP);
    const isAll = isDeepStrictEqual(
      made.map(([, address]) => address),
      named,
    );
    rule(isAll, 'a window was committed without pages of its bitmap, or with others');
    for (const address of named) rule(!done.world.layer.keeps(address), 'a page of a bitmap outlives its window');
    if (made.length === Math.ceil(window.recipients / BITMAP_PAGE_BITS)) {
      window.hash = bitmapHash(schedule.schedule, window.number, bitsOf(window));
    }
    window.bitmap.clear();
    window.place = 'committed';
  },
  39: (done) => {
    byAuthority(done);
    const { model } = done;
    const batch = done.at(2);
    rule(openWindow(model.batch(batch)).place === 'layer', 'permissions for a window whose batch has left the layer');
    for (let place = FIRST_PAIR; place < done.accounts.length; place += 2) {
      const account = done.at(place);
      const { wiped, personals, pages } = model.balances;
      const isKnown = account === batch || [wiped, personals, pages].some((known) => known.has(account));
      rule(isKnown, 'a permission for what is neither batch, page nor personal account');
      checkReaders(done, account);
    }
  },
  40: (done) => {
    byAuthority(done);
    const batch = done.at(2);
    rule(
      openWindow(done.model.batch(batch)).place === 'layer',
      'a permission closed of a batch that has left the layer',
    );
    rule(readersOf(done.world, batch) === undefined, 'a permission was closed and is still there');
  },
};
