import {
  type Batch,
  BatchPhase,
  BITMAP_PAGE_KIND,
  bitmapAddresses,
  bitmapOf,
  DELEGATION_PROGRAM_ADDRESS,
  type Schedule,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { RunError } from '../domain/errors.ts';
import { batchOf, scheduleOf, termsOf } from './accounts.ts';
import {
  type BaseLedger,
  type Commitment,
  type ExecutionLayer,
  type LedgerAccount,
  readAccount,
  readAccounts,
} from './ledger.ts';

/**
 * Where a window stands on the base ledger.
 * - `settled`: over
 * - `unopened`: it is the next one
 * - `delegated`: open, its batch is with the execution layer
 * - `returned`: open, its batch is back: closed, or in another phase, with which it can be settled from its deadline on
 */
export type WindowPosition = 'settled' | 'unopened' | 'delegated' | 'returned';

/** A reading of a window's accounts on the base ledger. */
export type WindowProbe = {
  readonly position: WindowPosition;
  readonly slot: bigint;
  readonly schedule: Schedule;
  /** The batch's account, wherever it is; on the base it shows the state before the window while delegated. */
  readonly batch: LedgerAccount;
};

/** Which accounts a window has. */
export type WindowAddresses = {
  readonly schedule: Address;
  readonly batch: Address;
  readonly window: bigint;
  readonly program: Address;
};

/** Reads where a window stands. Throws `RunError` for a ledger that doesn't fit this window at all. */
export async function probeWindow(
  base: BaseLedger,
  at: WindowAddresses,
  commitment: Commitment = 'confirmed',
): Promise<WindowProbe> {
  const { slot, accounts } = await base.accounts([at.schedule, at.batch], commitment);
  const schedule = scheduleOf(accounts[0], at.program);
  const batch = accounts[1] ?? null;
  if (schedule === undefined || batch === null) {
    throw new RunError('schedule-missing', 'The schedule or its batch is not on the base ledger.');
  }
  return { position: positionOf(schedule, batch, at), slot, schedule, batch };
}

/** The newest final slot, and a window as it stands there if that is final: settled. Throws `RunError` when the ledger can't be read. */
export async function probeFinal(
  base: BaseLedger,
  at: WindowAddresses,
): Promise<{ readonly slot: bigint; readonly settled: WindowProbe | undefined }> {
  const { slot, accounts } = await base.accounts([at.schedule, at.batch], 'finalized');
  const schedule = scheduleOf(accounts[0], at.program);
  const batch = accounts[1] ?? null;
  const isSettled = schedule !== undefined && batch !== null && schedule.window > at.window;
  return { slot, settled: isSettled ? { position: 'settled', slot, schedule, batch } : undefined };
}

function positionOf(schedule: Schedule, batch: LedgerAccount, at: WindowAddresses): WindowPosition {
  const { phase, window } = termsOf(schedule);
  if (window > at.window) return 'settled';
  if (window < at.window) {
    throw new RunError('window-mismatch', `The ledger is at window ${window}, before this run's.`);
  }
  if (phase === 'idle') return 'unopened';
  if (batch.owner === DELEGATION_PROGRAM_ADDRESS) return 'delegated';
  const returned = batchOf(batch, at.program);
  if (returned?.window === at.window) return 'returned';
  throw new RunError('batch-not-back', 'The batch on the base ledger does not fit the open window.');
}

/**
 * Whether a window that is over was never settled: the execution layer was lost with its batch, and what was not paid by the
 * recorded liabilities tree has been given back to the vault. No further window of the schedule opens.
 */
export function isReclaimed({ position, schedule, batch }: WindowProbe, { window }: WindowAddresses): boolean {
  const isLast = position === 'settled' && schedule.window === window + 1n && termsOf(schedule).phase === 'idle';
  return isLast && batch.owner === DELEGATION_PROGRAM_ADDRESS;
}

/** The window's batch as the execution layer has it; undefined if it shows none of this window. */
export const readLayerBatch = async (layer: ExecutionLayer, at: WindowAddresses): Promise<Batch | undefined> =>
  layerBatchOf(await readAccount(layer, at.batch), at);

/**
 * The same, of the account that the layer shows. What it has closed is the delegation program's there until it is back: for ever, if the layer
 * crashed before it sent that. It may still show the window before, out of which nobody can have been paid.
 */
export function layerBatchOf(
  account: LedgerAccount | null | undefined,
  { window, program }: Pick<WindowAddresses, 'window' | 'program'>,
): Batch | undefined {
  const [own, leaving] = [batchOf(account, program), batchOf(account, DELEGATION_PROGRAM_ADDRESS)];
  if (own?.window === window && own.phase !== BatchPhase.Idle) return own;
  return leaving?.window === window && leaving.phase === BatchPhase.Closed ? leaving : undefined;
}

/** What of a batch its bitmap is read by. */
type BatchBits = Pick<Batch, 'recipients' | 'bitmapPages' | 'bitmapNonce' | 'heldCount' | 'held'>;

/** The pages that were made of an open window's bitmap, in order. */
export const bitmapPagesOf = (at: WindowAddresses, { recipients, bitmapPages, bitmapNonce }: BatchBits): Address[] =>
  bitmapAddresses({ ...at, bitmapNonce }, recipients, at.program).filter((_, number) => (bitmapPages >> number) & 1);

/** Who is paid or held back in an open window, a bit each, by accounts of the layer; undefined if a page that was made is not among them. */
export function bitmapAmong(
  at: WindowAddresses,
  batch: BatchBits,
  accounts: ReadonlyMap<Address, LedgerAccount | null>,
): Uint8Array | undefined {
  const shown = (address: Address) => {
    const account = accounts.get(address);
    return account?.owner === at.program && account.data[0] === BITMAP_PAGE_KIND ? account.data : undefined;
  };
  const { bitmapNonce } = batch;
  return bitmapOf(batch, bitmapAddresses({ ...at, bitmapNonce }, batch.recipients, at.program).map(shown));
}

/** The same, read from the layer. Bits are only ever set, so those of a batch that was read before may be more than it counts. */
export async function readBitmap(
  layer: ExecutionLayer,
  at: WindowAddresses,
  batch: BatchBits,
): Promise<Uint8Array | undefined> {
  const pages = new Map<Address, LedgerAccount | null>();
  await readAccounts(layer, bitmapPagesOf(at, batch), (address, account) => pages.set(address, account));
  return bitmapAmong(at, batch, pages);
}
