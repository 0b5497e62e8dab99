import type { WithdrawalUnderWay } from '@payouts/client';
import type { Command } from 'commander';
import { withName } from '../amounts.ts';
import { isWanted } from '../confirm.ts';
import { durationText, withinOption } from '../duration.ts';
import { Failure } from '../failure.ts';
import { type Destination, destinationOption, type Place, placesOf, placeTexts } from '../freshWallets.ts';
import { type ChangeOptions, withChange } from '../options.ts';
import { printResult } from '../output.ts';
import { releaseOf, releaseWithin } from '../release.ts';
import { openSession } from '../session.ts';
import { chosenWithdrawal, type NamedOptions, withNamed } from '../underWay.ts';

type Options = ChangeOptions & NamedOptions & { readonly to: Destination; readonly within?: number };

/** payout redirect */
export function addRedirect(program: Command): void {
  const command = program
    .command('redirect')
    .description('Send a withdrawal that is under way to another wallet; one that waits is released at once')
    .requiredOption(
      '--to <wallet>',
      'where the tokens go instead; fresh: to the next unused of your own',
      destinationOption,
    )
    .option('--within <duration>', 'release it at a random time within this instead, such as 3d', withinOption);
  withChange(withNamed(command)).action(redirect);
}

async function redirect(options: Options): Promise<void> {
  const access = await openSession(options);
  const { client } = access;
  const { token, balance, withdrawal } = chosenWithdrawal((await client.balances()).balances, options, {
    isMeant: ({ state }) => state !== 'paid',
    missing: new Failure('no-withdrawal-pending', 'No such withdrawal is under way.'),
  });
  const { id, number } = withdrawal;
  const dueAt = releaseWithin(options.within, options.time);
  const places = await placesOf(access, options.to, 1);
  const { wallet } = places[0] as Place;
  const what = [
    `Send ${calledIn(withdrawal)} of ${withName(withdrawal.amount, token)}`,
    ...placeTexts(places).map((place) => `  to         ${place}`),
    `  instead of ${withdrawal.wallet}`,
    ...(number === null
      ? [`  released ${dueAt === 0n ? 'at once' : `within ${durationText(options.within ?? 0)}`}`]
      : ['  It is paid once, to whichever of the two the ledger sees first.']),
  ];
  const plan = {
    balance: balance.address,
    withdrawal: id,
    number,
    wallet,
    releaseAt: releaseOf(dueAt),
  };
  if (!(await isWanted(what, options, plan))) return;
  const signature = await client.redirect(balance, id, wallet, dueAt);
  printResult(options, { ...plan, signature }, `It goes to ${placeTexts(places)}`);
}

const calledIn = ({ number }: WithdrawalUnderWay): string =>
  number === null ? 'the waiting withdrawal' : `withdrawal ${number}`;
