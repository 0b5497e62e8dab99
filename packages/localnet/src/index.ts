export {
  DELEGATION_PROGRAM,
  NOOP_PROGRAM,
  PERMISSION_PROGRAM,
  UPGRADEABLE_LOADER,
  VALIDATOR_IDENTITY,
} from './addresses.ts';
export type { AccountState } from './baseLedger/account.ts';
export { type BaseLedgerAdmin, baseLedgerAdmin } from './baseLedger/admin.ts';
export { CLUSTER_HABITS, type ClusterHabits } from './baseLedger/habits.ts';
export type { LedgerUrls } from './baseLedger/ownNode.ts';
export type { TransactionRecord } from './baseLedger/records.ts';
export { type BaseLedgerOptions, type RunningBaseLedger, startBaseLedger } from './baseLedger/start.ts';
export { type TransactionErrorJson, toTransactionErrorJson } from './baseLedger/transactionErrors.ts';
export { LocalnetError, type LocalnetErrorCode } from './errors.ts';
export { type ExecutionLayerOptions, type RunningExecutionLayer, startExecutionLayer } from './executionLayer/start.ts';
export { type Localnet, type LocalnetOptions, startLocalnet } from './localnet.ts';
export { freePorts, isPortFree, portTaken } from './ports.ts';
export { PROGRAM_DATA_HEADER_BYTES, type ProgramToLoad, programDataAddress } from './programs.ts';
export { endWithThisProcess } from './watchdog.ts';
