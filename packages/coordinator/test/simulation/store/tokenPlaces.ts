import type { PageName } from '@payouts/client';
import type { OwnerIndex } from '../../../src/domain/ownerIndex.ts';
import type { FreePlaces } from '../../../src/domain/places.ts';

/** What is kept of one token's balances. */
export type TokenPlaces = {
  readonly free: FreePlaces;
  readonly pages: Map<number, PageName>;
  /** By vault; under the empty name whoever was found in the layer. */
  readonly owners: Map<string, OwnerIndex>;
};
