import * as payouts from '@payouts/client';
import type { Schedule, Token, Vault } from '@payouts/testing/litesvm/handles';
import type { World } from '@payouts/testing/litesvm/world';
import type { Address } from '@solana/kit';

interface CodecOf<T> {
  decode(bytes: Uint8Array): T;
  encode(value: T): ArrayLike<number>;
}

/** Writes fields of an account on the base, as no instruction could. */
function patch<T extends object>(world: World, address: Address, codec: CodecOf<T>, change: Partial<T>): void {
  const state = world.base.account(address);
  if (state === undefined) throw new Error(`no account at ${address}`);
  const data = Uint8Array.from(codec.encode({ ...codec.decode(state.data), ...change }));
  world.base.set({ ...state, data });
}

export const patchPool = (world: World, { pool }: Token, change: Partial<payouts.Pool>) =>
  patch(world, pool, payouts.getPoolCodec(), change);
export const patchVault = (world: World, { address }: Vault, change: Partial<payouts.Vault>) =>
  patch(world, address, payouts.getVaultCodec(), change);
export const patchSchedule = (world: World, { address }: Schedule, change: Partial<payouts.Schedule>) =>
  patch(world, address, payouts.getScheduleCodec(), change);

/** The bytes of an account with other fields. */
export const batchBytes = (data: Uint8Array, change: Partial<payouts.Batch>) =>
  new Uint8Array(payouts.getBatchEncoder().encode({ ...payouts.getBatchDecoder().decode(data), ...change }));

export const balanceBytes = (data: Uint8Array, change: Partial<payouts.Balance>) =>
  new Uint8Array(payouts.getBalanceEncoder().encode({ ...payouts.getBalanceDecoder().decode(data), ...change }));
