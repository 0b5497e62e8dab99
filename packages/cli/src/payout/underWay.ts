import {
  type OwnToken,
  ownTokens,
  type RecipientBalance,
  type TransferUnderWay,
  type WithdrawalUnderWay,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { type Command, InvalidArgumentError } from 'commander';
import { Failure } from './failure.ts';
import { addressOption } from './options.ts';

/** What names a withdrawal under way. */
export type NamedOptions = { readonly balance?: Address; readonly withdrawal?: number };

/** A withdrawal under way, its balance and its token. */
export type OwnWithdrawal = {
  readonly token: OwnToken;
  readonly balance: RecipientBalance;
  readonly withdrawal: WithdrawalUnderWay;
};

/** A private transfer that waits to be made, its balance and its token. */
export type OwnTransfer = Omit<OwnWithdrawal, 'withdrawal'> & { readonly transfer: TransferUnderWay };

/** Adds the options that name a withdrawal under way. */
export function withNamed(command: Command): Command {
  return command
    .option('--withdrawal <id>', 'which one, if you have several: payout balance shows the ids', idOption)
    .option('--balance <address>', 'the balance that it is taken from, if two have the same id', addressOption);
}

function idOption(text: string): number {
  if (/^[1-9][0-9]{0,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is not the id of a withdrawal.');
}

/** The withdrawals under way that the options name, of those that `isMeant` says. */
export const namedWithdrawals = (
  balances: readonly RecipientBalance[],
  options: NamedOptions,
  isMeant: (withdrawal: WithdrawalUnderWay) => boolean,
): OwnWithdrawal[] =>
  named(balances, options, ({ withdrawals }) => withdrawals.filter(isMeant)).map(({ each: withdrawal, ...of }) => ({
    ...of,
    withdrawal,
  }));

/** The private transfers that the options name, of those that wait to be made. */
export const namedTransfers = (balances: readonly RecipientBalance[], options: NamedOptions): OwnTransfer[] =>
  named(balances, options, ({ transfers }) => transfers).map(({ each: transfer, ...of }) => ({ ...of, transfer }));

const named = <Each extends { readonly id: number }>(
  balances: readonly RecipientBalance[],
  options: NamedOptions,
  underWay: (balance: RecipientBalance) => readonly Each[],
): { readonly token: OwnToken; readonly balance: RecipientBalance; readonly each: Each }[] =>
  ownTokens(balances).flatMap((token) =>
    token.balances
      .filter(({ address }) => [undefined, address].includes(options.balance))
      .flatMap((balance) =>
        underWay(balance)
          .filter(({ id }) => [undefined, id].includes(options.withdrawal))
          .map((each) => ({ token, balance, each })),
      ),
  );

/**
 * The one withdrawal under way that the options name, of those that `isMeant` says. Throws `Failure`: `missing` where there is none, or
 * withdrawal-unnamed where there are several.
 */
export function chosenWithdrawal(
  balances: readonly RecipientBalance[],
  options: NamedOptions,
  { isMeant, missing }: { readonly isMeant: (withdrawal: WithdrawalUnderWay) => boolean; readonly missing: Failure },
): OwnWithdrawal {
  const found = namedWithdrawals(balances, options, isMeant);
  const [only, ...others] = found;
  if (only === undefined) throw missing;
  if (others.length === 0) return only;
  const isOneBalance = others.every(({ balance }) => balance.address === only.balance.address);
  const named = found.map(({ withdrawal: { id }, balance }) =>
    isOneBalance ? `${id}` : `${id} of ${balance.address}`,
  );
  throw new Failure(
    'withdrawal-unnamed',
    `Several withdrawals are under way: name one with --withdrawal${isOneBalance ? '' : ' and --balance'} (${named.join(', ')}).`,
  );
}
