import { definedTypeLinkNode } from 'codama';
import { address, u8, u32 } from '../types.ts';
import {
  account,
  associatedToken,
  config,
  counterOfArgument,
  delegationAccounts,
  entryOfArgument,
  instruction,
  mint,
  mintArgument,
  mintEntry,
  pool,
  poolOfArgument,
  R,
  S,
  SW,
  systemProgram,
  tokenProgram,
  W,
} from './parts.ts';

/** The deployment: roles, limits, whitelist, and what each token has once. */
export const governanceInstructions = [
  instruction('initConfig', 0, 'Creates the config. Only the program’s upgrade authority may.', {
    data: [
      ['governance', address()],
      ['guardian', address()],
      ['executionAuthority', address()],
      ['validator', address()],
      ['limits', definedTypeLinkNode('limits')],
      ['flags', u8(), 'Bit 0: employers need the whitelist; bit 1: mints need it.'],
      ['lossGrace', u32(), 'Seconds.'],
    ],
    accounts: [account('upgradeAuthority', SW), config(W), account('programData', R), systemProgram],
  }),
  instruction('updateConfig', 1, 'Changes roles and limits; names who may take governance over.', {
    data: [
      ['pendingGovernance', address(), 'Zero: nobody.'],
      ['executionAuthority', address()],
      ['validator', address()],
      ['limits', definedTypeLinkNode('limits')],
      ['flags', u8(), 'Bit 0: employers need the whitelist; bit 1: mints need it.'],
    ],
    accounts: [account('governance', S), config(W)],
  }),
  instruction('acceptGovernance', 2, 'Takes governance over.', {
    accounts: [account('pendingGovernance', S), config(W)],
  }),
  instruction('setWhitelist', 3, 'Puts an employer or a mint on the whitelist, or takes it off.', {
    data: [
      ['subject', address(), 'An employer or a mint.'],
      ['allowed', u8(), '1: allowed, 0: not.'],
    ],
    accounts: [account('governance', S), account('payer', SW), config(), entryOfArgument, systemProgram],
  }),
  instruction('initPool', 4, 'Creates the pool of a token; its token account exists before.', {
    accounts: [
      account('payer', SW),
      config(),
      mintEntry,
      pool(W),
      mint,
      account('poolToken', R, associatedToken('pool')),
      tokenProgram,
      systemProgram,
    ],
  }),
  instruction('initCounter', 5, 'Creates the withdrawal counter of a token and delegates it for good.', {
    accounts: [account('payer', SW), config(), poolOfArgument(R), counterOfArgument, ...delegationAccounts('counter')],
    extra: [mintArgument],
  }),
  instruction(
    'updateGuardian',
    20,
    'Changes the guardian and the grace time; governance and the present guardian sign.',
    {
      data: [
        ['newGuardian', address()],
        ['lossGrace', u32(), 'Seconds.'],
      ],
      accounts: [account('governance', S), account('guardian', S), config(W)],
    },
  ),
];
