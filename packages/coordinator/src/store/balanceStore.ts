import type { PageName } from '@payouts/client';
import type { PayloadKeys } from './crypto/payloadKeys.ts';
import { readPages } from './queries/pageNames.ts';
import { type Allotment, type Allotted, adoptPages, allotPlaces, isBehind, type ShownPages } from './queries/slots.ts';
import type { Db } from './schema.ts';

/** What is kept of the places of balances. All throw `WrongPayloadKey` or `DecryptionFailed`. */
export type BalanceStore = {
  /** The pages of a token, with the nonces that make their addresses; `at` in unix milliseconds. */
  readPages(mint: string, at: number): Promise<readonly PageName[]>;
  /** Gives lists' balances their places, or none where this throws: `RunError` where the layer has no room. */
  allotPlaces(allotment: Allotment): Promise<Allotted>;
  /** Whether pages, which must have been read before, show what was not given here. */
  isBehind(shown: ShownPages): Promise<boolean>;
  /** Takes over what the layer's pages show. */
  adoptPages(shown: ShownPages): Promise<void>;
};

/** What is kept of them in the database; `payloadKeys` wrap the keys that encrypt it. */
export const sqlBalanceStore = (database: Db, payloadKeys: PayloadKeys): BalanceStore => ({
  readPages: (mint, at) => readPages(database, payloadKeys, mint, at),
  allotPlaces: (allotment) => allotPlaces(database, payloadKeys, allotment),
  isBehind: (shown) => isBehind(database, payloadKeys, shown),
  adoptPages: (shown) => adoptPages(database, payloadKeys, shown),
});
