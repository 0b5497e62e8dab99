import type { Address } from '@solana/kit';
import { crowdOf, LEAST_CROWD } from '../exits/crowd.ts';
import { STEADY_STEPS, steadyParts } from '../exits/steady.ts';
import type { TokenRounds } from '../http/recipientClient.ts';
import type { RoundPlan } from './roundPlan.ts';
import { KNOWN_WALLET } from './withdrawalAdvice.ts';

/** What somebody reads of their crowd: that they can't hide is a warning. */
export type CrowdText = { readonly isHidden: boolean; readonly sentences: readonly string[] };

/**
 * Among whom so many parts leave, in sentences; `timeText`: how a time in unix milliseconds is shown here. `apart`: each goes to a wallet of its
 * own; if not, they hide by less than the crowd.
 */
export function crowdText(
  rounds: TokenRounds,
  parts: number,
  timeText: (at: number) => string,
  apart = true,
): CrowdText {
  const { people, oneIn } = crowdOf(rounds, parts);
  const found = apart ? foundText(oneIn) : ONE_WALLET;
  if (people >= LEAST_CROWD) {
    return { isHidden: true, sentences: [`${people.toLocaleString('en')} people or more leave in a round.`, found] };
  }
  return {
    isHidden: false,
    sentences: [
      `You can't hide now: fewer than ${LEAST_CROWD} people leave in a round.`,
      found,
      whatHelps(rounds, timeText),
    ],
  };
}

/** What the simulation says of one wallet that gets all of a person's parts for half a year: docs/concepts/exits.md. */
const ONE_WALLET =
  'Whoever knows your pay finds one wallet that gets all of it: among 1,000 people 6 times in 10 within half a year.';

const foundText = (oneIn: number): string =>
  oneIn === 1
    ? 'Whoever knows your pay finds your wallets.'
    : `Whoever knows your pay finds a wallet of yours 1 time in ${oneIn.toLocaleString('en')}.`;

function whatHelps({ largest }: TokenRounds, timeText: (at: number) => string): string {
  const others = 'Leave the money where it is until more people take theirs out in rounds';
  if (largest === null || largest.recipients < LEAST_CROWD) return `${others}.`;
  return `${others}, or ask just before ${timeText(largest.at)}: ${largest.recipients.toLocaleString('en')} people are paid before that round.`;
}

/** When parts that are asked for now leave, in a sentence or two. */
export function leavingText(
  { expected, latestAt, laterAt }: TokenRounds,
  { parts, later }: Pick<RoundPlan, 'parts' | 'later'>,
  timeText: (at: number) => string,
): string {
  const rest = `on ${timeText(laterAt)} at the latest.`;
  if (later === parts) return `They leave ${rest}`;
  const which = later === 0 ? 'They leave' : `${parts - later} of them ${parts - later === 1 ? 'leaves' : 'leave'}`;
  const why = 'since nobody else is paid before their limit';
  const early = expected.reason === 'limit' ? '' : ` on ${timeText(expected.at)}, ${why};`;
  const first = `${which}${early} on ${timeText(latestAt)} at the latest.`;
  return later === 0 ? first : `${first} The others leave then or in a later round, ${rest}`;
}

/** That parts have another size from some time on, in a sentence; undefined: none is announced. `amountText`: how base units are shown here. */
export function nextSizeText(
  { nextSize }: TokenRounds,
  amountText: (baseUnits: bigint) => string,
  timeText: (at: number) => string,
): string | undefined {
  return nextSize === null ? undefined : `A part is ${amountText(nextSize.size)} from ${timeText(nextSize.from)} on.`;
}

/** A plan's wallets, one for each part, and the crowd that is known. */
type Going = { readonly wallets: readonly Address[]; readonly owner: Address; readonly rounds: TokenRounds };

/** What everybody learns by the wallets that parts go to, and what would tell less, in sentences. `amountText`: how base units are shown here. */
export function walletsText(
  { wallets, owner, rounds }: Going,
  size: bigint,
  amountText: (baseUnits: bigint) => string,
): string[] {
  const sentences: string[] = [];
  const most = mostToOne(wallets);
  if (most > 1) {
    sentences.push(
      `Everybody sees that one person gets ${amountText(BigInt(most) * size)} in this round: ${most} parts go to one wallet. A fresh wallet for each says less.`,
      ...steadyText(most, rounds, (parts) => amountText(BigInt(parts) * size)),
    );
  }
  if (wallets.includes(owner)) sentences.push(KNOWN_WALLET);
  return sentences;
}

/** How many parts go to the wallet that gets most. */
export const mostToOne = (wallets: readonly Address[]): number =>
  Math.max(0, ...[...new Set(wallets)].map((wallet) => wallets.filter((each) => each === wallet).length));

/** What somebody should take who wants one wallet or some that they use again, and how often they are found then. */
function steadyText(paid: number, rounds: TokenRounds, partsText: (parts: number) => string): string[] {
  const parts = steadyParts(paid);
  if (parts === 0) return [];
  const { people, oneIn } = crowdOf(rounds, parts);
  const times = (count: number) => `1 time in ${Math.max(1, Math.floor(count)).toLocaleString('en')}`;
  return [
    `If you must use a wallet again, take the same on the first of each month and leave the rest inside: ${partsText(parts)}. If others do so, too, whoever knows your pay finds it ${times(people / STEADY_STEPS.length)}; with ${parts} wallets, named by --to each, one of them ${times(oneIn)}.`,
  ];
}
