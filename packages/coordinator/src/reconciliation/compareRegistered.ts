import {
  checkPoolHoldings,
  checkVault,
  findBatchAddress,
  findPoolAddress,
  SCHEDULE_KIND,
  SchedulePhase,
  type Violation,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { RunError } from '../domain/errors.ts';
import { runIdOf } from '../domain/run.ts';
import { batchDeadline } from '../domain/schedule.ts';
import { batchOf, poolOf, scheduleOf, termsOf, vaultOf } from '../ledger/accounts.ts';
import type { BaseLedger, ExecutionLayer, LedgerAccount } from '../ledger/ledger.ts';
import { tokensIn } from '../runs/moneyRules.ts';
import { findWithoutJob } from '../store/queries/jobs.ts';
import { findRecording } from '../store/queries/liabilities.ts';
import { findKnown } from '../store/queries/reconcile.ts';
import type { Db } from '../store/schema.ts';
import { type Compared, compareBatch, compareSchedule, type Difference, isBehind, utc } from './compare.ts';

/** Where is looked. */
export type ComparisonInput = {
  readonly base: BaseLedger;
  readonly layer: ExecutionLayer;
  readonly database: Db;
  readonly program: Address;
  /** Whether runs are compared with the engine too; a running coordinator does that more often by itself. */
  readonly withEngine: boolean;
};

/** What a look at some addresses shows. */
export type Comparison = {
  readonly differences: readonly Difference[];
  /** Of schedules. */
  readonly compared: readonly Compared[];
  /** False: the execution layer did not answer, and was left out. */
  readonly hasLayer: boolean;
};

/** Where a schedule's account has its phase. */
const PHASE_AT = 4;

/** Schedules in a look, so that one call of the ledger shows them all; vaults or tokens, each with an account beside it. */
export const SCHEDULES_AT_ONCE = 99;
export const HOLDINGS_AT_ONCE = 49;

/**
 * Looks at registered schedules, their runs and their open batches. The database is read first: what it says must then be true on the
 * ledger. Throws `RunError` when the base ledger can't be read.
 */
export async function compareSchedules(input: ComparisonInput, addresses: readonly string[]): Promise<Comparison> {
  const { base, database, program } = input;
  const known = await findKnown(database, addresses);
  if (known.length === 0) return { differences: [], compared: [], hasLayer: true };
  const { accounts } = await base.accounts(
    known.map(({ address }) => address as Address),
    'finalized',
  );
  const compared = known.map((one, place) => ({
    known: one,
    schedule: scheduleOf(accounts[place], program),
  }));
  const idle = input.withEngine ? await lookAtEngine(database, compared) : [];
  const batches = await lookAtBatches(input, compared);
  return {
    differences: [...compared.flatMap(compareSchedule), ...idle, ...(batches ?? [])],
    compared,
    hasLayer: batches !== undefined,
  };
}

/** Runs in line or at work without a job. */
async function lookAtEngine(database: Db, compared: readonly Compared[]): Promise<Difference[]> {
  const active = new Map<string, Difference>();
  for (const { known } of compared) {
    for (const { window, state } of known.runs) {
      const difference = { kind: 'not-in-engine' as const, address: known.address, window, detail: state };
      if (state === 'queued' || state === 'running') {
        active.set(runIdOf({ schedule: known.address, window }), difference);
      }
    }
  }
  return (await findWithoutJob(database, [...active.keys()])).flatMap((id) => active.get(id) ?? []);
}

/** Batches of windows that are open, or over since the last time; undefined if the layer does not answer. */
async function lookAtBatches(
  { base, layer, program }: ComparisonInput,
  compared: readonly Compared[],
): Promise<Difference[] | undefined> {
  // The layer fetches whatever it is asked for, so it is not asked for every schedule each time.
  const some = compared.filter(
    (one) => one.schedule !== undefined && (termsOf(one.schedule).phase === 'open' || isBehind(one)),
  );
  if (some.length === 0) return [];
  const addresses = await Promise.all(
    some.map(({ known }) => findBatchAddress(known.address as Address, { programAddress: program })),
  );
  const onBase = await base.accounts(addresses, 'finalized');
  const inLayer = await layer.accounts(addresses).catch((error: unknown) => {
    if (error instanceof RunError) return undefined;
    throw error;
  });
  return (
    inLayer &&
    some.flatMap((one, place) =>
      compareBatch(one, onBase.accounts[place] ?? null, batchOf(inLayer.accounts[place], program)),
    )
  );
}

/** Looks whether vaults hold what their counters say. Throws as `lookAtSchedules`. */
export function compareVaults(input: ComparisonInput, vaults: readonly string[]): Promise<Comparison> {
  return lookAtHoldings(input, vaults, vaults as Address[], (account, tokens) => {
    const vault = vaultOf(account, input.program);
    return { tokenAccount: vault?.tokenAccount, violations: vault ? checkVault(vault, tokens) : [] };
  });
}

/** Looks whether tokens' pools hold what their counters say, and their recorded liabilities trees are there. Throws as `lookAtSchedules`. */
export async function compareTokens(input: ComparisonInput, mints: readonly string[]): Promise<Comparison> {
  const { base, database, program } = input;
  const pools = await Promise.all(mints.map((mint) => findPoolAddress(mint as Address, { programAddress: program })));
  const held = await lookAtHoldings(input, mints, pools, (account, tokens) => {
    const pool = poolOf(account, program);
    return { tokenAccount: pool?.tokenAccount, violations: pool ? checkPoolHoldings(pool, tokens) : [] };
  });
  const missing: Difference[] = [];
  // What is replaced is forgotten soon after its successor is confirmed.
  const { accounts } = await base.accounts(pools);
  for (const [place, address] of mints.entries()) {
    const pool = poolOf(accounts[place], program);
    if (pool === undefined || pool.sequence === 0n) continue;
    const root = Buffer.from(pool.liabilitiesRoot as Uint8Array).toString('hex');
    if (await findRecording(database, address, pool.sequence, root)) continue;
    missing.push({ kind: 'liabilities-missing', address, detail: `recording ${pool.sequence}` });
  }
  return { ...held, differences: [...held.differences, ...missing] };
}

/** Schedules with an open window that are not registered: this database has never known them, or has lost them. */
export async function findUnregistered(
  { base, database, program }: ComparisonInput,
  beyond: string,
  limit: number,
): Promise<string[]> {
  const open = await base.programAccounts(program, [
    { at: 0, bytes: Uint8Array.of(SCHEDULE_KIND) },
    { at: PHASE_AT, bytes: Uint8Array.of(SchedulePhase.Open) },
  ]);
  const addresses = open.map(({ address }) => address as string).filter((address) => address > beyond);
  const registered = new Set((await findKnown(database, addresses)).map(({ address }) => address));
  return addresses
    .filter((address) => !registered.has(address))
    .toSorted()
    .slice(0, limit);
}

/** Looks whether such schedules still are open and not registered. Throws as `lookAtSchedules`. */
export async function compareUnregistered(input: ComparisonInput, addresses: readonly string[]): Promise<Comparison> {
  const { base, database, program } = input;
  const { accounts } = await base.accounts(addresses as Address[], 'finalized');
  const registered = new Set((await findKnown(database, addresses)).map(({ address }) => address));
  const differences = addresses.flatMap((address, place) => {
    const schedule = scheduleOf(accounts[place], program);
    if (schedule === undefined || termsOf(schedule).phase !== 'open' || registered.has(address)) return [];
    const deadline = Number(batchDeadline(schedule)) * 1_000;
    return [{ kind: 'open-unregistered' as const, address, window: schedule.window, detail: `until ${utc(deadline)}` }];
  });
  return { differences, compared: [], hasLayer: true };
}

/** What an account with counters says: where its tokens are, and which rules it breaks with so many of them. */
type Checked = { readonly tokenAccount: Address | undefined; readonly violations: readonly Violation[] };

async function lookAtHoldings(
  { base }: ComparisonInput,
  names: readonly string[],
  addresses: readonly Address[],
  check: (account: LedgerAccount | null, tokens: bigint) => Checked,
): Promise<Comparison> {
  const first = (await base.accounts(addresses, 'finalized')).accounts;
  const places = addresses.flatMap((address, at) => {
    const { tokenAccount } = check(first[at] ?? null, 0n);
    return tokenAccount === undefined ? [] : [{ name: names[at] as string, address, tokenAccount }];
  });
  if (places.length === 0) return { differences: [], compared: [], hasLayer: true };
  // Read together, so that counters and tokens are of one moment.
  const { accounts } = await base.accounts(
    places.flatMap(({ address, tokenAccount }) => [address, tokenAccount]),
    'finalized',
  );
  const differences = places.flatMap(({ name }, at) =>
    check(accounts[2 * at] ?? null, tokensIn(accounts[2 * at + 1])).violations.map(({ sentence }) => ({
      kind: 'money-rule' as const,
      address: name,
      detail: sentence,
    })),
  );
  return { differences, compared: [], hasLayer: true };
}
