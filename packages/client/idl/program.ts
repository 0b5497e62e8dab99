import { programNode, rootNode } from 'codama';
import { accounts } from './accounts.ts';
import { PROGRAM_ADDRESS } from './addresses.ts';
import { errors } from './errors.ts';
import { payoutEvent } from './events.ts';
import { instructions } from './instructions/index.ts';
import { pdas } from './pdas.ts';
import { definedTypes } from './types.ts';

/** The ledger program's IDL. The contract it writes down: docs/internals/ledger-program.md. */
export const idl = rootNode(
  programNode({
    name: 'payoutLedger',
    docs: ['The payout ledger: vaults, schedules, claims and withdrawals.'],
    publicKey: PROGRAM_ADDRESS,
    version: '0.1.0',
    origin: 'shank',
    accounts,
    instructions,
    definedTypes: [...definedTypes, payoutEvent],
    pdas,
    errors,
  }),
);
