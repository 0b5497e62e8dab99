import { OWNER_RECORD_BYTES, type RandomBelow } from '@payouts/client';
import type { OwnerIndex } from './ownerIndex.ts';
import { type FreePlaces, takePlaces } from './places.ts';

/**
 * The places of leaves whose owners these are (owner 32 ‖ blind 16 each); owners without one get one, and stand in the index from then on.
 */
export function placesFor(
  owners: Uint8Array,
  index: OwnerIndex,
  free: FreePlaces,
  randomBelow: RandomBelow,
): Uint32Array {
  const count = owners.length / OWNER_RECORD_BYTES;
  const places = new Uint32Array(count);
  const missing: number[] = [];
  for (let leaf = 0; leaf < count; leaf++) {
    const place = index.placeOf(owners, leaf * OWNER_RECORD_BYTES);
    if (place !== undefined) {
      places[leaf] = place;
      continue;
    }
    // Whoever stands in the list twice has one balance: the place comes below.
    index.set(owners, leaf * OWNER_RECORD_BYTES, 0);
    missing.push(leaf);
  }
  const taken = takePlaces(free, missing.length, randomBelow);
  for (const [at, leaf] of missing.entries()) index.set(owners, leaf * OWNER_RECORD_BYTES, taken[at] as number);
  for (let leaf = 0; leaf < count; leaf++) {
    if (places[leaf] === 0) places[leaf] = index.placeOf(owners, leaf * OWNER_RECORD_BYTES) as number;
  }
  return places;
}
