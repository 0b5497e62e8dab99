// What tests and measures of other packages use of the service beside its HTTP API.
export { STAGES } from './domain/run.ts';
export { MOMENTS, type Point } from './ledger/failpoints.ts';
export { observeProcess } from './monitoring/process.ts';
export { createMetrics } from './platform/metrics.ts';
export { localPayloadKeys, WrongPayloadKey } from './store/crypto/payloadKeys.ts';
export { lockNumber } from './store/db/advisoryLock.ts';
export { openDatabase } from './store/db/openDatabase.ts';
export { prepareDatabase } from './store/db/prepare.ts';
export { findList, readRecipients } from './store/queries/lists.ts';
