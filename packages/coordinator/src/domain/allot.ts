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
  const known = index.count;
  const entries = Uint32Array.from({ length: terms.length / LEAF_TERMS_BYTES }, (_, leaf) =>
    index.entryOf(terms, leaf * LEAF_TERMS_BYTES),
  );
  // Whoever stands in the list twice has one balance.
  const taken = takePlaces(free, index.count - known, randomBelow);
  for (const [at, place] of taken.entries()) index.setPlaceOf(known + at, place);
  return entries.map((entry) => index.placeOfEntry(entry));
}
