import { askForParts, crowdText, nextSizeText, type OwnToken, planStanding } from '@payouts/client';
import { withName } from './amounts.ts';
import { isWanted } from './confirm.ts';
import { Failure } from './failure.ts';
import { FRESH, placesOf, placeTexts } from './freshWallets.ts';
import type { AskOptions } from './options.ts';
import { printResult, WIDTH, warn, wrapped } from './output.ts';
import type { RecipientAccess } from './session.ts';
import { timeText } from './timeText.ts';

const INDENT = 2;

/**
 * Has parts of a token stand ready, each for a fresh wallet: they wait for a round as soon as there is the money, without anybody who signs.
 * Throws `Failure` and `ApiFailed`.
 */
export async function standInRounds(access: RecipientAccess, token: OwnToken, options: AskOptions): Promise<void> {
  const { client } = access;
  const rounds = await client.rounds(token.mint);
  const { size } = rounds;
  if (size === null) throw new Failure('no-rounds', `There are no rounds of ${token.name} yet.`);
  const from = planStanding(token);
  const count = from.reduce((sum, { parts }) => sum + parts, 0);
  if (count === 0) throw nothingTo(token);
  const places = await placesOf(access, FRESH, count);
  const crowd = crowdText(rounds, count, timeText);
  if (!crowd.isHidden) for (const sentence of crowd.sentences) warn(sentence);
  const nextSize = nextSizeText(rounds, (baseUnits) => withName(baseUnits, token), timeText);
  const sentences = [
    'As soon as your pay covers a part, it waits for a round. Once all have left, the rest stays in your private balance until you have others stand ready.',
    ...(nextSize === undefined
      ? []
      : [`${nextSize} What stands ready by then stays: end it, and have others stand ready.`]),
    ...(crowd.isHidden ? crowd.sentences : []),
  ];
  const lines = [
    `Have ${count} parts of ${withName(size, token)} stand ready for your next pay`,
    ...placeTexts(places).map((place) => `  to ${place}`),
    ...sentences.flatMap((sentence) => wrapped(sentence, WIDTH - INDENT)).map((line) => `  ${line}`),
  ];
  const wallets = places.map(({ wallet }) => wallet);
  const plan = { mint: token.mint, size, wallets };
  if (!(await isWanted(lines, options, plan))) return;
  await askForParts(client, from, { size, wallets, stands: true });
  printResult(options, plan, 'They stand ready; payout balance says how many are left.');
}

function nothingTo(token: OwnToken): Failure {
  return token.balances.every(({ place }) => place === null)
    ? new Failure('not-paid-yet', 'Parts can stand ready once you have been paid for the first time.')
    : new Failure(
        'parts-standing',
        'As many parts stand ready, or are on their way, as can at a time. payout order end cancels those that stand ready.',
      );
}
