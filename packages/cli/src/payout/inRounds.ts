import {
  askForParts,
  crowdOf,
  crowdText,
  leavingText,
  MOST_PARTS,
  mostToOne,
  nextSizeText,
  type OwnToken,
  planRound,
  type RoundPlan,
  type TokenRounds,
  walletsText,
  whyNoPart,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { withName } from './amounts.ts';
import { isWanted } from './confirm.ts';
import { Failure } from './failure.ts';
import { type Destinations, type Place, placesOf, placeTexts } from './freshWallets.ts';
import type { AskOptions } from './options.ts';
import { print, printJson, WIDTH, warn, wrapped } from './output.ts';
import type { RecipientAccess } from './session.ts';
import { timeText } from './timeText.ts';

const INDENT = 2;

export type RoundOptions = AskOptions & { readonly to: Destinations; readonly leastCrowd?: number };

/** A part, and where it goes. */
type Part = Place & { readonly balance: Address; readonly releaseAt: number };

/** Takes equal parts of a token out, which leave in a round with others'. Throws `Failure` and `ApiFailed`. */
export async function withdrawInRound(
  access: RecipientAccess,
  token: OwnToken,
  amount: bigint | 'all',
  options: RoundOptions,
): Promise<void> {
  const { client, owner } = access;
  const rounds = await client.rounds(token.mint);
  const plan = checkedPlan(token, rounds, amount, options);
  const places = await placesOf(access, options.to, plan.parts);
  const parts = plan.from.flatMap(({ balance, parts: count, later }) =>
    Array.from({ length: count }, (_, at) => ({
      balance: balance.address,
      releaseAt: at < count - later ? rounds.latestAt : rounds.laterAt,
    })),
  );
  const planned = parts.map((part, at): Part => ({ ...part, ...(places[at] as Place) }));
  const wallets = places.map(({ wallet }) => wallet);
  const isApart = mostToOne(wallets) === 1;
  const crowd = crowdText(rounds, plan.parts, timeText, isApart);
  const amountText = (baseUnits: bigint) => withName(baseUnits, token);
  const warnings = [
    ...walletsText({ wallets, owner, rounds }, plan.size, amountText),
    ...(crowd.isHidden ? [] : crowd.sentences),
  ];
  for (const sentence of warnings) warn(sentence);
  const nextSize = nextSizeText(rounds, amountText, timeText);
  const sentences = [
    leavingText(rounds, plan, timeText),
    ...(nextSize === undefined ? [] : [nextSize]),
    ...(crowd.isHidden ? crowd.sentences : []),
  ];
  const lines = [
    `Take out ${withName(plan.total, token)} in a round with others`,
    `  in ${countOf(plan)} of ${withName(plan.size, token)}`,
    ...placeTexts(places).map((place) => `  to ${place}`),
    `  ${withName(plan.rest, token)} stay in your private balance`,
    ...sentences.flatMap((sentence) => wrapped(sentence, WIDTH - INDENT)).map((line) => `  ${line}`),
  ];
  const shown = { crowd: crowdOf(rounds, plan.parts), stays: plan.rest };
  const partFor = ({ balance, releaseAt, wallet, index }: Part) => ({
    ...{ balance, amount: plan.size, wallet, releaseAt, inRound: true },
    ...(index !== undefined && { freshWallet: index }),
  });
  if (!(await isWanted(lines, options, { ...shown, withdrawals: planned.map(partFor) }))) return;
  const signatures = await askForParts(client, plan.from, { size: plan.size, wallets });
  const asked = planned.map((part, at) => ({ ...partFor(part), signature: signatures[at] }));
  if (options.json) return printJson({ ...shown, withdrawals: asked, state: 'requested' });
  print(`${withName(plan.total, token)} asked for; payout balance shows how it gets on.`);
}

const countOf = ({ parts }: Pick<RoundPlan, 'parts'>): string => (parts === 1 ? 'one part' : `${parts} parts`);

/** The plan for a token's balances. Throws `Failure` where there is no part, or not the crowd that is asked for. */
function checkedPlan(
  token: OwnToken,
  rounds: TokenRounds,
  amount: bigint | 'all',
  { leastCrowd = 0 }: RoundOptions,
): RoundPlan {
  const { size } = rounds;
  if (size === null) {
    throw new Failure('no-rounds', `There are no rounds of ${token.name} yet. --now takes it out at once.`);
  }
  const plan = planRound(token, size, amount);
  if (plan.parts === 0) throw noPart(token, plan, amount);
  if (crowdOf(rounds, plan.parts).people < leastCrowd) {
    throw new Failure(
      'crowd-too-small',
      `Fewer than ${leastCrowd} people leave in a round of ${token.name}. Nothing was asked for: it stays in your private balance.`,
    );
  }
  return plan;
}

function noPart(token: OwnToken, { size, rest }: RoundPlan, amount: bigint | 'all'): Failure {
  const why = whyNoPart(token, size);
  if (why === 'nothing') return new Failure('nothing-to-withdraw', `There is nothing to take out of ${token.name}.`);
  const part = `a part of ${withName(size, token)}`;
  if (amount !== 'all' && amount < size) {
    return new Failure('below-part', `That is less than ${part}. --now takes out any amount, at once.`);
  }
  if (why === 'below-part') {
    return new Failure(
      'below-part',
      `You have ${withName(rest, token)}, less than ${part}: it stays until your next pay. --now takes it out at once.`,
    );
  }
  return new Failure(
    'parts-waiting',
    `No more parts can wait at a time (${MOST_PARTS}). Wait until yours have left: payout balance shows when.`,
  );
}
