import { argumentValueNode, definedTypeLinkNode, instructionRemainingAccountsNode, publicKeyValueNode } from 'codama';
import { EPHEMERAL_VAULT } from '../addresses.ts';
import { hash, shortArray, u32, u64 } from '../types.ts';
import {
  account,
  batchOfSchedule,
  config,
  delegationAccounts,
  instruction,
  magicContext,
  magicProgram,
  mint,
  mintArgument,
  pool,
  poolOfArgument,
  poolToken,
  S,
  SW,
  tokenProgram,
  vaultToken,
  W,
} from './parts.ts';

/** What a window goes through, on both ledgers. */
export const windowInstructions = [
  instruction('delegateSchedule', 15, 'Opens a window: moves its amount to the pool and delegates the batch.', {
    data: [['window', u64()]],
    accounts: [
      account('authority', SW),
      config(),
      account('schedule', W),
      batchOfSchedule,
      account('vault', W),
      vaultToken,
      pool(W),
      poolToken,
      mint,
      tokenProgram,
      ...delegationAccounts('batch'),
    ],
  }),
  instruction(
    'settle',
    16,
    'Closes windows of a token whose batches have come back, and records the liabilities root.',
    {
      data: [
        ['liabilities', definedTypeLinkNode('liabilities')],
        ['windows', shortArray(u64()), 'Their numbers.'],
      ],
      accounts: [account('authority', S), config(), pool(W), poolToken, mint, tokenProgram],
      // Schedule, batch, vault and the vault's token account of each.
      remaining: [instructionRemainingAccountsNode(argumentValueNode('windowAccounts'), { isWritable: true })],
    },
  ),
  instruction('recordLiabilities', 23, 'Records the liabilities root of a token’s pool.', {
    data: [['liabilities', definedTypeLinkNode('liabilities')]],
    accounts: [account('authority', S), config(), poolOfArgument(W)],
    extra: [mintArgument],
  }),
  instruction('claimPayment', 32, 'Pays a contiguous range of leaves from an open batch, in the execution layer.', {
    data: [
      ['start', u32(), 'Index of the first leaf.'],
      ['entries', shortArray(definedTypeLinkNode('claimEntry'))],
      ['proof', shortArray(hash())],
    ],
    accounts: [
      account('authority', S),
      config(),
      account('batch', W),
      magicProgram,
      account('ephemeralVault', W, publicKeyValueNode(EPHEMERAL_VAULT)),
    ],
    remaining: [instructionRemainingAccountsNode(argumentValueNode('balances'), { isWritable: true })],
  }),
  instruction('commit', 33, 'Closes the batch and sends it back to the base ledger.', {
    data: [['window', u64()]],
    accounts: [account('authority', SW), config(), account('batch', W), magicProgram, magicContext],
  }),
];
