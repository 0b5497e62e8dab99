import { inspect, isDeepStrictEqual } from 'node:util';
import {
  allDates,
  BITMAP_PAGE_BITS,
  CalendarUnit,
  calendarFromLedger,
  getBitmapPageDecoder,
  getPersonalDecoder,
  getScheduleDecoder,
  getWipedPersonalDecoder,
  MAX_U64,
  NO_APPROVER,
  NO_DATE,
  type Personal,
  readRecovery,
  type Schedule,
  timeOfDate,
} from '@payouts/client';
import { bytesOf } from '@payouts/testing/litesvm/addresses';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@payouts/testing/litesvm/programs';
import type { World } from '@payouts/testing/litesvm/world';
import type { Address } from '@solana/kit';
import { PAGE_BYTES, personalBytes } from '../harness/rent.ts';
import { type PageModel, type PersonalModel, type WipedModel, waitingOf } from './balances.ts';
import { bitsOf } from './bits.ts';
import { type Model, rule, type ScheduleModel, type TokenModel, type VaultModel } from './model.ts';
import { sameBytes } from './rule.ts';

/** What a page notes of a slot's personal accounts: their last number, and whether that one is there. */
const [NOTED_AT, NOTED_BYTES, IS_THERE] = [56, 2, 0x8000];
/** Bytes of a wiped account that say something. */
const WIPED_BYTES = 64;
const [SLOTS_AT, SLOT_BYTES, OWNER_BYTES] = [536, 40, 32];

const view = (data: Uint8Array) => new DataView(data.buffer, data.byteOffset, data.byteLength);
const equal = (actual: bigint, expected: bigint, what: string) =>
  rule(actual === expected, () => `${what} is ${actual}, not ${expected}`);

/** Checks the accounts that an instruction named, and what belongs together with them. */
export function checkTouched(world: World, model: Model, accounts: readonly Address[]): void {
  const tokens = new Set<TokenModel>();
  const vaults = new Set<VaultModel>();
  for (const address of new Set(accounts)) {
    const purse = model.purses.get(address);
    if (purse !== undefined) checkPurse(world, model, address);
    const vault = model.vaults.get(address);
    if (vault !== undefined) vaults.add(vault);
    const schedule = model.schedules.get(address) ?? model.byBatch.get(address);
    if (schedule !== undefined) {
      checkSchedule(world, schedule);
      checkBitmap(world, schedule);
      checkLamports(world, model, schedule);
      vaults.add(schedule.vault);
      tokens.add(schedule.vault.token);
    }
    const page = model.balances.pages.get(address);
    if (page !== undefined) checkPage(world, model, page);
    const personal = model.balances.personals.get(address);
    if (personal !== undefined) checkPersonal(world, personal);
    const wiped = model.balances.wiped.get(address);
    if (wiped !== undefined) checkWiped(world, address, wiped);
    const token = model.tokens.get((page?.token ?? personal?.holder.token)?.mint ?? address);
    if (token !== undefined) tokens.add(token);
  }
  for (const token of model.tokens.values()) if (accounts.includes(token.token.pool)) tokens.add(token);
  for (const vault of vaults) checkVault(world, model, vault);
  for (const token of tokens) checkToken(world, model, token);
}

/** Checks everything there is. */
export function checkAll(world: World, model: Model): void {
  checkTouched(world, model, [
    ...model.purses.keys(),
    ...model.vaults.keys(),
    ...model.schedules.keys(),
    ...model.balances.pages.keys(),
    ...model.balances.personals.keys(),
    ...model.balances.wiped.keys(),
    ...[...model.tokens.values()].map(({ token }) => token.pool),
  ]);
  for (const token of model.tokens.values()) {
    let sum = 0n;
    for (const purse of model.purses.values()) if (purse.token === token) sum += purse.amount;
    equal(sum, token.supply, 'the sum of all token accounts');
    equal(view(world.base.data(token.token.mint)).getBigUint64(36, true), token.supply, 'the supply');
  }
}

function checkPurse(world: World, model: Model, address: Address): void {
  const account = world.base.account(address);
  rule(
    account?.owner === TOKEN_PROGRAM || account?.owner === TOKEN_2022_PROGRAM,
    `the token account ${address} is gone`,
  );
  equal(view(account.data).getBigUint64(64, true), model.purse(address).amount, `the token account ${address}`);
}

function checkVault(world: World, model: Model, vault: VaultModel): void {
  const data = view(world.base.data(vault.vault.address));
  const at = (place: number) => data.getBigUint64(place, true);
  equal(at(104), model.reserved(vault), "a vault's reserve");
  equal(at(112), model.openIn(vault), "a vault's open windows");
  equal(at(120), vault.deposited, "a vault's deposits");
  equal(at(128), vault.withdrawn, "a vault's withdrawals");
  equal(at(136), vault.paid, "a vault's payments");
  equal(data.getBigUint64(160, true), vault.policy?.limit ?? 0n, "a vault's limit");
  equal(data.getBigUint64(168, true), vault.policy?.dailyLimit ?? 0n, "a vault's daily limit");
  equal(data.getBigUint64(176, true), vault.spent.sum, "what a vault's employer spent alone");
  equal(BigInt(data.getUint32(156, true)), vault.spent.day, 'the day on which they did');
  equal(BigInt(data.getUint8(153)), vault.policy === undefined ? 0n : 1n, 'whether a vault has a policy');
  const available = model.available(vault);
  rule(available >= 0n, () => `a vault promised ${-available} more than it has`);
  if (vault.closed) return;
  const { amount } = model.purse(vault.vault.tokenAccount);
  const needed = available + model.reserved(vault);
  rule(amount >= needed, () => `a vault's token account holds ${amount}, less than available and reserved ${needed}`);
}

function checkSchedule(
  world: World,
  {
    schedule,
    root,
    amount,
    left,
    kept,
    reserved,
    status,
    proposal,
    open,
    window,
    held,
    holds,
    recipients,
  }: ScheduleModel,
): void {
  const data = view(world.base.data(schedule.address));
  const names = ['active', 'paused', 'cancelled', 'completed', 'awaiting'];
  rule(names[data.getUint8(3)] === status, () => `a schedule is ${names[data.getUint8(3)]}, not ${status}`);
  rule((data.getUint8(4) === 1) === (open !== undefined), 'a schedule has another phase');
  const account = world.base.data(schedule.address);
  rule(Buffer.from(account.subarray(72, 104)).toString('hex') === root, 'a schedule has another list');
  equal(data.getBigUint64(112, true), amount, "a schedule's amount");
  equal(data.getBigInt64(696, true), proposal?.at ?? 0n, 'the time of a proposal');
  equal(BigInt(data.getUint32(708, true)), BigInt(proposal?.executions ?? 0), 'the executions of a proposal');
  equal(data.getBigUint64(136, true), window, "a schedule's window");
  equal(BigInt(data.getUint32(144, true)), BigInt(recipients), "a schedule's recipients");
  equal(BigInt(data.getUint32(148, true)), BigInt(left), "a schedule's executions left");
  equal(BigInt(data.getUint8(126)), BigInt(kept), 'what a schedule keeps');
  equal(BigInt(data.getUint8(127)), BigInt(reserved), 'the windows that a schedule without an end has reserved');
  equal(BigInt(data.getUint8(125)), BigInt(held.size), "a schedule's held recipients");
  equal(BigInt(data.getUint32(312, true)), BigInt(holds), 'how often a schedule changed who is held back');
  for (let place = 0; place < held.size; place++) {
    rule(held.has(data.getUint32(320 + 4 * place, true)), 'somebody is held back who should not be');
  }
  equal(data.getBigUint64(168, true), open?.amount ?? 0n, "an open window's amount");
  checkDates(getScheduleDecoder().decode(account));
}

/** A schedule by dates is due on one of them that is in force, or never; they lie one after the other. */
function checkDates(terms: Schedule): void {
  const dates = allDates(terms).map(timeOfDate);
  rule(
    dates.every((date, place) => date > (dates[place - 1] ?? 0n)),
    'dates lie in another order',
  );
  const { unit, nextExecution } = terms;
  const inForce = calendarFromLedger(terms).dates ?? [];
  const isKnown = unit !== CalendarUnit.Dates || nextExecution === NO_DATE || inForce.includes(nextExecution);
  rule(unit === CalendarUnit.Dates || dates.length === 0, 'a rule has dates');
  rule(isKnown, 'a window is due on a date that nobody signed');
}

/** Each page of an open window's bitmap that was made says who is paid or held back, and nobody else. */
function checkBitmap(world: World, { schedule, open }: ScheduleModel): void {
  if (open?.place !== 'layer') return;
  const bits = bitsOf(open);
  const bytes = BITMAP_PAGE_BITS / 8;
  for (const [number, address] of open.bitmap) {
    const page = getBitmapPageDecoder().decode(world.layer.data(address));
    const isIts = page.schedule === schedule.address && page.window === open.number && page.number === number;
    rule(isIts, 'a page of a bitmap is of something else');
    const expected = bits.subarray(number * bytes, (number + 1) * bytes);
    rule(sameBytes(page.bitmap, expected), 'a bitmap says otherwise who is paid');
  }
}

/** An employer's fees cover all that is promised and lie in the schedule; the operator's loan is noted as long as the batch is away, and no longer. */
function checkLamports(world: World, model: Model, { schedule, amount, left, open, proposal }: ScheduleModel): void {
  const account = world.base.account(schedule.address);
  rule(account !== undefined, 'a schedule is gone');
  const data = view(account.data);
  const u32 = (place: number) => BigInt(data.getUint32(place, true));
  const [unused, windowFee, recipientFee, openingFee] = [u32(268), u32(272), u32(276), u32(296)];
  const [prepaid, lent, least] = [280, 288, 304].map((place) => data.getBigUint64(place, true)) as [
    bigint,
    bigint,
    bigint,
  ];
  const windows = BigInt(left + (proposal?.executions ?? 0));
  const listed = BigInt(proposal?.list?.recipients ?? 0);
  const lists = [amount, proposal?.list?.amount ?? 0n];
  // Each window can have so many token accounts opened, if the amounts that are left to be opened are bounded at all.
  let openings = 0n;
  for (const each of lists) {
    const own = least === 0n || least === MAX_U64 ? 0n : (each + least - 1n) / least;
    if (own > openings) openings = own;
  }
  const unopened = windows - (open === undefined || windows === 0n ? 0n : 1n);
  const promised = windowFee * windows + openingFee * openings * unopened + recipientFee * (unused + listed);
  rule(prepaid >= promised, () => `a schedule's fees are ${prepaid}, less than the ${promised} that it promises`);
  const held = world.base.minimumBalance(account.data.length) + prepaid;
  rule(account.lamports >= held, () => `a schedule holds ${account.lamports} lamports, less than ${held}`);
  rule(lent === 0n || open !== undefined || model.lost, 'a loan is left after the settlement');
}

/** A page holds what was paid into it, and what it says nobody owns is nobody's. */
function checkPage(world: World, model: Model, { page, token }: PageModel): void {
  const data = world.layer.data(page.address);
  rule(data.length === PAGE_BYTES, 'a page has another size');
  rule(Buffer.from(data.subarray(8, 40)).equals(bytesOf(token.mint)), 'a page has another token');
  equal(BigInt(view(data).getUint32(4, true)), BigInt(page.number), "a page's number");
  const expected = Buffer.alloc(PAGE_BYTES - SLOTS_AT);
  const noted = Buffer.alloc(SLOTS_AT - NOTED_AT);
  for (const { holder, amount } of model.balances.of(token)) {
    if (holder.page.address !== page.address) continue;
    expected.set(holder.owner, holder.slot * SLOT_BYTES);
    expected.writeBigUInt64LE(amount, holder.slot * SLOT_BYTES + OWNER_BYTES);
  }
  for (const { holder, personalNumber } of model.balances.of(token)) {
    if (holder.page.address !== page.address) continue;
    const isThere = model.balances.personalOf(holder) === undefined ? 0 : IS_THERE;
    noted.writeUInt16LE(personalNumber + isThere, holder.slot * NOTED_BYTES);
  }
  rule(noted.equals(data.subarray(NOTED_AT, SLOTS_AT)), 'a page says otherwise which balances have personal accounts');
  rule(expected.equals(data.subarray(SLOTS_AT)), () => `a page holds something else: ${differenceIn(expected, data)}`);
}

function differenceIn(expected: Buffer, data: Uint8Array): string {
  const at = expected.findIndex((byte, place) => data[SLOTS_AT + place] !== byte);
  return `place ${Math.floor(at / SLOT_BYTES)}, byte ${at % SLOT_BYTES}`;
}

function checkPersonal(world: World, personal: PersonalModel): void {
  const { holder, isDelivery, most, nextId, threshold, orderWallet, part, delays, withdrawals } = personal;
  const data = world.layer.data(holder.personal);
  rule(data.length === personalBytes(most), 'a personal account has another size');
  const account = getPersonalDecoder().decode(data);
  const shown = {
    ...account,
    owner: Buffer.from(Uint8Array.from(account.owner)).toString('hex'),
    withdrawals: account.withdrawals.filter(({ amount }) => amount !== 0n).sort((one, other) => one.id - other.id),
  };
  const isNumbered = withdrawals.some(({ number }) => number !== undefined);
  const expected = {
    mint: holder.token.mint,
    owner: Buffer.from(holder.owner).toString('hex'),
    recipient: holder.recipient,
    page: holder.page.address,
    slot: holder.slot,
    nextId,
    delivery: Number(isDelivery),
    numbered: Number(isNumbered),
    waits: Number(withdrawals.some(({ number, stands }) => number === undefined && !stands)),
    pays: Number(withdrawals.some(({ isTransfer }) => isTransfer)),
    watched: Number(threshold !== 0n || isDelivery || withdrawals.some(({ stands }) => stands)),
    waiting: waitingOf(personal),
    orderThreshold: threshold,
    orderWallet: orderWallet ?? NO_APPROVER,
    orderPart: part,
    orderDelayMin: Number(delays[0] / 60n),
    orderDelayMax: Number(delays[1] / 60n),
    withdrawals: withdrawals.map(({ id, amount, number = 0n, wallet, dueAt, inRound, stands, isTransfer }) => ({
      id,
      amount,
      number,
      wallet,
      inRound: stands ? 2 : Number(inRound),
      toCode: Number(isTransfer),
      // When one that has its number is issued again is its own affair.
      dueAt: number === 0n ? dueAt : shown.withdrawals.find((each) => each.id === id)?.dueAt,
    })),
  };
  for (const [name, value] of Object.entries(expected)) {
    const actual = shown[name as keyof typeof expected];
    rule(
      isDeepStrictEqual(actual, value),
      () => `a personal account's ${name}: ${inspect(actual)}, not ${inspect(value)}`,
    );
  }
  checkRecovery(world, personal, account);
}

/** A wiped account says of which token it is, and when it was wiped, and nothing of anybody. */
function checkWiped(world: World, address: Address, { token, nonce, most, wipedAt }: WipedModel): void {
  const data = world.layer.data(address);
  const { mint, wipedAt: at, nonce: kept } = getWipedPersonalDecoder().decode(data);
  rule(data.length === personalBytes(most) && mint === token.mint, 'a wiped account is another one');
  rule(at === wipedAt && Buffer.from(kept).equals(nonce), 'a wiped account was changed');
  rule(
    data.subarray(WIPED_BYTES).every((byte) => byte === 0),
    'a wiped account still holds something',
  );
}

function checkRecovery(world: World, { recovery }: PersonalModel, account: Personal): void {
  const state = readRecovery(account, world.now);
  const { change, completesAt, wallet: present } = recovery ?? {};
  const isDue = completesAt === undefined && change !== undefined && change.from <= world.now;
  const wallet = isDue ? change.wallet : present;
  rule(state.wallet === (wallet ?? null), () => `a recovery wallet is ${state.wallet}, not ${wallet}`);
  rule(state.completesAt === (completesAt ?? null), 'a recovery has another time');
  rule(
    isDue || (state.change?.from ?? null) === (change?.from ?? null),
    'a change of a recovery wallet has another time',
  );
}

function checkToken(world: World, model: Model, token: TokenModel): void {
  const data = view(world.base.data(token.token.pool));
  const at = (place: number) => data.getBigUint64(place, true);
  equal(at(104), token.movedIn, 'what moved into a pool');
  equal(at(112), token.returned, 'what returned from a pool');
  equal(at(120), token.paidOut, 'what a pool paid');
  equal(at(128), token.open, "a pool's open windows");
  equal(at(192), token.coveredTo, 'the covered withdrawals');
  const payableRoot = Buffer.from(world.base.data(token.token.pool).subarray(288, 320)).toString('hex');
  rule(payableRoot === token.payableRoot, 'a pool has another withdrawals tree');
  equal(BigInt(data.getUint32(336, true)), BigInt(token.payableLeaves), 'the leaves of a withdrawals tree');
  equal(at(200), token.sequence, "a root's sequence");
  equal(at(224), token.recordedIn, 'what a recorded tree knows to have moved in');
  equal(at(232), token.openings, 'the windows opened of a pool');
  equal(at(240), token.recordedOpenings, 'the windows that a recorded tree knows');
  equal(at(248), token.left, "what is left of a recorded tree's total");
  equal(at(328), token.closings, 'the windows closed of a pool');
  const windows = model.windowsOf(token);
  equal(token.openings - token.closings, BigInt(windows.length), 'the windows opened and not closed of a pool');
  const held = model.held(token);
  rule(held >= 0n, 'a pool paid more than it got');
  const { amount } = model.purse(token.token.poolToken);
  rule(amount >= held, () => `a pool's token account holds ${amount}, not ${held}`);
  if (token.lied) return;
  const unknown = windows.filter(({ opening }) => opening > token.recordedOpenings);
  const whole = unknown.reduce((sum, window) => sum + window.amount, token.left);
  equal(held, whole, 'what a pool holds, beside what the recorded tree owes and windows that it does not know');
  if (model.layerReset || model.lost) return;
  const liabilities = model.liabilities(token);
  rule(held === liabilities, () => `a pool holds ${held} and owes ${liabilities}`);
}
