import { availableOf, nextExecution, type Time, VAULT_KIND } from '@payouts/client';
import type { Address } from '@solana/kit';
import { calendarOf } from '../domain/calendarOf.ts';
import { type Coverage, type Draws, forecastFunds } from '../domain/forecast.ts';
import { vaultOf } from '../ledger/accounts.ts';
import type { LedgerClock } from '../ledger/clock.ts';
import type { BaseLedger } from '../ledger/ledger.ts';
import { readSymbol } from '../ledger/tokenSymbol.ts';
import { watchAccounts } from '../ledger/watch.ts';
import { type LoopContext, runLoop } from '../platform/loop.ts';
import type { Alive } from '../platform/watchedRound.ts';
import { reservedWindows, unopenedWindows } from '../store/forecast.ts';
import {
  findSymbols,
  findVaultsToRead,
  listDrawing,
  type ObservedVault,
  saveCoverage,
  saveObservedVaults,
} from '../store/queries/funds.ts';
import type { ScheduleRow } from '../store/queries/schedules.ts';
import type { Db } from '../store/schema.ts';
import { ChangedVaults } from './changedVaults.ts';

const EVERY_MS = 5_000;
/** A vault is read again after so many milliseconds, if nothing was heard of it. */
const STALE_MS = 60_000;
/** Vaults in one reading, and readings in a row: enough to go round 100,000 in an hour. */
const READ_AT_ONCE = 99;
const READINGS = 5;
/** Changed vaults in one reading: the others have their turn whatever goes on. */
const CHANGED_AT_ONCE = 66;
/** Schedules of the vaults of one reading that are looked at. */
const MOST_SCHEDULES = 5_000;
/** How far the forecast reaches, in seconds. */
const HORIZON = 2n * 366n * 86_400n;

export type VaultObserverInput = LoopContext & {
  /** The base ledger's websocket. */
  readonly url: string;
  readonly base: BaseLedger;
  readonly clock: LedgerClock;
  readonly database: Db;
  readonly program: Address;
  readonly time: Time;
};

/** A schedule as the forecast takes it. */
function drawsOf(row: ScheduleRow): Draws {
  const calendar = calendarOf(row);
  const due = BigInt(row.next_execution);
  const isOpen = row.phase === 'open';
  return {
    address: row.address,
    amount: BigInt(row.amount),
    calendar,
    // The open window's money has left the reserve already.
    next: isOpen ? nextExecution(calendar, due) : due,
    promised: reservedWindows(row),
    ...(row.kept > 0 && { prepaid: unopenedWindows(row) }),
    goesOn: row.status === 'active',
  };
}

/**
 * Reads vaults that have changed or were not read for long, and keeps how far the money of their schedules reaches; says whether there may
 * be more to read.
 */
async function foretell(
  { base, clock, database, program, time }: VaultObserverInput,
  changes: ChangedVaults,
  alive: Alive,
): Promise<boolean> {
  const changed = changes.take(CHANGED_AT_ONCE);
  const addresses = await findVaultsToRead(database, { changed, before: time.now() - STALE_MS, limit: READ_AT_ONCE });
  if (addresses.length === 0) return false;
  const { slot, accounts } = await base.accounts(addresses as Address[]);
  const vaults = accounts.flatMap((account) => {
    const vault = vaultOf(account, program);
    return account === null || vault === undefined ? [] : [{ address: account.address, vault }];
  });

  const symbols = new Map(await findSymbols(database, [...new Set(vaults.map(({ vault }) => vault.mint))]));
  for (const { vault } of vaults) {
    alive();
    if (!symbols.has(vault.mint)) symbols.set(vault.mint, await readSymbol(base, vault.mint));
  }
  const seen = vaults.map(
    ({ address, vault }): ObservedVault => ({
      address,
      mint: vault.mint,
      decimals: vault.decimals,
      symbol: symbols.get(vault.mint) ?? null,
      reserved: vault.reserved.toString(),
      available: availableOf(vault).toString(),
      seen_slot: slot,
      seen_at: time.now(),
    }),
  );
  alive();
  await saveObservedVaults(database, seen);

  const drawing = await listDrawing(database, addresses, MOST_SCHEDULES);
  const coverage = new Map<string, Coverage>();
  for (const address of addresses) {
    const vault = vaults.find((each) => each.address === address)?.vault;
    // A vault that is gone covers nothing.
    const funds = { reserved: vault?.reserved ?? 0n, available: vault === undefined ? 0n : availableOf(vault) };
    const draws = drawing.filter((schedule) => schedule.vault === address).map(drawsOf);
    for (const [schedule, covered] of forecastFunds(funds, draws, clock.now() + HORIZON)) {
      coverage.set(schedule, covered);
    }
  }
  await saveCoverage(database, coverage);
  return addresses.length === READ_AT_ONCE || changed.length === CHANGED_AT_ONCE;
}

/** Keeps the forecast of all registered schedules' funds true until the signal. */
export async function observeVaults(input: VaultObserverInput): Promise<void> {
  const { program, signal } = input;
  const changes = new ChangedVaults(input.time);
  const watching = watchAccounts({
    ...input,
    name: 'vault-changes',
    program,
    kind: VAULT_KIND,
    onChange: ({ address }) => changes.note(address),
  });
  await runLoop({ ...input, name: 'vaults' }, async (alive) => {
    for (let readings = 0; readings < READINGS && !signal.aborted; readings++) {
      if (!(await foretell(input, changes, alive))) break;
    }
    return EVERY_MS;
  });
  await watching;
}
