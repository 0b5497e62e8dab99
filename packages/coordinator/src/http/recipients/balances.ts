import {
  type Balance,
  deriveBalanceAddress,
  findRecoveryAddress,
  millisOf,
  type Recovery,
  readRecovery,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Static } from 'typebox';
import { balanceOf, recoveryOf } from '../../ledger/accounts.ts';
import { LiabilityReader, type PoolAtOnce } from '../../liabilities/reader.ts';
import type { OwnEntry } from '../../lists/recipientIndex.ts';
import type { OwnInput } from './own.ts';
import type { BalancesView } from './schemas.ts';
import { readTokens } from './tokens.ts';

type View = Static<typeof BalancesView>['balances'][number];

/** Balances in one reading, each with the account of its recovery. */
const AT_ONCE = 50;
const MS_PER_SECOND = 1_000;

/** A recipient's private balance: where, in which token, and which schedules pay into it. */
export type OwnBalance = { readonly address: Address; readonly mint: Address; readonly schedules: readonly string[] };

/** The balances of a recipient's entries, each once, in the entries' order. */
export function ownBalances(entries: readonly OwnEntry[], program: Address): OwnBalance[] {
  const found = new Map<Address, { mint: Address; schedules: Set<string> }>();
  for (const { list, mint, entry } of entries) {
    const { recipient, salt } = entry;
    const { address } = deriveBalanceAddress(mint, { recipient, salt }, program);
    const known = found.get(address) ?? { mint, schedules: new Set() };
    known.schedules.add(list.schedule);
    found.set(address, known);
  }
  return [...found].map(([address, { mint, schedules }]) => ({ address, mint, schedules: [...schedules] }));
}

/** What both ledgers show of a recipient's balances. Throws `RunError` when one of them can't be read. */
export async function balanceViews(input: OwnInput, own: readonly OwnBalance[]): Promise<View[]> {
  const { layer, program, time } = input;
  const balances: (Balance | undefined)[] = [];
  const recoveries: (Recovery | undefined)[] = [];
  for (let start = 0; start < own.length; start += AT_ONCE) {
    const addresses = own.slice(start, start + AT_ONCE).map(({ address }) => address);
    const beside = await Promise.all(addresses.map((at) => findRecoveryAddress(at, { programAddress: program })));
    const { accounts } = await layer.accounts([...addresses, ...beside]);
    balances.push(...accounts.slice(0, addresses.length).map((account) => balanceOf(account, program)));
    recoveries.push(...accounts.slice(addresses.length).map((account) => recoveryOf(account, program)));
  }
  const now = BigInt(Math.floor(time.now() / MS_PER_SECOND));
  const tokens = await readTokens(input, [...new Set(own.map(({ mint }) => mint))]);
  const pools = await readPools(input, balances);
  return own.map(({ address, mint, schedules }, place) => {
    const balance = balances[place];
    const { symbol, decimals } = tokens.get(mint) ?? { symbol: null, decimals: 0 };
    return {
      address,
      mint,
      symbol,
      decimals,
      exists: balance !== undefined,
      amount: (balance === undefined ? 0n : freeAmount(balance)).toString(),
      withdrawal: balance === undefined ? null : underWay(balance, pools.get(mint)),
      order: balance === undefined ? null : orderOf(balance),
      recovery: recoveryView(address, recoveries[place], now),
      schedules: [...schedules],
    };
  });
}

/** The pools of tokens of which a withdrawal is under way, with what they say of these withdrawals. */
async function readPools(
  input: OwnInput,
  balances: readonly (Balance | undefined)[],
): Promise<ReadonlyMap<Address, PoolAtOnce>> {
  const numbers = new Map<Address, { readonly number: bigint }[]>();
  for (const balance of balances) {
    if (balance === undefined || balance.pendingNumber === 0n) continue;
    numbers.set(balance.mint, [...(numbers.get(balance.mint) ?? []), { number: balance.pendingNumber }]);
  }
  const pools = new Map<Address, PoolAtOnce>();
  for (const [mint, pending] of numbers) pools.set(mint, await new LiabilityReader({ ...input, mint }).pool(pending));
  return pools;
}

/** What can be taken out: a withdrawal that waits for its release is part of a balance until then. */
const freeAmount = ({ amount, pendingNumber, pendingAmount }: Balance): bigint =>
  pendingNumber === 0n ? amount - pendingAmount : amount;

function underWay(balance: Balance, at: PoolAtOnce | undefined): View['withdrawal'] {
  const { pendingNumber: number, pendingAmount, pendingWallet, dueAt } = balance;
  if (pendingAmount === 0n) return null;
  const withdrawal = { amount: pendingAmount.toString(), wallet: pendingWallet };
  if (number === 0n) return { ...withdrawal, number: null, state: 'waiting', releaseAt: millisOf(dueAt) };
  const state = () => {
    if (at?.isPaid(number)) return 'paid';
    if (dueAt !== 0n) return 'issued';
    return at !== undefined && number < at.pool.coveredTo ? 'recorded' : 'requested';
  };
  return { ...withdrawal, number: number.toString(), state: state(), releaseAt: null };
}

function orderOf(balance: Balance): View['order'] {
  const { orderThreshold, orderWallet, orderPart, orderDelayMin, orderDelayMax } = balance;
  if (orderThreshold === 0n) return null;
  return {
    threshold: orderThreshold.toString(),
    wallet: orderWallet,
    part: orderPart === 0n ? null : orderPart.toString(),
    delayMinutes: { least: orderDelayMin, most: orderDelayMax },
  };
}

function recoveryView(balance: Address, recovery: Recovery | undefined, now: bigint): View['recovery'] {
  if (recovery === undefined) return null;
  const { wallet, change, completesAt } = readRecovery(balance, recovery, now);
  if (wallet === null && change === null) return null;
  return {
    wallet,
    change: change && { wallet: change.wallet, from: millisOf(change.from) },
    completesAt: completesAt === null ? null : millisOf(completesAt),
  };
}
