import type { WithdrawalUnderWay } from '@payouts/client';
import { type Command, Option } from 'commander';
import { withName } from '../amounts.ts';
import { isWanted } from '../confirm.ts';
import { durationText, withinOption } from '../duration.ts';
import { Failure, WrongUsage } from '../failure.ts';
import { type Destinations, destinationsOption, FRESH, type Place, placesOf, placeTexts } from '../freshWallets.ts';
import { type ChangeOptions, withChange } from '../options.ts';
import { printResult } from '../output.ts';
import { releaseOf, releaseWithin } from '../release.ts';
import { openSession } from '../session.ts';
import { timeText } from '../timeText.ts';
import { chosenWithdrawal, type NamedOptions, withNamed } from '../underWay.ts';

type Options = ChangeOptions &
  NamedOptions & { readonly to?: Destinations; readonly now?: true; readonly within?: number };

const MS_PER_SECOND = 1_000;

/** payout redirect */
export function addRedirect(program: Command): void {
  const command = program
    .command('redirect')
    .description('Send a withdrawal that is under way to another wallet, or one that waits at another time')
    .option('--to <wallet>', 'where the tokens go instead; fresh: to the next unused of your own', (text) =>
      destinationsOption(text, FRESH),
    )
    .addOption(new Option('--now', 'release one that waits at once').conflicts('within'))
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
  const release = releaseFor(withdrawal, options);
  const places = options.to === undefined ? [{ wallet: withdrawal.wallet }] : await placesOf(access, options.to, 1);
  const { wallet } = places[0] as Place;
  const what = [
    `Send ${calledIn(withdrawal)} of ${withName(withdrawal.amount, token)}`,
    ...placeTexts(places).map((place) => `  to         ${place}`),
    ...(wallet === withdrawal.wallet ? [] : [`  instead of ${withdrawal.wallet}`]),
    `  ${number === null ? releaseText(withdrawal, options) : 'It is paid once, to whichever of the two the ledger sees first.'}`,
  ];
  const plan = {
    balance: balance.address,
    withdrawal: id,
    number,
    wallet,
    releaseAt: release === 'in-round' ? withdrawal.releaseAt : releaseOf(release),
  };
  if (!(await isWanted(what, options, plan))) return;
  const signature = await client.redirect(balance, id, wallet, release);
  printResult(options, { ...plan, signature }, `It goes to ${placeTexts(places)}`);
}

/** When one that waits is released: as before where nothing else is asked for. Throws `WrongUsage`. */
function releaseFor(
  { number, releaseAt, inRound }: WithdrawalUnderWay,
  { to, now, within, time }: Options,
): bigint | 'in-round' {
  if (to === undefined && !now && within === undefined) {
    throw new WrongUsage('Pass --to WALLET, or --now or --within for another time.');
  }
  if (now || within !== undefined || number !== null) return releaseWithin(within, time);
  return inRound ? 'in-round' : BigInt(Math.floor((releaseAt ?? 0) / MS_PER_SECOND));
}

function releaseText({ releaseAt, inRound }: WithdrawalUnderWay, { now, within }: Options): string {
  if (now) return 'released at once';
  if (within !== undefined) return `released within ${durationText(within)}, drawn by lot`;
  const at = timeText(releaseAt ?? 0);
  return inRound ? `released in its round, on ${at} at the latest` : `released on ${at}, as before`;
}

const calledIn = ({ number }: WithdrawalUnderWay): string =>
  number === null ? 'the waiting withdrawal' : `withdrawal ${number}`;
