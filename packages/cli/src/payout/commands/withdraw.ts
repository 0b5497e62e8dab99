import { adviceOn, heldOf, type OwnToken, type Part, watchedFrom } from '@payouts/client';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseTokens, withName } from '../amounts.ts';
import { isWanted } from '../confirm.ts';
import { durationText, withinOption } from '../duration.ts';
import { WrongUsage } from '../failure.ts';
import { type Destinations, destinationsOption, FRESH, type Place, placesOf, placeTexts } from '../freshWallets.ts';
import { withdrawInRound } from '../inRounds.ts';
import { type ChangeOptions, withChange } from '../options.ts';
import { print, printJson, warn } from '../output.ts';
import { chosenToken } from '../ownTokens.ts';
import { watchWithdrawals } from '../progress.ts';
import { releaseOf, releaseWithin } from '../release.ts';
import { openSession, type RecipientAccess } from '../session.ts';
import { askInTurn, plannedWithdrawal } from '../withdrawalPlan.ts';

type Options = ChangeOptions & {
  readonly to: Destinations;
  readonly token?: string;
  readonly now?: true;
  readonly leastCrowd?: number;
  readonly within?: number;
  readonly wait: boolean;
};

/** payout withdraw */
export function addWithdraw(program: Command): void {
  const command = program
    .command('withdraw')
    .description('Take tokens out of your private balance, in equal parts that leave in rounds with those of others')
    .argument('<amount>', 'tokens, such as 1,250.50, or all')
    .option(
      '--to <wallet>',
      'where the tokens go; several times: the parts to each in turn; fresh: the next unused of your own, one for each part',
      destinationsOption,
      FRESH,
    )
    .option('--token <token>', 'symbol or address, if you have several')
    .option('--least-crowd <people>', 'ask for nothing while fewer people leave in a round', crowdOption)
    .addOption(new Option('--now', 'all of it in one piece, at once').conflicts(['within', 'leastCrowd']))
    .addOption(
      new Option('--within <duration>', 'all of it in one piece, at a random time within this, such as 3d')
        .argParser(withinOption)
        .conflicts('leastCrowd'),
    )
    .option('--no-wait', "with --now: don't wait until it is paid");
  withChange(command).action(withdraw);
}

function crowdOption(text: string): number {
  if (/^[1-9][0-9]{0,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is not a number of people.');
}

/** What is taken out of one balance, base units, and where it goes. */
type Payout = Part & Place;

async function withdraw(text: string, options: Options): Promise<void> {
  const access = await openSession(options);
  const token = chosenToken((await access.client.balances()).balances, options.token);
  const isAlone = options.now === true || options.within !== undefined;
  if (isAlone && options.to.length > 1 && options.to !== FRESH) {
    throw new WrongUsage('One piece goes to one wallet: name --to once, or leave out --now and --within.');
  }
  const amount = text === 'all' ? 'all' : parseTokens(text, token.decimals);
  if (isAlone) return withdrawAlone(access, token, amount, options);
  return withdrawInRound(access, token, amount, options);
}

/** Takes an amount out in one piece, at once or at a time that is drawn. Throws `Failure` and `ApiFailed`. */
async function withdrawAlone(
  access: RecipientAccess,
  token: OwnToken,
  amount: bigint | 'all',
  options: Options,
): Promise<void> {
  const { client, owner } = access;
  const parts = plannedWithdrawal(token, amount);
  const places = await placesOf(access, options.to, parts.length);
  const payouts = parts.map((part, at): Payout => ({ ...part, ...(places[at] as Place) }));
  const total = parts.reduce((sum, { amount }) => sum + amount, 0n);
  const held = heldOf(token);
  const to = (places[0] as Place).wallet;
  const seen = { to, owner, amount: total, held, decimals: token.decimals, within: options.within };
  for (const sentence of adviceOn(seen, 'Without --now it leaves in a round, with others.')) warn(sentence);
  const what = summary(payouts, { total, held }, token, options);
  if (!(await isWanted(what, options, { withdrawals: payouts.map(payoutFor) }))) return;
  const asked = await askInTurn(payouts, async (payout) => {
    const { balance, amount, wallet } = payout;
    const dueAt = releaseWithin(options.within, options.time);
    const signature = await client.withdraw(balance, { amount, wallet, dueAt });
    return { ...payoutFor(payout), releaseAt: releaseOf(dueAt), signature };
  });
  const watched = watchedFrom(parts.map(({ balance }) => balance));
  const waits = options.wait && options.within === undefined;
  const isPaid = waits && (await watchWithdrawals(client, watched, options.time));
  if (options.json) return printJson({ withdrawals: asked, state: isPaid ? 'paid' : 'requested' });
  if (isPaid) print(`${withName(total, token)} paid to ${placeTexts(places).join(' and ')}`);
  else print(`${withName(total, token)} asked for; payout balance shows how it gets on.`);
}

/** A payout for programs. */
const payoutFor = ({ balance, amount, wallet, index }: Payout): object => ({
  balance: balance.address,
  amount,
  wallet,
  ...(index !== undefined && { freshWallet: index }),
});

/** What is taken out in all, and what is there; base units. */
type Taken = { readonly total: bigint; readonly held: bigint };

function summary(payouts: readonly Payout[], { total, held }: Taken, token: OwnToken, { within }: Options): string[] {
  const lines = [`Take out ${withName(total, token)}`, ...placeTexts(payouts).map((place) => `  to ${place}`)];
  if (payouts.length > 1) lines.push(`  in ${payouts.length} payouts, one from each balance`);
  if (within !== undefined) lines.push(`  released within ${durationText(within)}, drawn by lot`);
  lines.push(`  ${withName(held - total, token)} stay in your private balance`);
  return lines;
}
