import * as payouts from '@payouts/client';
import type { BalancePage, BitmapPage, Holder, Schedule, Token, Vault } from '@payouts/testing/litesvm/handles';
import type { State } from '@payouts/testing/litesvm/ledger';
import type { World } from '@payouts/testing/litesvm/world';
import type { Address } from '@solana/kit';
import { type Payable, WithdrawalTree } from './withdrawals.ts';

/** Changes an account on the base as no instruction could; what puts it back. */
export function rewrite({ base }: World, address: Address, change: (state: State) => Partial<State>): () => void {
  const state = base.account(address);
  if (state === undefined) throw new Error(`no account at ${address}`);
  base.set({ ...state, ...change(state) });
  return () => base.set(state);
}

/** The same with the bytes of an account of the layer's own. */
export function placeInLayer(world: World, address: Address, change: (data: Uint8Array) => Uint8Array): void {
  const state = world.layer.account(address);
  if (state === undefined) throw new Error(`the layer has no account at ${address}`);
  world.layer.place({ ...state, data: change(state.data) });
}

interface CodecOf<T> {
  decode(bytes: Uint8Array): T;
  encode(value: T): ArrayLike<number>;
}

/** The bytes of an account with other fields. */
const bytesWith =
  <T extends object>(codec: CodecOf<T>) =>
  (data: Uint8Array, change: Partial<T>) =>
    Uint8Array.from(codec.encode({ ...codec.decode(data), ...change }));
export const batchBytes = bytesWith(payouts.getBatchCodec());
export const counterBytes = bytesWith(payouts.getCounterCodec());
const bitmapPageBytes = bytesWith(payouts.getBitmapPageCodec());
const balancePageBytes = bytesWith(payouts.getBalancePageCodec());
const personalBytes = bytesWith(payouts.getPersonalCodec());
const wipedBytes = bytesWith(payouts.getWipedPersonalCodec());
const poolBytes = bytesWith(payouts.getPoolCodec());
const vaultBytes = bytesWith(payouts.getVaultCodec());
const scheduleBytes = bytesWith(payouts.getScheduleCodec());

export const patchPool = (world: World, { pool }: Token, change: Partial<payouts.Pool>) =>
  rewrite(world, pool, ({ data }) => ({ data: poolBytes(data, change) }));
/** Records withdrawals as payable, whatever balances there are. */
export function recordWithdrawals(world: World, token: Token, withdrawals: readonly Payable[]): void {
  const { root: withdrawalsRoot, leaves: withdrawalLeaves } = new WithdrawalTree(withdrawals);
  patchPool(world, token, { withdrawalsRoot, withdrawalLeaves });
}
export const patchVault = (world: World, { address }: Vault, change: Partial<payouts.Vault>) =>
  rewrite(world, address, ({ data }) => ({ data: vaultBytes(data, change) }));
export const patchSchedule = (world: World, { address }: Schedule, change: Partial<payouts.Schedule>) =>
  rewrite(world, address, ({ data }) => ({ data: scheduleBytes(data, change) }));
/** Puts something else in the place of a private balance. */
export const placeBalance = (world: World, { page, slot }: Holder, change: Partial<payouts.Slot>) =>
  placeInLayer(world, page.address, (data) => {
    const { slots } = payouts.getBalancePageDecoder().decode(data);
    return balancePageBytes(data, { slots: slots.with(slot, { ...(slots[slot] as payouts.Slot), ...change }) });
  });
export const placePage = (world: World, { address }: BalancePage, change: Partial<payouts.BalancePage>) =>
  placeInLayer(world, address, (data) => balancePageBytes(data, change));
export const placeBitmap = (world: World, { address }: BitmapPage, change: Partial<payouts.BitmapPage>) =>
  placeInLayer(world, address, (data) => bitmapPageBytes(data, change));
export const placePersonal = (world: World, { personal }: Holder, change: Partial<payouts.Personal>) =>
  placeInLayer(world, personal, (data) => personalBytes(data, change));
export const placeWiped = (world: World, { personal }: Holder, change: Partial<payouts.WipedPersonal>) =>
  placeInLayer(world, personal, (data) => wipedBytes(data, change));
