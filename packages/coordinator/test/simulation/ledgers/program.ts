import {
  addressFromBytes,
  BALANCE_KIND,
  type Batch,
  BatchPhase,
  balanceRent,
  balanceSeed,
  bitmapHash,
  bitmapSize,
  CLAIM_PAYMENT_DISCRIMINATOR,
  COMMIT_DISCRIMINATOR,
  calendarFromLedger,
  DELEGATE_SCHEDULE_DISCRIMINATOR,
  DELEGATION_PROGRAM_ADDRESS,
  firstAfter,
  getCommitInstructionDataDecoder,
  getDelegateScheduleInstructionDataDecoder,
  getRecordLiabilitiesInstructionDataDecoder,
  isBitSet,
  type Leaf,
  type Liabilities,
  leafHash,
  MissedWindows,
  nextExecution,
  type Pool,
  type ProgramErrorName,
  programError,
  RECORD_LIABILITIES_DISCRIMINATOR,
  readSettlement,
  type Schedule,
  SchedulePhase,
  ScheduleStatus,
  SETTLE_DISCRIMINATOR,
  type SettledTogether,
  verifyRange,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import type { SentInstruction } from './message.ts';
import type { Sandbox } from './sandbox.ts';

/** An error of a transaction as RPC answers it. */
export type LedgerError = { readonly InstructionError: readonly [number, { readonly Custom: number }] } | string;

/** Somebody is paid by a claim. */
export type Payment = {
  readonly schedule: Address;
  readonly window: bigint;
  readonly index: number;
  readonly recipient: Address;
  readonly balance: Address;
  readonly amount: bigint;
};

/** Where the program runs. */
export type Run = {
  readonly sandbox: Sandbox;
  readonly program: Address;
  readonly authority: Address;
  /** For tests of the simulator: whoever is claimed is paid, whatever the bitmap and the window's amount say. */
  readonly paysTwice: boolean;
  /** Payments of the transaction so far. */
  readonly payments: Payment[];
};

const FIRST_CODE = 6_000;
const CODES = new Map<ProgramErrorName, number>();
for (let code = FIRST_CODE, error = programError(code); error !== undefined; error = programError(++code)) {
  CODES.set(error.name, code);
}

/** Of an opening: schedule, batch, vault and its tokens, pool and its tokens. */
type Six = [Address, Address, Address, Address, Address, Address];

/** What an instruction came to: a name of the program's errors, or nothing when it has done its work. */
type Outcome = ProgramErrorName | undefined;

const decoders = {
  delegate: getDelegateScheduleInstructionDataDecoder(),
  commit: getCommitInstructionDataDecoder(),
  record: getRecordLiabilitiesInstructionDataDecoder(),
};
const BASE: Partial<Record<number, (run: Run, instruction: SentInstruction) => Outcome>> = {
  [DELEGATE_SCHEDULE_DISCRIMINATOR]: delegateSchedule,
  [SETTLE_DISCRIMINATOR]: settle,
  [RECORD_LIABILITIES_DISCRIMINATOR]: recordLiabilities,
};
const LAYER: typeof BASE = { [CLAIM_PAYMENT_DISCRIMINATOR]: claimPayment, [COMMIT_DISCRIMINATOR]: commit };

/** Does what an instruction of the ledger program does, by its own rules; returns its error's code. */
export function runProgram(run: Run, ledger: 'base' | 'layer', instruction: SentInstruction): number | undefined {
  const work = (ledger === 'base' ? BASE : LAYER)[instruction.data[0] as number];
  if (work === undefined)
    throw new Error(`The fake program has no instruction ${instruction.data[0]} on the ${ledger}.`);
  const isAuthority = instruction.accounts[0] === run.authority;
  const error = isAuthority ? work(run, instruction) : 'NotExecutionAuthority';
  return error === undefined ? undefined : CODES.get(error);
}

function delegateSchedule({ sandbox }: Run, { accounts, data }: SentInstruction): Outcome {
  const [scheduleAt, batchAt, vaultAt, vaultToken, poolAt, poolToken] = accounts.slice(2) as Six;
  const { window } = decoders.delegate.decode(data);
  const schedule = sandbox.value(scheduleAt, 'schedule');
  const vault = sandbox.value(vaultAt, 'vault');
  const pool = sandbox.value(poolAt, 'pool');
  const account = sandbox.get(batchAt);
  const batch = sandbox.value(batchAt, 'batch');
  if (schedule === undefined || vault === undefined || pool === undefined || account === undefined) {
    return 'InvalidAccount';
  }
  if (schedule.phase === SchedulePhase.Open) return 'WindowAlreadyOpen';
  if (batch === undefined || account.owner === DELEGATION_PROGRAM_ADDRESS) return 'InvalidAccount';
  if (schedule.window !== window) return 'WrongWindow';
  if (schedule.status !== ScheduleStatus.Active || schedule.executionsLeft === 0) return 'ScheduleNotActive';
  if (sandbox.now < schedule.nextExecution) return 'NotDue';
  const { amount } = schedule;
  if (vault.reserved < amount) return 'InsufficientReserve';
  if (!sandbox.moveTokens(vaultToken, poolToken, amount)) return 'PoolShortfall';
  sandbox.change(vaultAt, 'vault', { reserved: vault.reserved - amount, open: vault.open + amount });
  sandbox.change(poolAt, 'pool', { movedIn: pool.movedIn + amount, open: pool.open + amount });
  sandbox.change(scheduleAt, 'schedule', {
    phase: SchedulePhase.Open,
    openedAt: sandbox.now,
    windowAmount: amount,
    windowRecipients: schedule.recipients,
    windowRootVersion: schedule.rootVersion,
    windowHeld: schedule.heldCount,
    windowMovedIn: pool.movedIn + amount,
  });
  const bitmap = new Uint8Array(batch.bitmap.length);
  for (const index of schedule.held.slice(0, schedule.heldCount)) setBit(bitmap, index);
  sandbox.change(batchAt, 'batch', {
    phase: BatchPhase.Open,
    recipients: schedule.recipients,
    root: schedule.root,
    window,
    openedAt: sandbox.now,
    batchTimeout: schedule.batchTimeout,
    paidCount: 0,
    amount,
    paidAmount: 0n,
    heldCount: schedule.heldCount,
    bitmap,
  });
  const opened = sandbox.get(batchAt);
  if (opened !== undefined) sandbox.put(batchAt, { ...opened, owner: DELEGATION_PROGRAM_ADDRESS });
  return undefined;
}

function settle({ sandbox }: Run, { accounts, data }: SentInstruction): Outcome {
  const settled = readSettlement(data, accounts);
  if (settled === undefined) return 'InvalidData';
  const pool = [accounts[2], accounts[3]] as const;
  for (const window of settled.windows) {
    const error = settleOne(sandbox, pool as readonly [Address, Address], window, settled.liabilities.movedIn);
    if (error !== undefined) return error;
  }
  return record(sandbox, pool[0] as Address, settled.liabilities);
}

function settleOne(
  sandbox: Sandbox,
  [poolAt, poolToken]: readonly [Address, Address],
  { schedule: scheduleAt, batch: batchAt, vault: vaultAt, vaultToken, window }: SettledTogether['windows'][number],
  movedIn: bigint,
): Outcome {
  const schedule = sandbox.value(scheduleAt, 'schedule');
  const vault = sandbox.value(vaultAt, 'vault');
  const pool = sandbox.value(poolAt, 'pool');
  const batch = sandbox.value(batchAt, 'batch');
  if (schedule === undefined || vault === undefined || pool === undefined) return 'InvalidAccount';
  if (schedule.phase !== SchedulePhase.Open) return 'WindowNotOpen';
  if (schedule.window !== window) return 'WrongWindow';
  if (schedule.windowMovedIn > movedIn) return 'LiabilitiesMismatch';
  if (batch === undefined || sandbox.get(batchAt)?.owner === DELEGATION_PROGRAM_ADDRESS) {
    return 'InvalidAccount';
  }
  if (batch.phase !== BatchPhase.Closed || batch.window !== window) return 'BatchNotClosed';
  const { paidAmount: paid, paidCount } = batch;
  const payable = schedule.windowRecipients - schedule.windowHeld;
  const isImpossible = paid < BigInt(paidCount) || (paidCount === 0 && paid !== 0n);
  if (paid > schedule.windowAmount || paidCount > payable || isImpossible) return 'BatchOutOfBounds';
  const deadline = schedule.openedAt + BigInt(schedule.batchTimeout);
  if (paidCount < payable && sandbox.now < deadline) return 'BatchNotComplete';

  const unpaid = schedule.windowAmount - paid;
  sandbox.change(vaultAt, 'vault', { open: vault.open - schedule.windowAmount, paid: vault.paid + paid });
  sandbox.change(poolAt, 'pool', {
    open: pool.open - schedule.windowAmount,
    returned: pool.returned + unpaid,
  });
  sandbox.change(scheduleAt, 'schedule', afterWindow(schedule, batch, sandbox.now));
  sandbox.change(batchAt, 'batch', { phase: BatchPhase.Idle });
  return unpaid > 0n && !sandbox.moveTokens(poolToken, vaultToken, unpaid) ? 'PoolShortfall' : undefined;
}

/** A schedule once its window is settled. */
function afterWindow(schedule: Schedule, batch: Batch, now: bigint): Partial<Schedule> {
  const calendar = calendarFromLedger(schedule);
  const planned = schedule.nextExecution;
  const executionsLeft = schedule.executionsLeft - 1;
  const isCompleted = executionsLeft === 0 && schedule.status !== ScheduleStatus.Cancelled;
  return {
    nextExecution:
      schedule.missed === MissedWindows.Skip ? firstAfter(calendar, planned, now) : nextExecution(calendar, planned),
    phase: SchedulePhase.Idle,
    openedAt: 0n,
    windowAmount: 0n,
    windowRecipients: 0,
    windowHeld: 0,
    windowMovedIn: 0n,
    window: schedule.window + 1n,
    executionsLeft,
    status: isCompleted ? ScheduleStatus.Completed : schedule.status,
    lastPaidCount: batch.paidCount,
    lastPaidAmount: batch.paidAmount,
    lastBitmapHash: batch.bitmapHash,
    lastSettledAt: now,
    paidTotal: schedule.paidTotal + batch.paidAmount,
  };
}

function recordLiabilities({ sandbox }: Run, { accounts, data }: SentInstruction): Outcome {
  return record(sandbox, accounts[2] as Address, decoders.record.decode(data).liabilities);
}

function record(sandbox: Sandbox, at: Address, liabilities: Liabilities): Outcome {
  const pool = sandbox.value(at, 'pool') as Pool;
  if (liabilities.sequence !== pool.sequence + 1n) return 'StaleRoot';
  if (liabilities.coveredTo < pool.coveredTo || liabilities.coveredTo <= pool.highestWithdrawal) return 'StaleRoot';
  if (liabilities.movedIn < pool.recordedIn) return 'StaleRoot';
  const known = liabilities.movedIn - pool.returned - pool.paidOut;
  if (
    liabilities.movedIn > pool.movedIn ||
    liabilities.total !== known ||
    (liabilities.leaves === 0 && liabilities.total !== 0n)
  )
    return 'LiabilitiesMismatch';
  sandbox.change(at, 'pool', {
    sequence: liabilities.sequence,
    liabilitiesRoot: Uint8Array.from(liabilities.root),
    liabilitiesTotal: liabilities.total,
    coveredTo: liabilities.coveredTo,
    liabilityLeaves: liabilities.leaves,
    recordedAt: sandbox.now,
    recordedIn: liabilities.movedIn,
  });
  return undefined;
}

/** recipient 32 ‖ amount u64 ‖ delivery u8 ‖ salt 16 ‖ bump u8 */
const ENTRY_BYTES = 58;
const HASH_BYTES = 32;
/** Lamports that a batch keeps for itself, by the base ledger's rent. */
const rentOf = (bytes: number) => (BigInt(bytes) + 128n) * 6_960n;

type Claims = {
  readonly leaves: readonly Leaf[];
  readonly proof: readonly Uint8Array[];
  readonly bumps: readonly number[];
};

function readClaims(data: Uint8Array): Claims {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const start = view.getUint32(1, true);
  const count = view.getUint16(5, true);
  let offset = 7;
  const leaves: Leaf[] = [];
  const bumps: number[] = [];
  for (let place = 0; place < count; place++, offset += ENTRY_BYTES) {
    leaves.push({
      index: start + place,
      recipient: addressFromBytes(data.subarray(offset, offset + 32)),
      amount: view.getBigUint64(offset + 32, true),
      delivery: data[offset + 40] === 0 ? 'balance' : 'wallet',
      salt: data.slice(offset + 41, offset + 57),
    });
    bumps.push(data[offset + 57] as number);
  }
  const hashes = view.getUint16(offset, true);
  offset += 2;
  const proof = Array.from({ length: hashes }, (_, place) =>
    data.slice(offset + place * HASH_BYTES, offset + (place + 1) * HASH_BYTES),
  );
  return { leaves, proof, bumps };
}

function claimPayment(run: Run, { accounts, data }: SentInstruction): Outcome {
  const { sandbox } = run;
  const batchAt = accounts[2] as Address;
  const balances = accounts.slice(5);
  const account = sandbox.get(batchAt);
  const batch = sandbox.value(batchAt, 'batch');
  if (batch === undefined || account?.owner !== run.program) return 'InvalidAccount';
  if (batch.phase !== BatchPhase.Open) return 'BatchNotOpen';
  const { leaves, proof, bumps } = readClaims(data);
  const start = leaves[0]?.index ?? 0;
  if (leaves.length === 0 || start + leaves.length > batch.recipients || balances.length !== leaves.length) {
    return 'InvalidRange';
  }
  const leafHashes = leaves.map(leafHash);
  const root = Uint8Array.from(batch.root);
  if (!verifyRange({ root, leafCount: batch.recipients, start, leafHashes, proof })) return 'InvalidProof';
  const bitmap = Uint8Array.from(batch.bitmap);
  let { paidCount, paidAmount } = batch;
  let lamports = account.lamports;
  for (const [place, leaf] of leaves.entries()) {
    if (isBitSet(bitmap, leaf.index) && !run.paysTwice) continue;
    if (leaf.amount === 0n || (paidAmount + leaf.amount > batch.amount && !run.paysTwice)) continue;
    const at = balances[place] as Address;
    const existing = sandbox.get(at);
    const known = sandbox.value(at, 'balance');
    if (known !== undefined) {
      if (known.recipient !== leaf.recipient || known.mint !== batch.mint) return 'InvalidAccount';
      sandbox.change(at, 'balance', { amount: known.amount + leaf.amount });
    } else if (existing === undefined && lamports >= rentOf(192 + bitmap.length) + balanceRent(1)) {
      lamports -= balanceRent(1);
      sandbox.put(at, newBalance(run.program, batch.mint, leaf, bumps[place] as number));
    } else {
      continue;
    }
    paidAmount += leaf.amount;
    paidCount += 1;
    setBit(bitmap, leaf.index);
    const { schedule, window } = batch;
    run.payments.push({
      schedule,
      window,
      index: leaf.index,
      recipient: leaf.recipient,
      balance: at,
      amount: leaf.amount,
    });
  }
  sandbox.put(batchAt, { ...account, lamports });
  sandbox.change(batchAt, 'batch', { bitmap, paidCount, paidAmount });
  return undefined;
}

function newBalance(program: Address, mint: Address, { recipient, amount, salt }: Leaf, bump: number) {
  // A salt of the wrong size would be an error of the client.
  balanceSeed(mint, { recipient, salt });
  const value = {
    kind: BALANCE_KIND,
    version: 1,
    bump,
    attention: 0,
    orderDelayMin: 0,
    orderDelayMax: 0,
    amount,
    mint,
    recipient,
    pendingNumber: 0n,
    pendingAmount: 0n,
    pendingWallet: recipient,
    dueAt: 0n,
    deliver: 0n,
    orderThreshold: 0n,
    orderWallet: recipient,
    orderPart: 0n,
  };
  return { owner: program, lamports: 0n, content: { kind: 'balance', value } } as const;
}

function commit({ sandbox, program }: Run, { accounts, data }: SentInstruction): Outcome {
  const batchAt = accounts[2] as Address;
  const { window } = decoders.commit.decode(data);
  const batch = sandbox.value(batchAt, 'batch');
  if (batch === undefined || sandbox.get(batchAt)?.owner !== program) return 'InvalidAccount';
  if (batch.phase !== BatchPhase.Open) return 'BatchNotOpen';
  if (batch.window !== window) return 'WrongWindow';
  const isComplete = batch.paidCount + batch.heldCount >= batch.recipients;
  if (!isComplete && sandbox.now < batch.openedAt + BigInt(batch.batchTimeout)) return 'BatchNotComplete';
  const used = Uint8Array.from(batch.bitmap).subarray(0, bitmapSize(batch.recipients));
  sandbox.change(batchAt, 'batch', {
    bitmapHash: bitmapHash({ schedule: batch.schedule, window, bitmap: used }),
    bitmap: new Uint8Array(batch.bitmap.length),
    phase: BatchPhase.Closed,
  });
  return undefined;
}

function setBit(bits: Uint8Array, index: number): void {
  bits[index >> 3] = (bits[index >> 3] as number) | (1 << (index & 7));
}
