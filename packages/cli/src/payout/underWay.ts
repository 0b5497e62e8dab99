import { type OwnToken, ownTokens, type RecipientBalance, type WithdrawalUnderWay } from '@payouts/client';
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
  ownTokens(balances).flatMap((token) =>
    token.balances
      .filter(({ address }) => [undefined, address].includes(options.balance))
      .flatMap((balance) =>
        balance.withdrawals
          .filter((each) => isMeant(each) && [undefined, each.id].includes(options.withdrawal))
          .map((withdrawal) => ({ token, balance, withdrawal })),
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
