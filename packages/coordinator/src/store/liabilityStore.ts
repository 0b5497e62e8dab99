import { type Bound, bound } from './bound.ts';
import type { PayloadKeys } from './crypto/payloadKeys.ts';
import {
  chunksChangedAfter,
  deleteRecordingsBefore,
  findOpenSchedules,
  findRecording,
  findUnsettledRecordings,
  keepSettlement,
  lastRecordingNumber,
  readChunks,
  readWithdrawals,
  saveRecording,
  type TreeKey,
  treeKey,
} from './queries/liabilities.ts';
import { takePageNumber } from './queries/pageNames.ts';
import {
  deleteSettlements,
  findAnswers,
  findSettlements,
  refuseSettlement,
  requestSettlement,
} from './queries/settlements.ts';
import { settleTransaction } from './queries/transactions.ts';
import type { Db } from './schema.ts';

const QUERIES = {
  settleTransaction,
  lastRecordingNumber,
  findRecording,
  readChunks,
  readWithdrawals,
  chunksChangedAfter,
  saveRecording,
  keepSettlement,
  findUnsettledRecordings,
  forgetBefore: deleteRecordingsBefore,
  findOpenSchedules,
  askSettlement: requestSettlement,
  findSettlements,
  refuseSettlement,
  findAnswers,
  forgetSettlements: deleteSettlements,
  takePageNumber,
};

/** What is kept of liabilities trees. */
export type LiabilityStore = Bound<typeof QUERIES> & {
  /** The key of a token's tree, made when it has none; `at` in unix milliseconds. Throws `WrongPayloadKey` or `DecryptionFailed`. */
  treeKey(mint: string, at: number): Promise<TreeKey>;
};

/** What is kept of liabilities trees, in the database; `payloadKeys` wrap the trees' own keys. */
export const sqlLiabilityStore = (database: Db, payloadKeys: PayloadKeys): LiabilityStore => ({
  ...bound(database, QUERIES),
  treeKey: (mint, at) => treeKey(database, mint, payloadKeys, at),
});
