import { LEAF_TERMS_BYTES, type RandomBelow } from '@payouts/client';
import type { OwnerIndex } from './ownerIndex.ts';
import { type FreePlaces, takePlaces } from './places.ts';

/**
 * The places of leaves whose terms these are; owners without one get one, and stand in the index from then on.
 */
export function placesFor(
  terms: Uint8Array,
  index: OwnerIndex,
  free: FreePlaces,
  randomBelow: RandomBelow,
): Uint32Array {
  const count = terms.length / LEAF_TERMS_BYTES;
  const places = new Uint32Array(count);
  const missing: number[] = [];
  for (let leaf = 0; leaf < count; leaf++) {
    const place = index.placeOf(terms, leaf * LEAF_TERMS_BYTES);
    if (place !== undefined) {
      places[leaf] = place;
      continue;
    }
    // Whoever stands in the list twice has one balance: the place comes below.
    index.set(terms, leaf * LEAF_TERMS_BYTES, 0);
    missing.push(leaf);
  }
  const taken = takePlaces(free, missing.length, randomBelow);
  for (const [at, leaf] of missing.entries()) index.set(terms, leaf * LEAF_TERMS_BYTES, taken[at] as number);
  for (let leaf = 0; leaf < count; leaf++) {
    if (places[leaf] === 0) places[leaf] = index.placeOf(terms, leaf * LEAF_TERMS_BYTES) as number;
  }
  return places;
}
