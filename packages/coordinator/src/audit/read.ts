import {
  addressToBytes,
  checkPoolHoldings,
  checkTotals,
  checkVault,
  findPoolAddress,
  MOST_IDS,
  type Pool,
  poolHeld,
  SCHEDULE_KIND,
  type Schedule,
  schedulesById,
  type Time,
  type Vault,
  type Violation,
  type WindowTotals,
} from '@payouts/client';
import type { Address, Signature } from '@solana/kit';
import { RunError } from '../domain/errors.ts';
import { poolOf, scheduleOf, vaultOf } from '../ledger/accounts.ts';
import type { LedgerHistory } from '../ledger/history.ts';
import type { BaseLedger, LedgerAccount } from '../ledger/ledger.ts';
import { readWindows, type WindowHistory } from '../reconciliation/windows.ts';
import { tokensIn } from '../runs/moneyRules.ts';

/** Where a schedule's account has its vault. */
const VAULT_AT = 8;
/** Schedules in one call. */
const AT_ONCE = 90;
/** Readings before the ledger counts as too busy, and milliseconds between them. */
const READINGS = 20;
const AGAIN_MS = 500;

/** Why totals can't be told: nothing is claimed then. */
export class TotalsUnknown extends Error {
  override readonly name = 'TotalsUnknown';
}

/** A window that is over, and where on the base ledger that stands. */
export type StatedWindow = WindowTotals & {
  readonly root: Uint8Array;
  /** Of the transaction that settled or reclaimed it. */
  readonly settlement: Signature;
};

/** What the base ledger alone says of a schedule's money. Base units. */
export type Totals = {
  readonly address: Address;
  readonly schedule: Schedule;
  readonly windows: readonly StatedWindow[];
  readonly vault: Vault;
  /** Paid by the vault's other schedules that are there, and by those that were closed. */
  readonly paidByOthers: bigint;
  readonly paidByClosed: bigint;
  readonly pool: Pool;
  readonly held: bigint;
  /** Rules that are broken. */
  readonly violations: readonly Violation[];
};

export type TotalsInput = {
  readonly base: BaseLedger;
  readonly history: LedgerHistory;
  readonly program: Address;
  readonly schedule: Address;
  readonly time: Time;
};

/**
 * Reads what the base ledger says of a schedule's windows and checks that it adds up. Everything is final and of one moment. Throws
 * `TotalsUnknown`, or `RunError` when the ledger can't be read.
 */
export async function readTotals(input: TotalsInput): Promise<Totals> {
  const { base, program, schedule: address, time } = input;
  for (let reading = 1; ; reading++) {
    const state = await readState(base, program, address);
    if (state !== undefined) return told(state, await endings(input, state.schedule));
    if (reading === READINGS)
      throw new TotalsUnknown('The vault changes all the time: ask again when no window is due.');
    await time.pause(AGAIN_MS);
  }
}

type State = Pick<Totals, 'address' | 'schedule' | 'vault' | 'pool'> & {
  readonly siblings: readonly Schedule[];
  readonly vaultTokens: bigint;
  readonly poolTokens: bigint;
};

/** Undefined: something changed while it was read. */
async function readState(base: BaseLedger, program: Address, address: Address): Promise<State | undefined> {
  const final = async (addresses: readonly Address[]) => (await base.accounts(addresses, 'finalized')).accounts;
  const [found] = await final([address]);
  const promised = scheduleOf(found, program);
  if (promised === undefined)
    throw new TotalsUnknown('The schedule is not on the base ledger: it was closed, or never was.');
  const { vault: vaultAddress, mint } = promised;
  const poolAddress = await findPoolAddress(mint, { programAddress: program });
  const [vaultBefore, poolBefore] = await final([vaultAddress, poolAddress]);
  const owner = vaultOf(vaultBefore, program);
  const poolToken = poolOf(poolBefore, program)?.tokenAccount;
  if (owner === undefined || poolToken === undefined) {
    throw new TotalsUnknown("The schedule's vault or its token's pool is not on the base ledger.");
  }

  const places = await schedulePlaces(base, program, { address: vaultAddress, nextId: owner.nextId });
  const siblings: Schedule[] = [];
  for (let start = 0; start < places.length; start += AT_ONCE) {
    const accounts = await final(places.slice(start, start + AT_ONCE));
    siblings.push(...accounts.flatMap((account) => scheduleOf(account, program) ?? []));
  }
  const accounts = await final([address, vaultAddress, poolAddress, owner.tokenAccount, poolToken]);
  const schedule = scheduleOf(accounts[0], program);
  const vault = vaultOf(accounts[1], program);
  const pool = poolOf(accounts[2], program);
  // Whatever changes a schedule's money changes its vault.
  if (schedule === undefined || vault === undefined || pool === undefined || !isSame(accounts[1], vaultBefore))
    return undefined;
  return {
    address,
    schedule,
    siblings,
    vault,
    pool,
    vaultTokens: tokensIn(accounts[3]),
    poolTokens: tokensIn(accounts[4]),
  };
}

/** Where a vault's schedules are: by their ids, so that any node tells of them; of very many, the node must list accounts. */
async function schedulePlaces(
  base: BaseLedger,
  program: Address,
  { address, nextId }: { readonly address: Address; readonly nextId: bigint },
): Promise<readonly Address[]> {
  if (nextId <= MOST_IDS) return schedulesById(address, nextId, { programAddress: program });
  const found = await base.programAccounts(program, [
    { at: 0, bytes: Uint8Array.of(SCHEDULE_KIND) },
    { at: VAULT_AT, bytes: addressToBytes(address) },
  ]);
  return found.map((account) => account.address);
}

const isSame = (one: LedgerAccount | null | undefined, other: LedgerAccount | null | undefined): boolean =>
  one != null && other != null && Buffer.compare(one.data, other.data) === 0;

async function endings(
  { history, program, schedule: address }: TotalsInput,
  schedule: Schedule,
): Promise<StatedWindow[]> {
  const wanted = new Set(Array.from({ length: Number(schedule.window) }, (_, window) => BigInt(window)));
  const known = async () => new Set<string>();
  const { windows } = await readWindows({ history, program, schedule: address, wanted, withRoots: true, known });
  return [...wanted].map((window) => stated(window, windows.get(window), schedule));
}

function stated(window: bigint, { opening, ending }: WindowHistory = {}, schedule: Schedule): StatedWindow {
  const root = opening?.root ?? (opening?.hasPresentRoot === true ? Uint8Array.from(schedule.root) : undefined);
  const { signature: settlement, paidCount, paidAmount, bitmapHash } = ending ?? {};
  if (root === undefined || settlement === undefined || paidCount === undefined || paidAmount === undefined) {
    throw new TotalsUnknown(
      `The base ledger's node does not tell how window ${window} was opened and ended: ask one that keeps the whole history.`,
    );
  }
  return { window, root, settlement, paidCount, paidAmount, bitmapHash };
}

function told({ vaultTokens, poolTokens, ...state }: State, windows: readonly StatedWindow[]): Totals {
  const { address, schedule, siblings, vault, pool } = state;
  const paidBySiblings = siblings.reduce((total, { paidTotal }) => total + paidTotal, 0n);
  return {
    address,
    schedule,
    windows,
    vault,
    paidByOthers: paidBySiblings - schedule.paidTotal,
    paidByClosed: vault.paid - paidBySiblings,
    pool,
    held: poolHeld(pool),
    violations: [
      ...checkTotals({ schedule, windows, vault, siblings }),
      ...checkVault(vault, vaultTokens),
      ...checkPoolHoldings(pool, poolTokens),
    ],
  };
}

/** The ledger could not be asked, or could not tell. */
export const isUnknown = (error: unknown): error is Error =>
  error instanceof TotalsUnknown || error instanceof RunError;
