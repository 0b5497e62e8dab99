import { accountValueNode, programIdValueNode, publicKeyValueNode } from 'codama';
import { ASSOCIATED_TOKEN_PROGRAM, INSTRUCTIONS_SYSVAR } from '../addresses.ts';
import { address, i64, u16, u64 } from '../types.ts';
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

const instructionsSysvar = account('instructionsSysvar', R, publicKeyValueNode(INSTRUCTIONS_SYSVAR));

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
      instructionsSysvar,
      tokenProgram,
      program('associatedTokenProgram', ASSOCIATED_TOKEN_PROGRAM),
      systemProgram,
      account('sourceProgram', R, programIdValueNode()),
      account('escrowAuthority', R, accountValueNode('pool')),
      account('escrow', SW),
    ],
  }),
  instruction('requestWithdrawal', 34, 'Takes an amount out of a balance, to be paid to a wallet at once or later.', {
    data: [
      ['amount', u64(), 'Base units; the u64 maximum means all.'],
      ['wallet', address()],
      ['dueAt', i64(), 'Unix seconds of its release; what is past: at once.', 0],
    ],
    accounts: [account('signer', S), account('balance', W), counterOfArgument, poolOfArgument(R), instructionsSysvar],
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
  instruction('setStandingOrder', 36, 'Sends tokens to a wallet whenever a balance reaches a threshold.', {
    data: [
      ['threshold', u64(), 'Base units; 0: no standing order.'],
      ['wallet', address()],
      ['part', u64(), 'Base units of each withdrawal; 0: everything.', 0],
      ['delayMin', u16(), 'Minutes until the release, at least.', 0],
      ['delayMax', u16(), 'Minutes until the release, at most; 0: at once.', 0],
    ],
    accounts: [account('signer', S), account('balance', W), instructionsSysvar],
  }),
  instruction('executeOrder', 37, 'Takes out of a balance what is to leave by itself.', {
    data: [['dueAt', i64(), 'Unix seconds, drawn within the standing order’s range; what is past: at once.', 0]],
    accounts: [account('authority', S), config(), account('balance', W), counterOfArgument, poolOfArgument(R)],
    extra: [mintArgument],
  }),
  instruction('redirectWithdrawal', 38, 'Changes wallet and time of the withdrawal under way; it keeps its number.', {
    data: [
      ['wallet', address()],
      ['dueAt', i64(), 'Unix seconds of its release; what is past: at once.', 0],
    ],
    accounts: [account('signer', S), account('balance', W), instructionsSysvar],
  }),
];
