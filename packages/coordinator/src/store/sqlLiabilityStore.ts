import type { PayloadKeys } from './crypto/payloadKeys.ts';
import type { LiabilityStore } from './liabilityStore.ts';
import {
  chunksChangedAfter,
  deleteRecordingsBefore,
  findOpenSchedules,
  findRecording,
  findUnsettledRecordings,
  lastRecordingNumber,
  readChunks,
  saveRecording,
  treeKey,
} from './queries/liabilities.ts';
import {
  deleteSettlements,
  findRefusals,
  findSettlements,
  refuseSettlement,
  requestSettlement,
} from './queries/settlements.ts';
import type { Db } from './schema.ts';
import { sqlTransactionStore } from './sqlRunStore.ts';

/** What is kept of liabilities trees, in the database; `payloadKeys` wrap the trees' own keys. */
export const sqlLiabilityStore = (database: Db, payloadKeys: PayloadKeys): LiabilityStore => ({
  ...sqlTransactionStore(database),
  treeKey: (mint, at) => treeKey(database, mint, payloadKeys, at),
  lastRecordingNumber: (mint) => lastRecordingNumber(database, mint),
  findRecording: (mint, sequence, root) => findRecording(database, mint, sequence, root),
  readChunks: (at) => readChunks(database, at),
  chunksChangedAfter: (mint, number) => chunksChangedAfter(database, mint, number),
  saveRecording: (recording) => saveRecording(database, recording),
  findUnsettledRecordings: (mint) => findUnsettledRecordings(database, mint),
  forgetBefore: (mint, number) => deleteRecordingsBefore(database, mint, number),
  findOpenSchedules: (mint) => findOpenSchedules(database, mint),
  askSettlement: (settlement) => requestSettlement(database, settlement),
  findSettlements: (mints, limit) => findSettlements(database, mints, limit),
  refuseSettlement: (settlement, refusal) => refuseSettlement(database, settlement, refusal),
  findRefusals: (runIds) => findRefusals(database, runIds),
  forgetSettlements: (runIds) => deleteSettlements(database, runIds),
});
