import type { FixedSizeEncoder, VariableSizeEncoder } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import {
  addressToBytes,
  BatchPhase,
  CalendarUnit,
  getBalancePageEncoder,
  getBatchEncoder,
  getBitmapPageEncoder,
  getConfigEncoder,
  getCounterEncoder,
  getCreateScheduleInstructionDataEncoder,
  getInitConfigInstructionDataEncoder,
  getPageEncoder,
  getPayOutInstructionDataEncoder,
  getPersonalEncoder,
  getPoolEncoder,
  getRecordLiabilitiesInstructionDataEncoder,
  getRedeemedPageEncoder,
  getRedeemInstructionDataEncoder,
  getScheduleDecoder,
  getScheduleEncoder,
  getSettleInstructionDataEncoder,
  getVaultEncoder,
  getWhitelistEntryEncoder,
  getWipedPersonalEncoder,
  MissedWindows,
  PAGE_HEAD_BYTES,
  PAGE_PERSONAL_AT,
  PAGE_SLOTS,
  SchedulePhase,
  ScheduleStatus,
  SLOT_BYTES,
} from '../src/index.ts';
import { randomAddress } from './support.ts';

const [a, b, c, d] = [randomAddress(), randomAddress(), randomAddress(), randomAddress()];
const hash = new Uint8Array(32).fill(7);

/** The account's bytes, and readers at the contract's offsets. */
function bytesOf<T>(encoder: FixedSizeEncoder<T> | VariableSizeEncoder<T>, value: T) {
  const bytes = Buffer.from(encoder.encode(value));
  return {
    bytes,
    header: [bytes[0], bytes[1], bytes[2]],
    address: (offset: number) => bytes.subarray(offset, offset + 32).equals(addressToBytes(a)),
    u16: (offset: number) => bytes.readUInt16LE(offset),
    u32: (offset: number) => bytes.readUInt32LE(offset),
    u64: (offset: number) => bytes.readBigUInt64LE(offset),
  };
}

describe('account layouts', () => {
  it('config', () => {
    const config = bytesOf(getConfigEncoder(), {
      bump: 9,
      flags: 3,
      maxRecipients: 80_384,
      governance: b,
      pendingGovernance: c,
      executionAuthority: d,
      validator: a,
      minInterval: 60,
      minBatchTimeout: 61,
      maxBatchTimeout: 62,
      maxClaims: 250,
      guardian: a,
      lossGrace: 86_400,
      lossDeclaredAt: 5,
      pendingAuthority: a,
      authorityFrom: 6,
      suspendedUntil: 7,
      governanceSuspendsFrom: 8,
      guardianSuspendsFrom: 9,
      nextGuardian: a,
      guardianFrom: 10,
      nextGovernance: a,
      governanceFrom: 11,
      governanceRevokesFrom: 12,
      guardianRevokesFrom: 13,
      windowFee: 14,
      recipientFee: 15,
      openingFee: 16,
    });
    expect(config.bytes).toHaveLength(384);
    expect(config.header).toEqual([1, 1, 9]);
    expect(config.bytes[3]).toBe(3);
    expect(config.u32(4)).toBe(80_384);
    expect([104, 152].map(config.address)).toEqual([true, true]);
    expect([config.u32(184), config.u64(192)]).toEqual([86_400, 5n]);
    expect(config.address(200)).toBe(true);
    expect([232, 240, 248, 256].map(config.u64)).toEqual([6n, 7n, 8n, 9n]);
    expect([264, 304].map(config.address)).toEqual([true, true]);
    expect([296, 336, 344, 352].map(config.u64)).toEqual([10n, 11n, 12n, 13n]);
    expect([360, 364, 368].map(config.u32)).toEqual([14, 15, 16]);
    expect([config.u32(136), config.u32(140), config.u32(144), config.u16(148)]).toEqual([60, 61, 62, 250]);
  });

  it('pool', () => {
    const pool = bytesOf(getPoolEncoder(), {
      bump: 1,
      decimals: 6,
      hasPowers: 1,
      liabilityLeaves: 12,
      mint: b,
      tokenAccount: c,
      tokenProgram: a,
      movedIn: 1,
      returned: 2,
      paidOut: 3,
      open: 4,
      highestWithdrawal: 5,
      withdrawals: 6,
      liabilitiesRoot: hash,
      liabilitiesTotal: 7,
      coveredTo: 8,
      sequence: 9,
      recordedAt: 10,
      redeemed: 11,
      recordedIn: 12,
      openings: 13,
      recordedOpenings: 14,
      liabilitiesLeft: 15,
      validator: a,
      withdrawalsRoot: hash,
      withdrawalLeaves: 16,
      sponsorBump: 17,
      leastOpening: 17,
      closings: 18,
    });
    expect(pool.bytes).toHaveLength(352);
    expect(pool.bytes.subarray(288, 320).equals(hash)).toBe(true);
    expect([320, 328].map(pool.u64)).toEqual([17n, 18n]);
    expect([pool.u32(336), pool.bytes[340]]).toEqual([16, 17]);
    expect([...pool.header, pool.bytes[3], pool.u32(4)]).toEqual([2, 1, 1, 6, 12]);
    expect(pool.bytes.subarray(152, 184).equals(hash)).toBe(true);
    expect([184, 192, 200, 208, 216, 224, 232, 240, 248].map(pool.u64)).toEqual([
      7n,
      8n,
      9n,
      10n,
      11n,
      12n,
      13n,
      14n,
      15n,
    ]);
    expect([72, 256].map(pool.address)).toEqual([true, true]);
    expect([104, 112, 120, 128, 136, 144].map(pool.u64)).toEqual([1n, 2n, 3n, 4n, 5n, 6n]);
  });

  it('vault', () => {
    const vault = bytesOf(getVaultEncoder(), {
      bump: 1,
      decimals: 6,
      hasPowers: 1,
      schedules: 77,
      employer: b,
      mint: c,
      tokenAccount: a,
      reserved: 1,
      open: 2,
      deposited: 3,
      withdrawn: 4,
      paid: 5,
      nextId: 6,
      closed: 1,
      approval: 1,
      spentDay: 8,
      approvalLimit: 7,
      dailyLimit: 9,
      spentAlone: 10,
    });
    expect(vault.bytes).toHaveLength(192);
    expect([...vault.header, vault.bytes[3], vault.u32(4)]).toEqual([3, 1, 1, 6, 77]);
    expect(vault.address(72)).toBe(true);
    expect([104, 112, 120, 128, 136, 144].map(vault.u64)).toEqual([1n, 2n, 3n, 4n, 5n, 6n]);
    expect([vault.bytes[152], vault.bytes[153], vault.u64(160)]).toEqual([1, 1, 7n]);
    expect([vault.u32(156), vault.u64(168), vault.u64(176)]).toEqual([8, 9n, 10n]);
  });

  it('schedule', () => {
    const value = {
      bump: 1,
      status: ScheduleStatus.Cancelled,
      phase: SchedulePhase.Open,
      missed: MissedWindows.Skip,
      batchBump: 250,
      unit: CalendarUnit.MonthsOnDay,
      vault: b,
      mint: a,
      root: hash,
      id: 1n,
      amount: 2n,
      every: 3,
      day: 31,
      heldCount: 2,
      nextExecution: 4n,
      window: 5n,
      recipients: 6,
      executionsLeft: 7,
      batchTimeout: 8,
      rootVersion: 9,
      openedAt: 10n,
      windowAmount: 11n,
      windowRecipients: 12,
      windowRootVersion: 13,
      lastPaidCount: 14,
      windowHeld: 18,
      lastPaidAmount: 15n,
      lastBitmapHash: hash,
      lastSettledAt: 16n,
      paidTotal: 17n,
      windowOpening: 19n,
      opensFrom: 26n,
      minInterval: 27,
      prepaidRecipients: 28,
      windowFee: 29,
      recipientFee: 30,
      prepaid: 31n,
      lent: 32n,
      openingFee: 33,
      leastOpening: 34n,
      dateCount: 35,
      held: [20, 21, ...new Array<number>(30).fill(0)],
      dates: [36, 37, ...new Array<number>(50).fill(0)],
      proposedRoot: hash,
      proposedAmount: 22n,
      proposedAt: 23n,
      proposedRecipients: 24,
      proposedExecutions: 25,
      proposedDatesBefore: 38,
      kept: 39,
      keptReserved: 40,
      holds: 41,
      proposedHeldCount: 42,
      proposedHolds: 43,
    };
    const schedule = bytesOf(getScheduleEncoder(), value);
    expect(schedule.bytes).toHaveLength(720);
    expect([...schedule.bytes.subarray(0, 8)]).toEqual([4, 1, 1, 2, 1, 1, 250, 3]);
    expect(schedule.address(40)).toBe(true);
    expect(schedule.bytes.subarray(72, 104).equals(hash)).toBe(true);
    expect([104, 112, 128, 136].map(schedule.u64)).toEqual([1n, 2n, 4n, 5n]);
    expect([schedule.u32(120), ...schedule.bytes.subarray(124, 128)]).toEqual([3, 31, 2, 39, 40]);
    expect([144, 148, 152, 156].map(schedule.u32)).toEqual([6, 7, 8, 9]);
    expect([160, 168].map(schedule.u64)).toEqual([10n, 11n]);
    expect([176, 180, 184, 188].map(schedule.u32)).toEqual([12, 13, 14, 18]);
    expect(schedule.u64(192)).toBe(15n);
    expect(schedule.bytes.subarray(200, 232).equals(hash)).toBe(true);
    expect([232, 240, 248, 256].map(schedule.u64)).toEqual([16n, 17n, 19n, 26n]);
    expect([264, 268, 272, 276].map(schedule.u32)).toEqual([27, 28, 29, 30]);
    expect([280, 288, 304].map(schedule.u64)).toEqual([31n, 32n, 34n]);
    expect([296, 312, 320, 324, 444].map(schedule.u32)).toEqual([33, 41, 20, 21, 0]);
    expect([448, 452, 652].map(schedule.u32)).toEqual([36, 37, 0]);
    expect(schedule.bytes.subarray(656, 688).equals(hash)).toBe(true);
    expect([688, 696].map(schedule.u64)).toEqual([22n, 23n]);
    expect([704, 708, 716].map(schedule.u32)).toEqual([24, 25, 43]);
    expect([300, 712, 713].map((at) => schedule.bytes[at])).toEqual([35, 38, 42]);
    expect(getScheduleDecoder().decode(new Uint8Array(schedule.bytes))).toMatchObject({
      kind: 4,
      version: 1,
      ...value,
    });
  });

  it('batch', () => {
    const held = Array.from({ length: 32 }, (_, place) => place + 9);
    const batch = bytesOf(getBatchEncoder(), {
      bump: 1,
      phase: BatchPhase.Closed,
      recipients: 20,
      schedule: b,
      mint: a,
      root: hash,
      window: 1,
      openedAt: 2,
      batchTimeout: 3,
      paidCount: 4,
      amount: 5,
      paidAmount: 6,
      bitmapHash: hash,
      heldCount: 7,
      newCount: 8,
      bitmapPages: 3,
      bitmapNonce: 9,
      held,
    });
    expect(batch.bytes).toHaveLength(320);
    expect([...batch.header, batch.bytes[3], batch.u32(4)]).toEqual([6, 1, 1, 2, 20]);
    expect(batch.address(40)).toBe(true);
    expect([104, 112].map(batch.u64)).toEqual([1n, 2n]);
    expect([120, 124].map(batch.u32)).toEqual([3, 4]);
    expect([128, 136].map(batch.u64)).toEqual([5n, 6n]);
    expect(batch.bytes.subarray(144, 176).equals(hash)).toBe(true);
    expect(batch.u32(176)).toBe(7);
    expect(batch.u32(180)).toBe(8);
    expect([184, 188].map(batch.u32)).toEqual([3, 9]);
    expect(held.map((_, place) => batch.u32(192 + 4 * place))).toEqual(held);
  });

  it('page of a bitmap, with its bits after its head', () => {
    const bitmap = Uint8Array.of(1, 2, 3);
    const page = bytesOf(getBitmapPageEncoder(), { bump: 1, number: 2, schedule: a, window: 3, bitmap });
    expect(page.bytes).toHaveLength(51);
    expect([...page.header, page.u32(4)]).toEqual([12, 1, 1, 2]);
    expect(page.address(8)).toBe(true);
    expect(page.u64(40)).toBe(3n);
    expect([...page.bytes.subarray(48)]).toEqual([1, 2, 3]);
  });

  it('page of balances, with its slots after its head', () => {
    const slots = [
      { owner: hash, amount: 1 },
      { owner: new Uint8Array(32), amount: 2n ** 64n - 1n },
    ];
    const nonce = hash.subarray(0, 16);
    const personal = Array.from({ length: PAGE_SLOTS }, (_, slot) => 0xff00 + slot);
    const page = bytesOf(getBalancePageEncoder(), { bump: 1, number: 70_000, mint: a, nonce, personal, slots });
    expect(page.bytes).toHaveLength(PAGE_HEAD_BYTES + 2 * SLOT_BYTES);
    expect([...page.header, page.bytes[3], page.u32(4)]).toEqual([5, 1, 1, 0, 70_000]);
    expect(page.address(8)).toBe(true);
    expect(page.bytes.subarray(40, 56).equals(nonce)).toBe(true);
    const noted = Array.from(personal, (_, slot) => page.bytes.readUInt16LE(PAGE_PERSONAL_AT + 2 * slot));
    expect(noted).toEqual(personal);
    expect(PAGE_PERSONAL_AT + 2 * PAGE_SLOTS).toBe(PAGE_HEAD_BYTES);
    expect(page.bytes.subarray(536, 568).equals(hash)).toBe(true);
    expect([568, 608].map(page.u64)).toEqual([1n, 2n ** 64n - 1n]);
    // A page holds what one account of the layer can.
    expect(PAGE_HEAD_BYTES + PAGE_SLOTS * SLOT_BYTES).toBeLessThanOrEqual(10_240);
  });

  it('personal account, with its withdrawals after its head', () => {
    const withdrawal = { number: 21, amount: 22, wallet: a, dueAt: 23, id: 24, inRound: 25, toCode: 26 };
    const personal = bytesOf(getPersonalEncoder(), {
      bump: 1,
      numbered: 2,
      waits: 3,
      watched: 4,
      delivery: 5,
      slot: 6,
      mint: a,
      owner: hash,
      recipient: a,
      page: a,
      waiting: 7,
      nextId: 8,
      orderDelayMin: 9,
      orderDelayMax: 10,
      orderThreshold: 11,
      orderWallet: a,
      orderPart: 12,
      recoveryWallet: a,
      recoveryNextWallet: a,
      recoveryNextSince: 13,
      recoveryDueAt: 14,
      nonce: hash.subarray(0, 16),
      madeAt: 17,
      pays: 18,
      withdrawals: [{ ...withdrawal, number: 0, amount: 0 }, withdrawal],
    });
    expect(personal.bytes).toHaveLength(312 + 2 * 64);
    expect([...personal.bytes.subarray(0, 8)]).toEqual([13, 1, 1, 2, 3, 4, 5, 6]);
    expect([8, 72, 104, 160, 200, 232].map(personal.address)).toEqual(new Array(6).fill(true));
    expect(personal.bytes.subarray(40, 72).equals(hash)).toBe(true);
    expect([136, 152, 192, 264, 272].map(personal.u64)).toEqual([7n, 11n, 12n, 13n, 14n]);
    expect([personal.u32(144), personal.u16(148), personal.u16(150)]).toEqual([8, 9, 10]);
    expect(personal.bytes.subarray(280, 296).equals(hash.subarray(0, 16))).toBe(true);
    expect(personal.u64(296)).toBe(17n);
    expect([...personal.bytes.subarray(304, 312)]).toEqual([18, 0, 0, 0, 0, 0, 0, 0]);
    expect([376, 384, 424].map(personal.u64)).toEqual([21n, 22n, 23n]);
    expect([personal.address(392), personal.u32(432)]).toEqual([true, 24]);
    expect([personal.u16(436), personal.u16(438)]).toEqual([25, 26]);
  });

  it('personal account that was wiped, with nothing after its head', () => {
    const nonce = hash.subarray(0, 16);
    const wiped = bytesOf(getWipedPersonalEncoder(), {
      bump: 1,
      mint: a,
      nonce,
      wipedAt: 2,
      zeros: new Uint8Array(3),
    });
    expect(wiped.bytes).toHaveLength(64 + 3);
    expect([...wiped.bytes.subarray(0, 8)]).toEqual([14, 1, 1, 0, 0, 0, 0, 0]);
    expect(wiped.address(8)).toBe(true);
    expect(wiped.bytes.subarray(40, 56).equals(nonce)).toBe(true);
    expect(wiped.u64(56)).toBe(2n);
  });

  it('counter, pages of numbers and whitelist entry', () => {
    const counter = bytesOf(getCounterEncoder(), { bump: 1, mint: a, next: 2, requested: 3, transfers: 4 });
    expect(counter.bytes).toHaveLength(64);
    expect(counter.address(8)).toBe(true);
    expect([40, 48, 56].map(counter.u64)).toEqual([2n, 3n, 4n]);

    const page = bytesOf(getPageEncoder(), { bump: 1, page: 5, mint: a, bitmap: new Uint8Array(1_024).fill(9) });
    expect(page.bytes).toHaveLength(1_088);
    expect([...page.header, page.u32(4), page.bytes[63], page.bytes[64]]).toEqual([8, 1, 1, 5, 0, 9]);
    expect(page.address(8)).toBe(true);

    const redeemed = Buffer.from(
      getRedeemedPageEncoder().encode({ bump: 1, page: 5, mint: a, bitmap: new Uint8Array(1_024).fill(9) }),
    );
    expect(redeemed[0]).toBe(10);
    expect(redeemed.subarray(1).equals(page.bytes.subarray(1))).toBe(true);

    const entry = bytesOf(getWhitelistEntryEncoder(), { bump: 1, allowed: 1, subject: a, setAt: 2 });
    expect(entry.bytes).toHaveLength(96);
    expect([...entry.header, entry.bytes[3], entry.u32(4)]).toEqual([9, 1, 1, 1, 0]);
    expect(entry.address(8)).toBe(true);
    expect(entry.u64(40)).toBe(2n);
  });
});

describe('instruction data', () => {
  it('of create_schedule', () => {
    const data = Buffer.from(
      getCreateScheduleInstructionDataEncoder().encode({
        id: 1,
        root: hash,
        amount: 2,
        recipients: 3,
        unit: CalendarUnit.MonthsOnDay,
        every: 4,
        day: 31,
        firstExecution: 5,
        executions: 6,
        batchTimeout: 7,
        missed: MissedWindows.Skip,
        kept: 10,
        dates: [8, 9],
      }),
    );
    expect(data).toHaveLength(85 + 2 + 2 * 4);
    expect([data.readUInt16LE(85), data.readUInt32LE(87), data.readUInt32LE(91)]).toEqual([2, 8, 9]);
    expect([data[0], data[53], data[58], data[75], data[76]]).toEqual([9, 3, 31, 1, 10]);
    expect([data.readBigUInt64LE(1), data.readBigUInt64LE(41), data.readUInt32LE(49)]).toEqual([1n, 2n, 3]);
    expect([data.readUInt32LE(54), data.readBigInt64LE(59)]).toEqual([4, 5n]);
    expect([data.readUInt32LE(67), data.readUInt32LE(71)]).toEqual([6, 7]);
  });

  it('of init_config, with the limits between the roles and the flags', () => {
    const limits = {
      maxRecipients: 1,
      minInterval: 2,
      minBatchTimeout: 3,
      maxBatchTimeout: 4,
      maxClaims: 5,
      windowFee: 6,
      recipientFee: 7,
      openingFee: 8,
    };
    const roles = { governance: b, guardian: c, executionAuthority: d, validator: a };
    const data = Buffer.from(
      getInitConfigInstructionDataEncoder().encode({ ...roles, limits, flags: 3, lossGrace: 86_400 }),
    );
    expect(data).toHaveLength(1 + 4 * 32 + 30 + 1 + 4);
    expect([129, 133, 137, 141].map((offset) => data.readUInt32LE(offset))).toEqual([1, 2, 3, 4]);
    expect([147, 151, 155, 160].map((offset) => data.readUInt32LE(offset))).toEqual([6, 7, 8, 86_400]);
    expect([data.readUInt16LE(145), data[159]]).toEqual([5, 3]);
  });

  it('of settle, with what was paid and a counted number of windows', () => {
    const data = Buffer.from(getSettleInstructionDataEncoder().encode({ paid: 1, windows: [6, 7] }));
    expect(data).toHaveLength(27);
    expect([data[0], data.readUInt16LE(9)]).toEqual([16, 2]);
    expect([1, 11, 19].map((offset) => data.readBigUInt64LE(offset))).toEqual([1n, 6n, 7n]);
  });

  it('of record_liabilities, with what is owed', () => {
    const payable = { withdrawalsRoot: hash, withdrawalLeaves: 9 };
    const liabilities = {
      sequence: 1,
      root: hash,
      total: 2,
      openings: 8,
      movedIn: 3,
      coveredTo: 4,
      leaves: 5,
      ...payable,
    };
    const data = Buffer.from(getRecordLiabilitiesInstructionDataEncoder().encode({ liabilities }));
    expect(data).toHaveLength(113);
    expect([1, 41, 49, 57, 65].map((offset) => data.readBigUInt64LE(offset))).toEqual([1n, 2n, 8n, 3n, 4n]);
    expect([data[0], data.readUInt32LE(73), data.readUInt32LE(109)]).toEqual([23, 5, 9]);
    expect([data.subarray(9, 41), data.subarray(77, 109)].every((bytes) => bytes.equals(hash))).toBe(true);
  });

  it('of pay_out, with place, blind and a counted proof', () => {
    const proven = { index: 3, blind: new Uint8Array(16).fill(8), proof: [hash] };
    const data = Buffer.from(getPayOutInstructionDataEncoder().encode({ number: 1, amount: 2, proven }));
    expect(data).toHaveLength(17 + 4 + 16 + 2 + 32);
    expect([data[0], data.readUInt32LE(17), data[21], data.readUInt16LE(37)]).toEqual([17, 3, 8, 1]);
    expect([1, 9].map((offset) => data.readBigUInt64LE(offset))).toEqual([1n, 2n]);
  });

  it('of redeem, with a counted proof last', () => {
    const leaf = { index: 1, amount: 2, number: 3, blind: new Uint8Array(16).fill(8) };
    const opened = { opening: new Uint8Array(16).fill(9), delivery: 1 };
    const data = Buffer.from(getRedeemInstructionDataEncoder().encode({ ...leaf, ...opened, proof: [hash, hash] }));
    expect(data).toHaveLength(1 + 4 + 16 + 1 + 16 + 16 + 2 + 64);
    expect([data[0], data.readUInt32LE(1), data[5], data[20], data[21]]).toEqual([26, 1, 9, 9, 1]);
    expect([22, 30].map((offset) => data.readBigUInt64LE(offset))).toEqual([2n, 3n]);
    expect([data[38], data[53], data.readUInt16LE(54), data[56]]).toEqual([8, 8, 2, 7]);
  });
});
