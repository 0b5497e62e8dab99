import { ADVERSARIES, ADVERSARY_NAMES, type Admitted, type AdversaryName } from './adversaries.ts';
import type { Claim, ClaimKind } from './claim.ts';
import { entryOf, termsOf, type Verdict } from './judge.ts';
import type { Paid, Truth } from './truth.ts';

/**
 * Something that somebody might learn. `of`: all there is to be learned of it, by the truth as it was before a schedule was forgotten, or, to who comes
 * afterwards, without that; `from`: which of it a claim of these kinds tells; `admitted`: to whom the page admits how much of it, in the order of the
 * adversaries.
 */
/** `without`: what was forgotten before; undefined: nothing yet. */
type Told = Truth & { readonly without: string | undefined };
type Fact = {
  readonly what: string;
  readonly admitted: readonly Admitted[];
  readonly kinds: readonly ClaimKind[];
  of(truth: Told): readonly string[];
  from(claim: Claim, truth: Truth): string;
};

const subject = ({ subject }: Claim): string => subject;
const object = ({ object }: Claim): string => object;
const both = (one: string, other: string): string => `${one} ${other}`;
const pair = (claim: Claim): string => both(claim.subject, claim.object);

/** What is paid into private balances, but to the colleague. */
const hidden = ({ paid, colleague }: Truth): Paid[] =>
  paid.filter(({ delivery, recipient }) => delivery === 'balance' && recipient !== colleague);
/** The same without what was forgotten before `truth` is told. */
const kept = (truth: Told): Paid[] => hidden(truth).filter(({ schedule }) => schedule !== truth.without);
const walletsOf = ({ taken }: Truth, isCareless: boolean): string[] =>
  taken.filter((line) => line.isCareless === isCareless && !line.inRound).map(({ wallet }) => wallet);
const partsOf = ({ taken }: Truth): string[] => taken.filter(({ inRound }) => inRound).map(({ wallet }) => wallet);
/** Of each list as it was at first, who stands before whom. */
const pairs = ({ paid, without }: Told): string[] =>
  paid
    .filter(({ schedule, windows }) => schedule !== without && windows[0] === 0)
    .flatMap((one, _, all) =>
      all
        .filter((other) => other.schedule === one.schedule && other.index > one.index)
        .map((other) => both(both(one.recipient, other.recipient), one.schedule)),
    );

const EVERYBODY: readonly Admitted[] = ['all', 'all', 'all', 'all', 'all', 'all'];
const NOBODY: readonly Admitted[] = ['no', 'no', 'no', 'no', 'no', 'no'];
/** What stands in the database encrypted. */
const STORED: readonly Admitted[] = ['no', 'no', 'no', 'no', 'all', 'all'];
/** The same of what a chain analyst knows to begin with. */
const STAFF: readonly Admitted[] = ['no', 'given', 'no', 'no', 'all', 'all'];
/** What whoever stands beside the lines sees, and whoever has it recorded. */
const LINES: readonly Admitted[] = ['no', 'no', 'all', 'no', 'no', 'all'];

export const FACTS: readonly Fact[] = [
  {
    what: 'how many people an employer pays, how much in sum, and when',
    admitted: EVERYBODY,
    kinds: ['terms', 'opened'],
    of: (truth) => [
      ...termsOf(truth),
      ...truth.paid.flatMap(({ schedule, windows }) => windows.map((window) => both(schedule, String(window)))),
    ],
    from: (claim) => (claim.kind === 'terms' ? both(claim.object, String(claim.amount)) : pair(claim)),
  },
  {
    what: 'wallet, amount and time of each withdrawal',
    admitted: EVERYBODY,
    kinds: ['paid-out'],
    of: ({ taken }) => taken.map(({ wallet }) => wallet),
    from: subject,
  },
  {
    what: 'who has the money delivered to a wallet, and how much',
    admitted: EVERYBODY,
    kinds: ['delivered'],
    of: ({ paid }) => paid.filter(({ delivery }) => delivery === 'wallet').map(({ recipient }) => recipient),
    from: subject,
  },
  {
    what: 'what somebody earns who takes whole salaries to one wallet',
    admitted: EVERYBODY,
    kinds: ['wage'],
    of: (truth) => walletsOf(truth, true),
    from: subject,
  },
  {
    what: 'whose such a withdrawal is',
    admitted: ['no', 'some', 'no', 'no', 'all', 'all'],
    kinds: ['owner', 'owns-wallet'],
    of: (truth) => walletsOf(truth, true),
    from: object,
  },
  {
    what: 'whose a withdrawal of a round part is',
    admitted: STORED,
    kinds: ['owner', 'owns-wallet'],
    of: (truth) => walletsOf(truth, false),
    from: object,
  },
  {
    what: 'whose a part is that left in a round',
    admitted: STORED,
    kinds: ['owner', 'owns-wallet'],
    of: partsOf,
    from: object,
  },
  {
    what: 'who is paid',
    admitted: STAFF,
    kinds: ['is-paid', 'paid-by', 'holds', 'owns-wallet'],
    of: (truth) => kept(truth).map(({ recipient }) => recipient),
    from: subject,
  },
  {
    what: 'by which employer, where several share a token',
    admitted: STAFF,
    kinds: ['paid-by', 'payer'],
    of: ({ paid, schedules, colleague, without }) =>
      paid
        .filter(({ schedule, recipient }) => schedule !== without && recipient !== colleague)
        .filter(({ mint }) => (schedules[mint]?.length ?? 0) > 1)
        .map(({ recipient, schedule }) => both(recipient, schedule)),
    from: pair,
  },
  {
    what: 'how much',
    admitted: STAFF,
    kinds: ['paid-by'],
    of: (truth) => kept(truth).map(({ recipient, schedule, amount }) => both(both(recipient, schedule), amount)),
    from: ({ subject, object, amount }) => both(both(subject, object), String(amount)),
  },
  {
    what: 'how much, without whom',
    admitted: STAFF,
    kinds: ['wage', 'paid-by'],
    of: (truth) => kept(truth).map(({ amount }) => amount),
    // What a wallet shows is a fact of its own.
    from: ({ kind, subject, amount }) => (kind === 'wage' && subject !== '' ? '' : String(amount)),
  },
  {
    what: 'what some of a list are paid in sum',
    admitted: STAFF,
    kinds: ['part-sum'],
    of: (truth) => kept(truth).map(({ schedule }) => schedule),
    from: subject,
  },
  {
    what: 'who was paid by a schedule that was forgotten, its payload key destroyed',
    admitted: ['no', 'given', 'no', 'no', 'all', 'no'],
    kinds: ['paid-by'],
    of: (truth) =>
      hidden(truth)
        .filter(({ schedule }) => schedule === truth.forgotten)
        .map(({ recipient, schedule }) => both(recipient, schedule)),
    from: pair,
  },
  {
    what: 'who is paid by two employers',
    admitted: ['no', 'given', 'no', 'no', 'all', 'some'],
    kinds: ['same'],
    of: ({ paid }) =>
      paid
        .filter((one) => paid.some((other) => other.recipient === one.recipient && other.schedule !== one.schedule))
        .map(({ recipient }) => recipient),
    from: ({ subject }, { paid }) => paid.find((line) => entryOf(line) === subject)?.recipient ?? '',
  },
  {
    what: 'the order of a list',
    admitted: STORED,
    kinds: ['order'],
    of: pairs,
    from: (claim, { paid }) =>
      both(pair(claim), claim.within ?? paid.find(({ recipient }) => recipient === claim.subject)?.schedule ?? ''),
  },
  {
    what: 'what somebody holds',
    admitted: STORED,
    kinds: ['holds'],
    of: (truth) => hidden(truth).map(({ recipient, mint }) => both(recipient, mint)),
    from: pair,
  },
  {
    what: 'where in the execution layer somebody’s balance is',
    admitted: STORED,
    kinds: ['place'],
    of: (truth) => {
      const balances = new Set(hidden(truth).map(({ recipient, schedule }) => both(recipient, schedule)));
      return truth.places
        .filter(({ recipient, schedule }) => balances.has(both(recipient, schedule)))
        .map(({ recipient, page, slot }) => both(recipient, both(page, String(slot))));
    },
    from: pair,
  },
  {
    what: 'whose a published payment code is',
    admitted: STORED,
    kinds: ['code'],
    of: ({ codes }) => codes.map(({ recipient, code }) => both(recipient, code)),
    from: pair,
  },
  {
    what: 'who has paid which payment code, and how much',
    admitted: STORED,
    kinds: ['paid-inside'],
    of: ({ inside }) => inside.map(({ recipient, code, amount }) => both(both(recipient, code), amount)),
    from: ({ subject, object, amount }) => both(both(subject, object), String(amount)),
  },
  {
    what: 'from which line somebody asks for what is theirs, and when',
    admitted: LINES,
    kinds: ['asks'],
    of: ({ readers }) => readers.map(({ peer }) => peer),
    from: subject,
  },
  {
    what: 'from which line a list was registered',
    admitted: LINES,
    kinds: ['line-gives'],
    of: ({ uploads }) => uploads.map(({ peer, schedule }) => both(peer, schedule)),
    from: pair,
  },
  {
    what: 'from which line a withdrawal at once was asked for',
    admitted: ['no', 'no', 'some', 'no', 'no', 'some'],
    kinds: ['line-takes'],
    of: ({ taken }) => taken.filter(({ inRound }) => !inRound).map(({ wallet }) => wallet),
    from: subject,
  },
  {
    what: 'from which line a part was asked for that left in a round',
    admitted: NOBODY,
    kinds: ['line-joins'],
    of: partsOf,
    from: subject,
  },
  {
    what: 'from which line a fresh wallet was emptied through the relay',
    admitted: ['no', 'no', 'some', 'no', 'no', 'some'],
    kinds: ['line-spends'],
    of: ({ spent }) => spent.map(({ wallet }) => wallet),
    from: subject,
  },
  {
    what: 'by which employer whoever has a line is paid',
    admitted: ['no', 'no', 'no', 'no', 'no', 'some'],
    kinds: ['line-paid-by'],
    of: ({ readers }) => readers.map(({ peer, schedule }) => both(peer, schedule)),
    from: pair,
  },
  {
    what: 'how many digits a pay has, by the length of an answer',
    admitted: NOBODY,
    kinds: ['digits'],
    of: ({ readers }) => readers.map((_, place) => String(place)),
    from: subject,
  },
  {
    what: "the service's payload key",
    admitted: ['no', 'no', 'no', 'no', 'given', 'given'],
    kinds: ['key'],
    of: () => ['payload'],
    from: () => 'payload',
  },
  {
    what: 'what was said on a recorded connection',
    admitted: NOBODY,
    kinds: ['said'],
    of: ({ readers, uploads }) => [...readers, ...uploads].map((_, place) => String(place)),
    from: subject,
  },
];

/** How much of a fact somebody has learned, and what the page says of it. */
export type Measured = {
  readonly what: string;
  readonly admitted: Admitted;
  readonly learned: number;
  readonly of: number;
  readonly isAsSaid: boolean;
};

/** Counts what is known of each fact by the claims that were learned. */
export function measure(name: AdversaryName, verdicts: readonly Verdict[], truth: Truth): Measured[] {
  const place = ADVERSARY_NAMES.indexOf(name);
  const isAfterwards = (ADVERSARIES[name].sources as readonly string[]).includes('later');
  const told = { ...truth, without: isAfterwards ? truth.forgotten : undefined };
  const known = verdicts.flatMap((verdict) => verdict.known);
  for (const { kind } of known) {
    if (!FACTS.some(({ kinds }) => kinds.includes(kind))) throw new Error(`What ${kind} claims is in no fact.`);
  }
  return FACTS.map((fact) => {
    const admitted = fact.admitted[place] as Admitted;
    const all = new Set(fact.of(told));
    const claims = known.filter(({ kind }) => fact.kinds.includes(kind));
    const learned = new Set(claims.map((claim) => fact.from(claim, truth)).filter((item) => all.has(item))).size;
    const isAsSaid = { all: learned === all.size, some: learned > 0, no: learned === 0, given: true }[admitted];
    return { what: fact.what, admitted, learned, of: all.size, isAsSaid };
  });
}
