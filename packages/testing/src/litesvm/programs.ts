import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PAYOUT_LEDGER_PROGRAM_ADDRESS, UPGRADEABLE_LOADER_ADDRESS } from '@payouts/client';
import type { Address } from '@solana/kit';
import { bytesOf, derive } from './addresses.ts';

export const LEDGER_PROGRAM = PAYOUT_LEDGER_PROGRAM_ADDRESS;
export const SYSTEM_PROGRAM = '11111111111111111111111111111111' as Address;
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' as Address;
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb' as Address;
export const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL' as Address;

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const dumps = '../../../../node_modules/@magicblock-labs/ephemeral-validator/bin/local-dumps/';

/** The file of the ledger program; PAYOUTS_PROGRAM names another, such as one with a mistake built in. */
export const ledgerProgramFile = process.env.PAYOUTS_PROGRAM ?? path('../../../../program/payouts.so');
/** The double of the execution layer's Magic program. */
export const magicProgramFile = path('../../../../test/program/magic-program.so');
/** The permission program of private layers; where it is from: test/program/published/README.md. */
export const permissionProgramFile = path('../../../../test/program/published/permission-program.so');
/** The delegation program as the validator's package has it. */
const delegationProgram = path(`${dumps}DELeGGvXpWV2fqJUhqcF5ZSYMS4JTLjteaAMARRSaeSh.so`);
/** A newer one, from where the permission program is. */
export const newerDelegationProgram = path('../../../../test/program/published/delegation-program.so');
/** The one that a new world has; DELEGATION_PROGRAM names another. */
export const delegationProgramFile = () => process.env.DELEGATION_PROGRAM ?? delegationProgram;

/** Where the loader keeps a program's code and its upgrade authority. */
export function programDataOf(program: Address): Address {
  return derive(UPGRADEABLE_LOADER_ADDRESS, bytesOf(program)).address;
}

/** The two accounts that the upgradeable loader keeps of a program. */
export function upgradeableProgram(file: string, program: Address, upgradeAuthority: Address) {
  const head = Buffer.alloc(45);
  head.writeUInt32LE(3, 0);
  head[12] = 1;
  head.set(bytesOf(upgradeAuthority), 13);
  const link = Buffer.alloc(36);
  link.writeUInt32LE(2, 0);
  link.set(bytesOf(programDataOf(program)), 4);
  const common = { lamports: 10_000_000_000n, owner: UPGRADEABLE_LOADER_ADDRESS };
  return [
    {
      ...common,
      address: programDataOf(program),
      data: new Uint8Array(Buffer.concat([head, readFileSync(file)])),
      executable: false,
    },
    { ...common, address: program, data: new Uint8Array(link), executable: true },
  ];
}
