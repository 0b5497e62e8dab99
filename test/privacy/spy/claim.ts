import type { Evidence } from './evidence.ts';

/**
 * What may be claimed. `subject` and `object`:
 * - `is-paid`: an address is a recipient of anybody
 * - `paid-by`: an address is a recipient of a schedule; with an amount: of so much
 * - `holds`: an address holds a private balance of so much in a token
 * - `place`: an address's private balance is in the page and slot that `object` names; without an object: the address is a page's
 * - `owns-wallet`: an address's owner took money out to a wallet
 * - `payer`: what a wallet took out comes from a schedule
 * - `wage`: whoever owns a wallet is paid so much a window
 * - `order`: the owner of one wallet stands before the other's in their list
 * - `digits`: the recipient of private read number n is paid an amount of so many digits
 * - `part-sum`: so many recipients of a schedule are paid so much in sum; `object` says which
 * - `same`: two entries of lists, each a schedule and an index, are of one person
 * - `owner`: an address's owner made the withdrawal to a wallet; so says who knows everybody's employer and amount
 * - `terms`: the list with this root, of a schedule, has so many recipients and so much in sum
 * - `code`: a payment code is an address's
 * - `paid-inside`: an address has paid so much to a payment code
 * - `opened`: a window of a schedule was opened
 * - `delivered`: an address is a wallet to which its owner has so much delivered
 * - `paid-out`: a wallet took so much out of a pool
 * - `asks`: the line with this address is of somebody who asks for what is theirs
 * - `line-takes`: a wallet's withdrawal was asked for from the line with this address
 * - `line-joins`: the part that a wallet got in a round was asked for from the line with this address
 * - `line-spends`: a wallet was emptied through the relay from the line with this address
 * - `line-paid-by`: whoever asks from this line is paid by a schedule
 * - `line-gives`: the list of a schedule came from the line with this address
 * - `key`: this one of the service's keys is known
 * - `said`: what was said on a recorded connection
 */
export type ClaimKind =
  | 'is-paid'
  | 'paid-by'
  | 'holds'
  | 'place'
  | 'owns-wallet'
  | 'payer'
  | 'wage'
  | 'order'
  | 'digits'
  | 'part-sum'
  | 'same'
  | 'owner'
  | 'terms'
  | 'code'
  | 'paid-inside'
  | 'opened'
  | 'delivered'
  | 'paid-out'
  | 'asks'
  | 'line-takes'
  | 'line-joins'
  | 'line-spends'
  | 'line-paid-by'
  | 'line-gives'
  | 'key'
  | 'said';

/** Something that an attack says. `isCertain`: it rests on a hash or an address that was found again, not on likelihood. */
export type Claim = {
  readonly kind: ClaimKind;
  readonly subject: string;
  readonly object: string;
  /** Base units, decimal; of `digits`: how many. */
  readonly amount?: string;
  readonly isCertain: boolean;
  /** Of `owner` and `line-joins`: among how many it was guessed. */
  readonly among?: number;
  /** Of `order`: in which schedule's list, if that is known. */
  readonly within?: string;
};

/** What an attack did and says. */
export type Outcome = { readonly looked: string; readonly claims: readonly Claim[] };

/** One way to learn something. `known`: what the attacks before it claim. */
export type Attack = (evidence: Evidence, known: readonly Claim[]) => Outcome | Promise<Outcome>;

/** An attack by name, with what came of it. */
export type Result = Outcome & { readonly attack: string; readonly seconds: number };
