// What tests and measures of other packages use of the service beside its HTTP API.

export { codeOwner } from './balances/paymentCodes.ts';
export { ENTRY_BYTES, readEntry } from './domain/liability.ts';
export { recipientsOf } from './domain/listRecords.ts';
export { type FreePlaces, PAGE_PLACES, pageOfPlace, takePlaces } from './domain/places.ts';
export { STAGES } from './domain/run.ts';
export { openApiDocument } from './http/openapi.ts';
export { MOMENTS, type Point } from './ledger/failpoints.ts';
export { observeProcess } from './monitoring/process.ts';
export { createMetrics } from './platform/metrics.ts';
export { DecryptionFailed, decrypt } from './store/crypto/cipher.ts';
export {
  joinLiabilityChunk,
  keyPlace,
  openLiabilityChunk,
  ownersPlace,
  pagePlace,
  seedPlace,
} from './store/crypto/liabilityChunks.ts';
export { listKey, placeOfList } from './store/crypto/listKey.ts';
export { associatedData } from './store/crypto/listPlace.ts';
export { localPayloadKeys, WrongPayloadKey } from './store/crypto/payloadKeys.ts';
export { serviceKeyPlace } from './store/crypto/serviceKey.ts';
export { lockNumber } from './store/db/advisoryLock.ts';
export { openDatabase } from './store/db/openDatabase.ts';
export { prepareDatabase } from './store/db/prepare.ts';
export { findList, readRecipients } from './store/queries/lists.ts';
export { openRecord } from './withdrawals/keptRecord.ts';
