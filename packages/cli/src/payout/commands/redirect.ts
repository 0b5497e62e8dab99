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

type Options = ChangeOptions & { readonly to: Address; readonly withdrawal?: number; readonly within?: number };

/** payout redirect */
export function addRedirect(program: Command): void {
  const command = program
    .command('redirect')
    .description('Send the withdrawal that is under way to another wallet; one that waits is released at once')
    .requiredOption('--to <wallet>', 'where the tokens go instead', addressOption)
    .option('--within <duration>', 'release it within this time instead, such as 3d, drawn by lot', withinOption)
    .option('--withdrawal <id>', 'which of them, if several are under way: see payout balance', Number);
  withChange(command).action(redirect);
}

async function redirect(options: Options): Promise<void> {
  const { client } = await openSession(options);
  const underWay = ownTokens((await client.balances()).balances).flatMap((token) =>
    token.balances.flatMap((balance) =>
      balance.withdrawals
        .filter(({ state }) => state !== 'paid')
        .map((withdrawal) => ({ token, balance, withdrawal })),
    ),
  );
  const meant = underWay.filter(({ withdrawal }) => [undefined, withdrawal.id].includes(options.withdrawal));
  const [only, ...others] = meant;
  if (only === undefined) throw new Failure('no-withdrawal-pending', 'No such withdrawal is under way.');
  if (others.length > 0) {
    const ids = meant.map(({ withdrawal }) => withdrawal.id).join(', ');
    throw new Failure('withdrawal-unnamed', `Several withdrawals are under way: name one with --withdrawal (${ids}).`);
  }
  const { token, balance, withdrawal } = only;
  const dueAt = releaseWithin(options.within, options.time);
  const what = [
    `Send ${calledIn(withdrawal)} of ${withName(withdrawal.amount, token)}`,
    `  to         ${options.to}`,
    `  instead of ${withdrawal.wallet}`,
    ...(withdrawal.number === null
      ? [`  released ${dueAt === 0n ? 'at once' : `within ${durationText(options.within ?? 0)}`}`]
      : ['  It is paid once, to whichever of the two the ledger sees first.']),
  ];
  const plan = { withdrawal: withdrawal.id, number: withdrawal.number, wallet: options.to, releaseAt: releaseOf(dueAt) };
  if (!(await isWanted(what, options, plan))) return;
  const signature = await client.redirect(balance, withdrawal.id, options.to, dueAt);
  printResult(options, { ...plan, signature }, `It goes to ${options.to}`);
}

const calledIn = ({ number }: WithdrawalUnderWay): string =>
  number === null ? 'the waiting withdrawal' : `withdrawal ${number}`;
