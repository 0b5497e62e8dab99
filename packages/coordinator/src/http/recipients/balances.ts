import { type Balance, deriveBalanceAddress, millisOf } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Static } from 'typebox';
import { balanceOf } from '../../ledger/accounts.ts';
import { LiabilityReader, type PoolAtOnce } from '../../liabilities/reader.ts';
import type { OwnEntry } from '../../lists/recipientIndex.ts';
import type { OwnInput } from './own.ts';
import type { BalancesView } from './schemas.ts';
import { readTokens } from './tokens.ts';

type View = Static<typeof BalancesView>['balances'][number];

/** Accounts in one reading. */
const AT_ONCE = 100;

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
  const { layer, program } = input;
  const balances: (Balance | undefined)[] = [];
  for (let start = 0; start < own.length; start += AT_ONCE) {
    const { accounts } = await layer.accounts(own.slice(start, start + AT_ONCE).map(({ address }) => address));
    balances.push(...accounts.map((account) => balanceOf(account, program)));
  }
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
