import { accountValueNode, programIdValueNode, publicKeyValueNode } from 'codama';
import { ASSOCIATED_TOKEN_PROGRAM, INSTRUCTIONS_SYSVAR } from '../addresses.ts';
import { address, u64 } from '../types.ts';
import {
  account,
  associatedToken,
  config,
  counterOfArgument,
  instruction,
  magicContext,
  magicProgram,
  mint,
  mintArgument,
  pool,
  poolOfArgument,
  poolToken,
  program,
  R,
  S,
  SW,
  systemProgram,
  tokenProgram,
  W,
} from './parts.ts';

/** How money leaves the private balances. */
export const withdrawalInstructions = [
  instruction('payOut', 17, 'Pays a numbered withdrawal; only as a base action of the execution layer.', {
    data: [
      ['number', u64()],
      ['amount', u64(), 'Base units.'],
    ],
    accounts: [
      pool(W),
      poolToken,
      mint,
      account('wallet', R),
      account('walletToken', W, associatedToken('wallet')),
      account('page', W),
      config(),
      account('instructionsSysvar', R, publicKeyValueNode(INSTRUCTIONS_SYSVAR)),
      tokenProgram,
      program('associatedTokenProgram', ASSOCIATED_TOKEN_PROGRAM),
      systemProgram,
      account('sourceProgram', R, programIdValueNode()),
      account('escrowAuthority', R, accountValueNode('pool')),
      account('escrow', SW),
    ],
  }),
  instruction('requestWithdrawal', 34, 'Takes an amount out of a balance and numbers it, to be paid to a wallet.', {
    data: [
      ['amount', u64(), 'Base units; the u64 maximum means all.'],
      ['wallet', address()],
    ],
    accounts: [account('recipient', S), account('balance', W), counterOfArgument, poolOfArgument(R)],
    extra: [mintArgument],
  }),
  instruction('confirmWithdrawal', 35, 'Clears a withdrawal that the base ledger has paid, or issues it.', {
    accounts: [
      account('authority', SW),
      config(),
      account('balance', W),
      poolOfArgument(R),
      account('page', R),
      magicProgram,
      magicContext,
    ],
    extra: [mintArgument],
  }),
  instruction('setStandingOrder', 36, 'Sends everything to a wallet whenever a balance reaches a threshold.', {
    data: [
      ['threshold', u64(), 'Base units; 0: no standing order.'],
      ['wallet', address()],
    ],
    accounts: [account('recipient', S), account('balance', W)],
  }),
  instruction('executeOrder', 37, 'Takes out of a balance what is to leave by itself, and numbers it.', {
    accounts: [account('authority', S), config(), account('balance', W), counterOfArgument, poolOfArgument(R)],
    extra: [mintArgument],
  }),
  instruction('redirectWithdrawal', 38, 'Changes the wallet of the withdrawal under way; it keeps its number.', {
    data: [['wallet', address()]],
    accounts: [account('recipient', S), account('balance', W)],
  }),
];
