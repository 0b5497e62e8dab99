import {
  DELEGATION_PROGRAM_ADDRESS,
  MAGIC_PROGRAM_ADDRESS,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  PERMISSION_PROGRAM_ADDRESS,
  TOKEN_2022_PROGRAM_ADDRESS,
  TOKEN_PROGRAM_ADDRESS,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { ASSOCIATED_TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';

/** The programs to which what a payout makes in an execution layer belongs. */
export const OWN_PROGRAMS: readonly Address[] = [PAYOUT_LEDGER_PROGRAM_ADDRESS, PERMISSION_PROGRAM_ADDRESS];

/** Others to which something of a payout may belong there: a stranger lists the accounts of each. */
export const OTHER_PROGRAMS: readonly Address[] = [
  MAGIC_PROGRAM_ADDRESS,
  DELEGATION_PROGRAM_ADDRESS,
  TOKEN_PROGRAM_ADDRESS,
  TOKEN_2022_PROGRAM_ADDRESS,
  ASSOCIATED_TOKEN_PROGRAM_ADDRESS,
  SYSTEM_PROGRAM_ADDRESS,
];
