import { VALIDATOR_IDENTITY } from '../../addresses.ts';
import { API_VERSION, type RpcMethod, viewAt, withContext } from './context.ts';
import { integerParam, optionsParam, stringListParam, stringParam } from './params.ts';
import { RPC_CODE, RpcError } from './rpcError.ts';

const SLOTS_PER_EPOCH = 432_000;
const MAX_LOCKED_ACCOUNTS = 128;

/** Methods about the cluster: versions, slots, blocks, blockhashes. */
export const clusterMethods: Readonly<Record<string, RpcMethod>> = {
  getHealth: () => 'ok',
  getVersion: () => ({ 'feature-set': 0, 'solana-core': API_VERSION }),
  getGenesisHash: ({ ledger }) => ledger.genesisHash,
  getIdentity: () => ({ identity: VALIDATOR_IDENTITY }),
  getClusterNodes: () => [],

  getSlot: ({ ledger }, params) => viewAt(ledger, optionsParam(params, 0).commitment).slot,
  getBlockHeight: ({ ledger }) => ledger.blockhashes.height,
  getTransactionCount: ({ ledger }) => ledger.transactionCount,
  getFirstAvailableBlock: ({ ledger }) => ledger.history.oldest?.slot ?? ledger.slot,
  minimumLedgerSlot: ({ ledger }) => ledger.history.oldest?.slot ?? ledger.slot,

  getEpochInfo: ({ ledger }) => ({
    absoluteSlot: ledger.slot,
    blockHeight: ledger.blockhashes.height,
    epoch: ledger.epoch,
    slotIndex: ledger.slot % SLOTS_PER_EPOCH,
    slotsInEpoch: SLOTS_PER_EPOCH,
    transactionCount: ledger.transactionCount,
  }),

  getEpochSchedule: () => ({
    firstNormalEpoch: 0,
    firstNormalSlot: 0,
    leaderScheduleSlotOffset: SLOTS_PER_EPOCH,
    slotsPerEpoch: SLOTS_PER_EPOCH,
    warmup: false,
  }),

  getBlockTime: ({ ledger }, params) => {
    const slot = integerParam(params, 0);
    const time = ledger.history.atSlot(slot)?.blockTime ?? ledger.slotTimes.at(slot);
    if (time === undefined) throw new RpcError(RPC_CODE.blockNotAvailable, `Block not available for slot ${slot}`);
    return time;
  },

  getLatestBlockhash: ({ ledger }) =>
    withContext(ledger, {
      blockhash: ledger.blockhashes.latest,
      lastValidBlockHeight: ledger.blockhashes.lastValidBlockHeight,
    }),

  isBlockhashValid: ({ ledger }, params) => withContext(ledger, ledger.blockhashes.isValid(stringParam(params, 0))),

  getRecentPrioritizationFees: ({ ledger }, params) => {
    if (params.length > 0 && params[0] !== null) stringListParam(params, 0, MAX_LOCKED_ACCOUNTS);
    return [{ slot: ledger.slot, prioritizationFee: 0 }];
  },
};
