import { likelihood } from './chance.ts';
import type { Claim, ClaimKind, Result } from './claim.ts';
import type { Paid, Truth } from './truth.ts';

/** Blind guesses reach what was reached more seldom than this, or it was no blind guess. */
const SIGNIFICANT = 0.001;

/** What one attack's claims of one kind came to. */
export type Verdict = {
  readonly attack: string;
  readonly kind: ClaimKind;
  readonly claims: number;
  readonly right: number;
  /** Right ones that blind guesses would have. */
  readonly byChance: number;
  readonly learned: number;
  /** Whether it is learned by guesses alone, which one time in a thousand luck can do. */
  readonly isGuess: boolean;
  /** Claims about what is public anyway. */
  readonly isPublic: number;
  /** Right ones about people who took all of it at once. */
  readonly careless: number;
  /** What is known by it: the right claims, if they are learned, and what careless people showed. */
  readonly known: readonly Claim[];
};

/** A claim against the truth; `chance`: of a blind guess. */
type Judged = { readonly claim: Claim; readonly isRight: boolean; readonly chance: number };
type Judgement = Omit<Judged, 'claim'> | 'public' | 'void' | 'careless';

/** Compares what attacks claim with the truth, each kind for itself. */
export function judge(results: readonly Result[], truth: Truth): Verdict[] {
  const judgeOf = new Judge(truth);
  return results.flatMap(({ attack, claims }) => {
    const kinds = [...new Set(claims.map(({ kind }) => kind))];
    return kinds.map((kind) => judgeOf.verdict(attack, kind, claims));
  });
}

/** The verdicts with what guesses have learned only if they have in another world, too: luck doesn't come twice. */
export function confirmed(verdicts: readonly Verdict[], elsewhere: readonly Verdict[]): Verdict[] {
  const isSame = (one: Verdict, other: Verdict) => one.attack === other.attack && one.kind === other.kind;
  return verdicts.map((verdict) => {
    const isLuck = verdict.isGuess && !elsewhere.some((other) => isSame(verdict, other) && other.learned > 0);
    return isLuck ? { ...verdict, learned: 0, isGuess: false, known: [] } : verdict;
  });
}

/** How many entries of lists, the colleague's own left out, some claim names rightly with their employer, and with their amount too. */
export type Named = { readonly entries: number; readonly employer: number; readonly amount: number };

/** Looks how much of the truth the claims hold, whoever claims it. */
export function namedOf(results: readonly Result[], { paid, colleague }: Truth): Named {
  const claims = results.flatMap((result) => result.claims).filter(({ kind }) => kind === 'paid-by');
  const employers = new Set(claims.map(({ subject, object }) => `${subject} ${object}`));
  const amounts = new Set(claims.map(({ subject, object, amount }) => `${subject} ${object} ${amount}`));
  const keys = new Map<string, string>();
  for (const { recipient, schedule, amount } of paid) {
    if (recipient !== colleague) keys.set(`${recipient} ${schedule}`, amount);
  }
  const entries = [...keys];
  return {
    entries: entries.length,
    employer: entries.filter(([key]) => employers.has(key)).length,
    amount: entries.filter(([key, amount]) => amounts.has(`${key} ${amount}`)).length,
  };
}

class Judge {
  constructor(private readonly truth: Truth) {}

  verdict(attack: string, kind: ClaimKind, claims: readonly Claim[]): Verdict {
    // One claim about each thing, the first: whoever says everything says nothing.
    const first = new Map<string, Claim>();
    for (const claim of claims) {
      if (claim.kind === kind && !first.has(subjectOf(claim))) first.set(subjectOf(claim), claim);
    }
    const judged: Judged[] = [];
    const aside = { public: 0, void: 0, careless: 0 };
    const shown: Claim[] = [];
    for (const claim of first.values()) {
      const judgement = this.#judge(claim);
      if (judgement === 'careless') shown.push(claim);
      if (typeof judgement === 'string') aside[judgement] += 1;
      else judged.push({ claim, ...judgement });
    }
    const right = judged.filter(({ isRight }) => isRight);
    const isProven = right.length > 0 && judged.every(({ claim, isRight }) => claim.isCertain && isRight);
    const chances = judged.map(({ chance }) => chance);
    const isLearned = isProven || likelihood(chances, right.length) < SIGNIFICANT;
    return {
      attack,
      kind,
      claims: judged.length,
      right: right.length,
      byChance: chances.reduce((sum, chance) => sum + chance, 0),
      learned: isLearned ? right.length : 0,
      isGuess: isLearned && !isProven,
      isPublic: aside.public,
      careless: aside.careless,
      known: [...shown, ...(isLearned ? right.map(({ claim }) => claim) : [])],
    };
  }

  #judge(claim: Claim): Judgement {
    const { paid, taken, schedules, salaries, readers, colleague, candidates } = this.truth;
    const { kind, subject, object, amount, within } = claim;
    const recipients = new Set(paid.map(({ recipient }) => recipient));
    const mintOf = (schedule: string) => paid.find((line) => line.schedule === schedule)?.mint ?? '';
    switch (kind) {
      case 'is-paid':
        if (subject === colleague || this.#isDelivered(subject)) return 'public';
        return { isRight: recipients.has(subject), chance: recipients.size / candidates };
      case 'paid-by': {
        if (subject === colleague) return 'public';
        const of = paid.filter((line) => line.schedule === object);
        const members = new Set(of.map(({ recipient }) => recipient));
        const isRight = of.some((line) => line.recipient === subject && (amount ?? line.amount) === line.amount);
        return { isRight, chance: members.size / candidates / (amount === undefined ? 1 : salaries) };
      }
      case 'holds': {
        if (subject === colleague) return 'public';
        return { isRight: this.#holdings(subject, object).includes(amount ?? ''), chance: 1 / candidates };
      }
      case 'place': {
        if (subject === colleague) return 'public';
        const { places } = this.truth;
        const isRight = places.some(({ recipient, page, slot }) =>
          object === '' ? page === subject : recipient === subject && `${page} ${slot}` === object,
        );
        return { isRight, chance: 0 };
      }
      case 'owns-wallet': {
        if (subject === object) return 'public';
        const isRight = taken.some(({ recipient, wallet }) => recipient === subject && wallet === object);
        return { isRight, chance: 1 / recipients.size };
      }
      case 'payer': {
        const payers = [...taken, ...paid.filter((line) => isDelivery(line))].flatMap((line) =>
          ('wallet' in line ? line.wallet : line.recipient) === subject ? [line.schedule] : [],
        );
        const [mint = ''] = payers.map(mintOf);
        const possible = schedules[mint]?.length ?? 0;
        // Whoever is alone with a token is known to pay all who are paid in it.
        if (possible < 2) return 'public';
        return { isRight: payers.includes(object), chance: 1 / possible };
      }
      case 'wage': {
        if (subject === '') return { isRight: paid.some((line) => line.amount === amount), chance: 1 / salaries };
        const owner = taken.find(({ wallet }) => wallet === subject);
        if (owner === undefined) return 'void';
        const isRight = paid.some(
          (line) => line.recipient === owner.recipient && line.schedule === owner.schedule && line.amount === amount,
        );
        if (owner.isCareless) return isRight ? 'careless' : 'void';
        return { isRight, chance: 1 / salaries };
      }
      case 'order': {
        const places = paid.filter(
          (line) =>
            (within ?? line.schedule) === line.schedule &&
            line.recipient === subject &&
            paid.some((other) => isSameList(line, other) && other.recipient === object),
        );
        const [one] = places;
        if (one === undefined) return 'void';
        const other = paid.find((line) => isSameList(one, line) && line.recipient === object) as Paid;
        return { isRight: one.index < other.index, chance: 1 / 2 };
      }
      case 'digits': {
        const lengths = readers.map((reader) => reader.amount.length);
        const common = Math.max(...lengths.map((length) => lengths.filter((one) => one === length).length));
        const reader = readers[Number(subject)];
        if (reader === undefined || reader.recipient === colleague) return 'void';
        return { isRight: lengths[Number(subject)] === Number(amount), chance: common / lengths.length };
      }
      case 'part-sum': {
        const count = Number(/\d+/.exec(object)?.[0]);
        const of = paid.filter((line) => line.schedule === subject && line.index < count);
        const sums = [0, 1, 2].map((window) =>
          of.filter(({ windows }) => windows.includes(window)).reduce((sum, line) => sum + BigInt(line.amount), 0n),
        );
        return { isRight: sums.includes(BigInt(amount ?? 0)), chance: 1 / salaries };
      }
      default:
        return this.#judgeMore(claim);
    }
  }

  /** Claims of who knows more than what the service lets out. */
  #judgeMore({ kind, subject, object, amount, among = 1 }: Claim): Judgement {
    const { paid, taken, readers, uploads, schedules } = this.truth;
    const lists = Object.values(schedules).flat().length;
    switch (kind) {
      case 'same': {
        const of = (entry: string) => paid.filter((line) => entryOf(line) === entry).map(({ recipient }) => recipient);
        const others = of(object);
        return { isRight: of(subject).some((one) => others.includes(one)), chance: 1 / paid.length };
      }
      case 'owner': {
        const isRight = taken.some(({ recipient, wallet }) => recipient === subject && wallet === object);
        return { isRight, chance: 1 / among };
      }
      case 'code': {
        const { codes, candidates, colleague } = this.truth;
        if (subject === colleague) return 'public';
        return {
          isRight: codes.some((one) => one.recipient === subject && one.code === object),
          chance: 1 / candidates,
        };
      }
      case 'paid-inside': {
        const { inside, candidates } = this.truth;
        const isRight = inside.some((one) => one.recipient === subject && one.code === object && one.amount === amount);
        return { isRight, chance: 1 / candidates };
      }
      case 'terms':
        return { isRight: termsOf(this.truth).includes(`${object} ${amount}`), chance: 0.5 };
      case 'opened': {
        const isRight = paid.some((line) => line.schedule === subject && line.windows.includes(Number(object)));
        return { isRight, chance: 0.5 };
      }
      case 'delivered': {
        const isRight = paid.some((line) => line.recipient === subject && line.amount === amount && isDelivery(line));
        return { isRight, chance: 0.5 };
      }
      case 'paid-out': {
        const sum = taken
          .filter(({ wallet }) => wallet === subject)
          .reduce((all, line) => all + BigInt(line.amount), 0n);
        if (sum === 0n) return 'public';
        return { isRight: sum === BigInt(amount ?? 0), chance: 0.5 };
      }
      case 'asks':
        return { isRight: readers.some(({ peer }) => peer === subject), chance: 0.5 };
      case 'line-takes':
        return {
          isRight: taken.some(({ wallet, peer }) => wallet === subject && peer === object),
          chance: 1 / new Set(readers.map(({ peer }) => peer)).size,
        };
      case 'line-joins':
        return {
          isRight: taken.some(({ wallet, peer }) => wallet === subject && peer === object),
          chance: 1 / among,
        };
      case 'line-spends': {
        const { spent } = this.truth;
        const isRight = spent.some(({ wallet, peer }) => wallet === subject && peer === object);
        return { isRight, chance: 1 / new Set(readers.map(({ peer }) => peer)).size };
      }
      case 'line-paid-by': {
        const of = (schedule: string) => readers.filter((reader) => reader.schedule === schedule);
        const share = Math.max(...readers.map(({ schedule }) => of(schedule).length)) / readers.length;
        return { isRight: of(object).some(({ peer }) => peer === subject), chance: share };
      }
      case 'line-gives':
        return {
          isRight: uploads.some(({ peer, schedule }) => peer === subject && schedule === object),
          chance: 1 / lists,
        };
      default:
        // A key or a content is right if it opens something.
        return { isRight: true, chance: 0 };
    }
  }

  #isDelivered(address: string): boolean {
    return this.truth.paid.some((line) => line.recipient === address && isDelivery(line));
  }

  /** What somebody's balances of a token hold, each for itself, and all together: without salts they are one. */
  #holdings(address: string, mint: string): string[] {
    const { paid, taken, inside, codes, schedules } = this.truth;
    const each = (schedules[mint] ?? []).flatMap((schedule) => {
      const of = (lines: readonly { schedule: string; recipient: string; amount: string }[]) =>
        lines
          .filter((line) => line.schedule === schedule && line.recipient === address)
          .reduce((sum, { amount }) => sum + BigInt(amount), 0n);
      const own = paid.filter((line) => !isDelivery(line));
      return own.some((line) => line.schedule === schedule && line.recipient === address)
        ? [of(own) - of(taken) - of(inside)]
        : [];
    });
    const received = codes
      .filter((one) => one.recipient === address && one.mint === mint)
      .map(({ code }) =>
        inside.filter((line) => line.code === code).reduce((sum, { amount }) => sum + BigInt(amount), 0n),
      );
    return [...each, ...received, each.reduce((sum, held) => sum + held, 0n)].map(String);
  }
}

/** Of each window: its schedule, how many it paid, and how much in sum. */
export const termsOf = ({ paid }: Truth): string[] =>
  paid.map((one) => {
    const list = paid.filter((other) => isSameList(one, other));
    return `${one.schedule} ${list.length} ${list.reduce((sum, { amount }) => sum + BigInt(amount), 0n)}`;
  });

/** An entry of a list, as claims name it. */
export const entryOf = ({ schedule, index }: Pick<Paid, 'schedule' | 'index'>): string => `${schedule} ${index}`;
const isDelivery = ({ delivery }: Paid): boolean => delivery === 'wallet';
const isSameList = (a: Paid, b: Paid): boolean => a.schedule === b.schedule && a.windows[0] === b.windows[0];

/** What a claim is about; about each there is one. */
function subjectOf({ kind, subject, object, amount, within = '' }: Claim): string {
  if (kind === 'order') return `${subject} ${object} ${within}`;
  if (['paid-by', 'paid-inside', 'holds', 'place', 'opened', 'part-sum', 'same', 'line-paid-by'].includes(kind))
    return `${subject} ${object}`;
  if (kind === 'owns-wallet' || kind === 'owner' || kind === 'code') return object;
  return kind === 'wage' && subject === '' ? `${amount}` : subject;
}
