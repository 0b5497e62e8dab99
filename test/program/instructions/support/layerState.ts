import type { Balance } from '@payouts/client';
import type { Holder } from '@payouts/testing/litesvm/handles';
import type { World } from '@payouts/testing/litesvm/world';
import type { Address } from '@solana/kit';
import { balanceBytes } from './patch.ts';

/** Writes the bytes of an account of the layer's own, as no instruction could. */
export function placeInLayer(world: World, address: Address, change: (data: Uint8Array) => Uint8Array): void {
  const state = world.layer.account(address);
  if (state === undefined) throw new Error(`the layer has no account at ${address}`);
  world.layer.place({ ...state, data: change(state.data) });
}

export const placeBalance = (world: World, { balance }: Holder, change: Partial<Balance>) =>
  placeInLayer(world, balance, (data) => balanceBytes(data, change));
