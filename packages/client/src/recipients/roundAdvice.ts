import type { Address } from '@solana/kit';
import { crowdOf, LEAST_CROWD } from '../exits/crowd.ts';
import type { TokenRounds } from '../http/recipientClient.ts';
import { KNOWN_WALLET } from './withdrawalAdvice.ts';

/** What somebody reads of their crowd: that they can't hide is a warning. */
export type CrowdText = { readonly isHidden: boolean; readonly sentences: readonly string[] };

/** Among whom so many parts leave, in sentences; `timeText`: how a time in unix milliseconds is shown here. */
export function crowdText(rounds: TokenRounds, parts: number, timeText: (at: number) => string): CrowdText {
  const { people, oneIn } = crowdOf(rounds, parts);
  const found =
    oneIn === 1
      ? 'Whoever knows your pay finds your wallets.'
      : `Whoever knows your pay finds a wallet of yours 1 time in ${oneIn.toLocaleString('en')}.`;
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

function whatHelps({ largest }: TokenRounds, timeText: (at: number) => string): string {
  const others = 'Leave the money where it is until more people take theirs out in rounds';
  if (largest === null || largest.recipients < LEAST_CROWD) return `${others}.`;
  return `${others}, or ask just before ${timeText(largest.at)}: ${largest.recipients.toLocaleString('en')} people are paid before that round.`;
}

/** When parts that are asked for now leave, in a sentence. */
export function leavingText({ expected, latestAt }: TokenRounds, timeText: (at: number) => string): string {
  if (expected.reason === 'limit') return `They leave on ${timeText(latestAt)} at the latest.`;
  const why = 'since nobody else is paid before their limit';
  return `They leave on ${timeText(expected.at)}, ${why}; on ${timeText(latestAt)} at the latest.`;
}

/** What is wrong with the wallets that parts go to, in sentences. */
export function walletsText(wallets: readonly Address[], owner: Address): string[] {
  const sentences: string[] = [];
  if (new Set(wallets).size < wallets.length) {
    sentences.push(
      'Several parts go to one wallet: whoever knows your pay compares their sum. A fresh wallet for each says less.',
    );
  }
  if (wallets.includes(owner)) sentences.push(KNOWN_WALLET);
  return sentences;
}
