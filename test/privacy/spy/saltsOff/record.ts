// Stands in the place of the coordinator's: no blinds, all else the same.
import { BLIND_BYTES } from '@payouts/client';
import { type LiabilityEntry, leafOf as leafWithBlind } from '../../../../packages/coordinator/src/domain/liability.ts';

export * from '../../../../packages/coordinator/src/domain/liability.ts';

export class Blinds {
  readonly drawn = new Uint8Array(BLIND_BYTES);

  of(): Uint8Array {
    return new Uint8Array(BLIND_BYTES);
  }

  draw(): number {
    return 0;
  }
}

export const leafOf = (entry: LiabilityEntry, index: number, blinds: Blinds) =>
  leafWithBlind(entry, index, blinds as never);
