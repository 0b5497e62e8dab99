import { publicKeyValueNode } from 'codama';
import { EPHEMERAL_VAULT, PERMISSION_PROGRAM } from '../addresses.ts';
import { permissionPda } from '../pdas.ts';
import { fixedBytes, shortArray, u8 } from '../types.ts';
import { account, config, derived, instruction, magicProgram, ofAccount, program, S, W } from './parts.ts';

const permissionProgram = program('permissionProgram', PERMISSION_PROGRAM);
const ephemeralVault = account('ephemeralVault', W, publicKeyValueNode(EPHEMERAL_VAULT));

/** Who may read what, in an execution layer that has read permissions. */
export const permissionInstructions = [
  instruction(
    'setPermissions',
    39,
    'Sets who may read balances and a batch. Behind these accounts stand pairs: an account and its permission, written.',
    {
      data: [
        ['ofBatch', u8(), '1: the first pair is the batch’s own.'],
        ['salts', shortArray(fixedBytes(16)), 'Of the balances’ owners, in the order of the other pairs.'],
      ],
      accounts: [
        account('authority', S),
        config(),
        account('batch', W),
        permissionProgram,
        ephemeralVault,
        magicProgram,
      ],
    },
  ),
  instruction('closePermission', 40, 'Closes the permission of an open window’s batch, if there is one.', {
    accounts: [
      account('authority', S),
      config(),
      account('batch', W),
      account('permission', W, derived(permissionPda, { permissioned: ofAccount('batch') })),
      permissionProgram,
      ephemeralVault,
      magicProgram,
    ],
  }),
];
