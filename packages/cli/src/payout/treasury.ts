import { type BaseConnection, type KeptBytes, sendStepsToBase } from '@payouts/client';
import {
  Failure,
  type ProposedTransactions,
  proposeSteps,
  readTreasury,
  type Steps,
  type Treasury,
} from '@payouts/employer';
import type { Address } from '@solana/kit';
import { type Command, InvalidArgumentError } from 'commander';
import { addressOption } from './options.ts';
import { wrapped } from './output.ts';
import type { Signer } from './signer/signer.ts';

/** What a command of an employer takes who may be a treasury: a vault of a multisig of Squads v4. */
export type TreasuryOptions = { readonly treasury?: Address; readonly treasuryVault?: number };

/** Adds `--treasury`. */
export const withTreasury = (command: Command): Command =>
  command
    .option('--treasury <multisig>', 'as a member of this multisig of Squads: propose it instead', addressOption)
    .option('--treasury-vault <number>', 'which of its vaults (default: 0)', vaultOption);

function vaultOption(text: string): number {
  if (/^(25[0-5]|2[0-4]\d|1?\d?\d)$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It takes the number of a vault, 0 to 255.');
}

/** The treasury that the options name. Throws `Failure` treasury-unknown, or `WrongUsage`. */
export const treasuryOf = (
  ledgers: BaseConnection,
  { treasuryVault = 0 }: TreasuryOptions,
  multisig: Address,
): Promise<Treasury> => readTreasury(ledgers, multisig, treasuryVault);

/** Not a failure: what was to be done was proposed, and others decide. */
export class Proposed extends Error {
  override readonly name = 'Proposed';

  constructor(
    readonly treasury: Treasury,
    readonly transactions: ProposedTransactions,
    /** The schedules whose lists it promises, with commas between them, if it does. */
    readonly about: string | undefined,
  ) {
    super('proposed');
  }
}

/** The code of what is asked of a treasury in vain. */
export const TREASURY_REFUSES = 'treasury-signs-no-text';

/** A treasury as an employer: its address, and no key. What it would sign is proposed by `proposing`. */
export const treasurySigner = ({ employer, multisig }: Treasury): Signer => ({
  address: employer,
  signMessages: () =>
    Promise.reject(
      new Failure(
        TREASURY_REFUSES,
        `The treasury ${multisig} signs transactions alone, when its members have approved them. What is read with the coordinator takes the key of a viewer or clerk: payout roles set.`,
      ),
    ),
  signTransactions: () => Promise.reject(new Failure(TREASURY_REFUSES, `The treasury ${multisig} has no key.`)),
});

/** A connection by which a member proposes what a treasury would send. */
export function proposing(ledgers: BaseConnection, treasury: Treasury, member: Signer): BaseConnection {
  const { sending } = ledgers;
  if (sending === undefined) return ledgers;
  const propose = async (steps: Steps, about: string | undefined): Promise<never> => {
    const { outbox } = sending;
    // None is the whole command: whoever repeats it is told by what waits in the treasury which of them are there.
    const noted = outbox && {
      ...outbox,
      keep: (bytes: KeptBytes) => outbox.keep({ ...bytes, isWhole: false, about }),
    };
    const own = { ...ledgers, sending: { ...sending, ...(noted && { outbox: noted }) } };
    const proposed = await proposeSteps(ledgers, treasury, { member, steps }, (each) =>
      sendStepsToBase(own, each, member),
    );
    throw new Proposed(treasury, proposed, about);
  };
  return { ...ledgers, sending: { ...sending, instead: propose } };
}

/** What is said of what was proposed, and what comes next. */
export function proposedText({ treasury, transactions: { indexes, isApproved, waited }, about }: Proposed): string[] {
  const { multisig, vaultIndex, state } = treasury;
  const left = state.threshold - (isApproved ? 1 : 0);
  const options = `--treasury ${multisig}${vaultIndex === 0 ? '' : ` --treasury-vault ${vaultIndex}`}`;
  const what =
    indexes.length === 1 ? 'Proposed as transaction' : 'Proposed, to be executed in this order, as transactions';
  const approvals = isApproved
    ? `You have approved it. It takes ${left} more of its members`
    : `It takes ${left} of its members`;
  return [
    ...wrapped(`${what} ${indexes.join(', ')} of the treasury ${multisig}.`),
    ...(waited.length === 0
      ? []
      : [`You had proposed ${waited.join(', ')} before, and nothing new is proposed for it.`]),
    ...wrapped(
      left === 0
        ? 'You have approved it, and nobody else need.'
        : `${approvals}, who see what it does before they agree:`,
    ),
    ...(left === 0 ? [] : indexes.map((index) => `  payout treasury approve ${index} ${options}`)),
    'Then any member who may execute runs',
    ...indexes.map((index) => `  payout treasury execute ${index} ${options}`),
    ...(about === undefined
      ? []
      : [
          'and you give the coordinator the list, which is in your book:',
          `  payout schedule register ${about} ${options}`,
        ]),
  ];
}

/** The same for programs. */
export const proposedJson = ({ treasury, transactions: { indexes, isApproved, waited }, about }: Proposed) => ({
  proposed: indexes,
  ...(waited.length > 0 && { waited }),
  treasury: treasury.multisig,
  employer: treasury.employer,
  approvals: isApproved ? 1 : 0,
  threshold: treasury.state.threshold,
  ...(about !== undefined && { schedule: about }),
});
