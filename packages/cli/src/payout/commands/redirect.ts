import type { WithdrawalUnderWay } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { withName } from '../amounts.ts';
import { isWanted } from '../confirm.ts';
import { durationText, withinOption } from '../duration.ts';
import { Failure } from '../failure.ts';
import { addressOption, type ChangeOptions, withChange } from '../options.ts';
import { printResult } from '../output.ts';
import { ownTokens } from '../ownTokens.ts';
import { releaseOf, releaseWithin } from '../release.ts';
import { openSession } from '../session.ts';

type Options = ChangeOptions & { readonly to: Address; readonly number?: string; readonly within?: number };

/** payout redirect */
export function addRedirect(program: Command): void {
  const command = program
    .command('redirect')
    .description('Send the withdrawal that is under way to another wallet; one that waits is released at once')
    .requiredOption('--to <wallet>', 'where the tokens go instead', addressOption)
    .option('--within <duration>', 'release it within this time instead, such as 3d, drawn by lot', withinOption)
    .option('--number <number>', 'number of the withdrawal, if several are under way');
  withChange(command).action(redirect);
}

async function redirect(options: Options): Promise<void> {
  const { client } = await openSession(options);
  const underWay = ownTokens((await client.balances()).balances).flatMap((token) =>
    token.balances.flatMap(({ address, mint, withdrawal }) =>
      withdrawal && withdrawal.state !== 'paid' ? [{ token, address, mint, withdrawal }] : [],
    ),
  );
  const meant = underWay.filter(({ withdrawal }) => [undefined, nameOf(withdrawal)].includes(options.number));
  const [only, ...others] = meant;
  if (only === undefined) throw new Failure('no-withdrawal-pending', 'No such withdrawal is under way.');
  if (others.length > 0) {
    const numbers = meant.map(({ withdrawal }) => nameOf(withdrawal)).join(', ');
    throw new Failure('withdrawal-unnamed', `Several withdrawals are under way: name one with --number (${numbers}).`);
  }
  const { token, withdrawal } = only;
  const dueAt = releaseWithin(options.within, options.time);
  const what = [
    `Send ${calledIn(withdrawal)} of ${withName(withdrawal.amount, token)}`,
    `  to         ${options.to}`,
    `  instead of ${withdrawal.wallet}`,
    ...(withdrawal.number === null
      ? [`  released ${dueAt === 0n ? 'at once' : `within ${durationText(options.within ?? 0)}`}`]
      : ['  It is paid once, to whichever of the two the ledger sees first.']),
  ];
  const plan = { number: withdrawal.number, wallet: options.to, releaseAt: releaseOf(dueAt) };
  if (!(await isWanted(what, options, plan))) return;
  const signature = await client.redirect(only, options.to, dueAt);
  printResult(options, { ...plan, signature }, `It goes to ${options.to}`);
}

/** What a withdrawal is called: its number, once it has one. */
const nameOf = ({ number }: WithdrawalUnderWay): string => (number === null ? 'waiting' : String(number));

const calledIn = ({ number }: WithdrawalUnderWay): string =>
  number === null ? 'the waiting withdrawal' : `withdrawal ${number}`;
