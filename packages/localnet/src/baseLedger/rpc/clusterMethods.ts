import { VALIDATOR_IDENTITY } from '../../addresses.ts';
import { API_VERSION, type RpcMethod, viewAt, withContext } from './context.ts';
import { integerParam, optionsParam, stringListParam, stringParam, toAddressParam } from './params.ts';
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

  getSlot: (call, params) => viewAt(call, optionsParam(params, 0).commitment).slot,
  getBlockHeight: (call, params) => viewAt(call, optionsParam(params, 0).commitment).blockHeight,
  getTransactionCount: ({ ledger }) => ledger.transactionCount,
  getFirstAvailableBlock: ({ ledger }) => ledger.history.firstSlot,
  minimumLedgerSlot: ({ ledger }) => ledger.history.firstSlot,

  getEpochInfo: (call, params) => {
    const { slot, blockHeight } = viewAt(call, optionsParam(params, 0).commitment);
    return {
      absoluteSlot: slot,
      blockHeight,
      epoch: Math.floor(slot / SLOTS_PER_EPOCH),
      slotIndex: slot % SLOTS_PER_EPOCH,
      slotsInEpoch: SLOTS_PER_EPOCH,
      transactionCount: call.ledger.transactionCount,
    };
  },

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

  getLatestBlockhash: (call, params) => {
    const view = viewAt(call, optionsParam(params, 0).commitment);
    return withContext(view, { blockhash: view.blockhash, lastValidBlockHeight: view.lastValidBlockHeight });
  },

  isBlockhashValid: (call, params) => {
    const view = viewAt(call, optionsParam(params, 1).commitment);
    return withContext(view, view.takes(stringParam(params, 0)));
  },

  getRecentPrioritizationFees: (call, params) => {
    const accounts = (params[0] ?? null) === null ? [] : stringListParam(params, 0, MAX_LOCKED_ACCOUNTS);
    const newest = viewAt(call, 'confirmed').slot;
    const bids = call.cluster.market.recentBids(accounts.map(toAddressParam)).filter(({ slot }) => slot <= newest);
    if (bids.length === 0) return [{ slot: newest, prioritizationFee: 0 }];
    return bids.map(({ slot, bid }) => ({ slot, prioritizationFee: bid }));
  },
};
