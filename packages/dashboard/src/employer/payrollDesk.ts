import {
  isSameBytes,
  listFromRecipients,
  type PromisedList,
  type Recipient,
  type RecipientJson,
  type RecipientList,
  recipientsFromJson,
  type Schedule,
  SEALED_TYPE,
  sealText,
} from '@payouts/client';
import {
  type ChangeRow,
  type ConvertedEntries,
  changeRow,
  changesInOrder,
  compared,
  comparisonSentences,
  conversionSentences,
  convertedIn,
  convertedLines,
  Failure,
  type HeldOver,
  heldOver,
  type ListChange,
  type ListComparison,
  listFrom,
  listOf,
  listText,
  NOBODY_HELD,
  type OpenProposal,
  type PayrollSummary,
  type ProposedTerms,
  placesOf,
  proposalFrom,
  proposalSentences,
  proposalText,
  proposedChanges,
  registrationText,
  summaryOf,
  type TokenInfo,
  unusualNewcomers,
  withName,
} from '@payouts/employer';
import {
  currencyText,
  type Payroll,
  type PayrollChoice,
  PayrollError,
  type PayrollLine,
  type PayrollProblem,
  problemText,
  type ReadPayrollOptions,
  readPayroll,
  readRates,
  type Whose,
  type WrittenAddress,
  withAddress,
} from '@payouts/payroll';
import type { Address } from '@solana/kit';

/** What is said of a file that can't be taken: what is wrong with it, line by line. */
export type RefusedFile = {
  readonly kind: 'refused';
  readonly sentences: readonly string[];
  /** What would solve it, if that is an answer alone. */
  readonly question?: PayrollChoice | undefined;
  /** Currencies that it takes a rate of. */
  readonly currencies?: readonly string[];
};
/** A payroll that can be paid; `doubts`: what is worth a look in it. */
export type OpenedPayroll = {
  readonly kind: 'payroll';
  readonly summary: PayrollSummary;
  readonly doubts: readonly string[];
  /** What is converted from a currency, sentence by sentence. */
  readonly conversions: readonly string[];
  /** Currencies that a rate may be given of: as many tokens are paid without. */
  readonly currencies: readonly string[];
};
/** What the ledger is told of a list. */
export type PromisedRoot = PromisedList & {
  readonly kind: 'list';
  /** Places of it that are held back. */
  readonly held: readonly number[];
};
/** Of a schedule: the list in force, and who is held back in it. */
type PresentTerms = Pick<Schedule, 'root' | 'held' | 'heldCount'>;
/** How many changes there are one by one; the first `moved` of them are other addresses. */
type CountedChanges = { readonly rows: number; readonly moved: number };
/** What a list changes, in sentences and one by one. */
export type OpenedComparison = { readonly sentences: readonly string[] } & CountedChanges;
/** The same of the list in force, with who is held back in it. */
export type PresentComparison = OpenedComparison & { readonly held: HeldOver };
export type OpenedProposal = { readonly kind: 'proposal' } & OpenedComparison & { readonly recipients: number };

/** What a file calls a recipient; an empty text: nothing. */
export type NamedPerson = { readonly name: string; readonly label: string };

/** A payroll in CSV with somebody's address written into it. */
export type TakenAddress = Pick<WrittenAddress, 'before' | 'isNew'> & {
  readonly kind: 'taken';
  readonly content: Blob;
};

/** A line of a payroll as it is shown. */
export type PayrollRow = NamedPerson & {
  readonly recipient: Address;
  readonly amount: string;
  /** What it is converted from; an empty text: nothing. */
  readonly inCurrency: string;
  readonly toWallet: boolean;
};
/** A recipient whose pay changes; `isUnusual`: they are new and get far more than is usual. */
export type NamedChange = ChangeRow & NamedPerson & { readonly isUnusual: boolean };

/** How a file is read: `refused` names addresses that are nobody's wallet, and says whose they are. */
export type PayrollRules = Pick<ReadPayrollOptions, 'style' | 'sheet' | 'map'> & {
  readonly token: TokenInfo;
  readonly refused: ReadonlyMap<string, string>;
  /** Rates as people write them, such as EUR=1.0834, and where they are from. */
  readonly rates?: readonly string[];
  readonly rateSource?: string | undefined;
};

/** Problems and doubts that are shown. */
const SHOWN = 50;

/**
 * Holds a payroll and the lists it is compared with, in a thread of its own: the page asks for what it shows. Nothing of it goes anywhere
 * but in the files that it is asked for.
 */
export class PayrollDesk {
  #token: TokenInfo | undefined;
  #payroll: Payroll | undefined;
  #present: Recipient[] = [];
  /** Of the pages that are there; `#current` once it is seen to be the one with the ledger's root. */
  #whole: RecipientList | undefined;
  #current: RecipientList | undefined;
  #changes: readonly ListChange[] = [];
  #unusual: ReadonlySet<Address> = new Set();
  #names: ReadonlyMap<Address, string> = new Map();
  /** What the employer has called people before: of those who leave, the payroll's file says nothing. */
  #known = new Map<Address, string>();
  /** Who is held back and stays so. */
  #staying: HeldOver['staying'] = [];
  #labels: ReadonlyMap<Address, string> = new Map();
  #list: RecipientList | undefined;
  /** Which of its entries are in a currency. */
  #converted: ConvertedEntries = new Map();

  /** Reads a payroll file, here: the page would be held up by its bytes. */
  async open(
    file: Blob,
    { token, rates = [], rateSource, ...rules }: PayrollRules,
  ): Promise<OpenedPayroll | RefusedFile> {
    try {
      const content = new Uint8Array(await file.arrayBuffer());
      const payroll = await readPayroll(content, {
        ...rules,
        decimals: token.decimals,
        token: token.name,
        tokens: [token],
        rates: readRates(rates, rateSource),
      });
      this.#token = token;
      this.#payroll = payroll;
      this.#names = payroll.names;
      this.#labels = payroll.labels;
      return {
        kind: 'payroll',
        summary: summaryOf(payroll),
        doubts: payroll.doubts.slice(0, SHOWN).map(problemText),
        conversions: conversionSentences(payroll.lines, token),
        currencies: currenciesOf(payroll.doubts),
      };
    } catch (error) {
      return refusalOf(error);
    }
  }

  /** Writes an address into a payroll in CSV, which is not the one that is open here. */
  async takeAddress(file: Blob, whose: Whose, to: Address): Promise<TakenAddress | RefusedFile> {
    try {
      const { text, before, isNew } = await withAddress(new Uint8Array(await file.arrayBuffer()), whose, to);
      return { kind: 'taken', content: new Blob([text]), before, isNew };
    } catch (error) {
      return refusalOf(error);
    }
  }

  /** Takes names that the employer knows already, some at a time. */
  addKnown(names: readonly (readonly [Address, string])[]): void {
    for (const [address, name] of names) this.#known.set(address, name);
  }

  /** Makes room for the pages of another current list, and for the names of its people. */
  forgetPresent(): void {
    this.#present = [];
    this.#known.clear();
    this.#whole = undefined;
    this.#current = undefined;
    this.#changes = [];
    this.#staying = [];
  }

  /** Takes a page of the current list. */
  addPresent(entries: readonly RecipientJson[]): void {
    this.#whole = undefined;
    this.#present.push(...recipientsFromJson(entries));
  }

  /** Compares the payroll with the current list; undefined: the pages that it was given are not all of the one with this root. */
  compare({ root, ...holds }: PresentTerms): PresentComparison | undefined {
    if (this.#present.length > 0) this.#whole ??= listFromRecipients(this.#present);
    const present = this.#whole;
    if (present === undefined || !isSameBytes(present.root, Uint8Array.from(root))) return undefined;
    this.#current = present;
    const token = this.#token as TokenInfo;
    const names = new Map([...this.#known, ...this.#names]);
    const { lines } = this.#payroll as Payroll;
    const comparison = compared(present.recipients, lines, names);
    const held = heldOver(holds, present.recipients, lines, comparison.changes) ?? NOBODY_HELD;
    this.#staying = held.staying;
    return {
      held,
      sentences: comparisonSentences(comparison, token),
      ...this.#take(comparison),
    };
  }

  /** Lines of the payroll, from one place to another. */
  lines(from: number, to: number): PayrollRow[] {
    const { decimals, name } = this.#token as TokenInfo;
    return (this.#payroll as Payroll).lines
      .slice(from, to)
      .map(({ recipient, amount, delivery, converted }: PayrollLine) => ({
        ...this.#personOf(recipient),
        recipient,
        amount: withName(amount, { decimals, name }),
        inCurrency: converted === undefined ? '' : currencyText(converted.currency, [converted.amount]),
        toWallet: delivery === 'wallet',
      }));
  }

  /** Changes, from one place to another, the largest first. */
  changes(from: number, to: number): readonly NamedChange[] {
    const token = this.#token as TokenInfo;
    return this.#changes.slice(from, to).map((change) => ({
      ...changeRow(change, token),
      ...this.#personOf(change.recipient),
      isUnusual: change.kind === 'added' && this.#unusual.has(change.recipient),
    }));
  }

  /** Makes the list that is to be promised; `secret`: what its salts follow from. */
  makeList(secret: Uint8Array | undefined): PromisedRoot {
    const { mint } = this.#token as TokenInfo;
    const { lines } = this.#payroll as Payroll;
    this.#list = listOf(lines, mint, secret);
    this.#converted = convertedIn(this.#list, lines);
    return this.#promised();
  }

  /** Takes the employer's own copy of a list, which must be the one with this root. */
  openCopy(file: Blob, where: string, root: Uint8Array): Promise<PromisedRoot | RefusedFile> {
    return refusing(async () => {
      const text = await file.text();
      const list = listFrom(text, where);
      if (!isSameBytes(list.root, root)) {
        throw new Failure('list-differs', `The list in ${where} is not the one that the ledger promises.`);
      }
      this.#list = list;
      this.#converted = list.converted ?? new Map();
      return this.#promised();
    });
  }

  /** Takes what an employer gave the approver. */
  openProposal(
    file: Blob,
    where: string,
    { schedule, proposal, token }: ProposedTerms & Pick<OpenProposal, 'token'>,
  ): Promise<OpenedProposal | RefusedFile> {
    return refusing(async () => {
      const text = await file.text();
      const lists = proposalFrom(text, { where, schedule, proposal });
      const comparison = proposedChanges({ proposal }, lists);
      const taken = comparison === undefined ? { rows: 0, moved: 0 } : this.#take(comparison);
      this.#token = token;
      const converted = conversionSentences(convertedLines(lists, token.decimals), token);
      this.#names = lists.names;
      this.#list = lists.list;
      return {
        kind: 'proposal',
        sentences: [...proposalSentences({ proposal, token }, lists, comparison), ...converted],
        recipients: lists.list.recipients.length,
        ...taken,
      };
    });
  }

  /** Names and labels of the payroll's file, by address. */
  names(): (readonly [Address, NamedPerson])[] {
    const addresses = new Set([...this.#names.keys(), ...this.#labels.keys()]);
    return [...addresses].map((address) => [address, this.#personOf(address)] as const);
  }

  /** What the coordinator takes of the list, sealed for its key. */
  async registration(schedule: Address, key: JsonWebKey): Promise<Blob> {
    const text = registrationText(schedule, this.#list as RecipientList);
    return new Blob([await sealText(text, key)], { type: SEALED_TYPE });
  }

  /** The employer's own copy of the list. */
  copy(schedule: Address): Blob {
    return jsonFile(
      listText(schedule, { ...(this.#list as RecipientList), names: this.#names, converted: this.#converted }),
    );
  }

  /** What the approver is given, with the names of everybody in both lists and of nobody else. */
  proposal(schedule: Address): Blob {
    const list = this.#list as RecipientList;
    const people = [...(this.#current?.recipients ?? []), ...list.recipients];
    const names = new Map<Address, string>();
    for (const { recipient } of people) {
      const name = this.#names.get(recipient) ?? this.#known.get(recipient);
      if (name !== undefined) names.set(recipient, name);
    }
    return jsonFile(proposalText([[schedule, { list, present: this.#current, names, converted: this.#converted }]]));
  }

  #promised(): PromisedRoot {
    const { root, total, recipients } = this.#list as RecipientList;
    const held = placesOf(this.#staying, recipients);
    return { kind: 'list', root, total, recipients: { length: recipients.length }, held };
  }

  /** Keeps what changes, to be looked at; returns how much that is. */
  #take(comparison: ListComparison): CountedChanges {
    this.#changes = changesInOrder(comparison.changes);
    this.#unusual = new Set(unusualNewcomers(comparison).map(({ recipient }) => recipient));
    return { rows: this.#changes.length, moved: comparison.changes.moved.length };
  }

  #personOf(recipient: Address): NamedPerson {
    return { name: this.#names.get(recipient) ?? '', label: this.#labels.get(recipient) ?? '' };
  }
}

/** What is said of a payroll that can't be taken. Throws what is no fault of the file. */
function refusalOf(error: unknown): RefusedFile {
  if (!(error instanceof PayrollError)) throw error;
  const { problems } = error;
  // A rate that is missing is asked for, once, and not said line by line.
  const faults = problems.filter(({ code }) => code !== 'rate-missing');
  const sentences = faults.slice(0, SHOWN).map(problemText);
  return { kind: 'refused', sentences, question: choiceOf(problems), currencies: currenciesOf(problems) };
}

/** The first question whose answer is one of several things. */
function choiceOf(problems: readonly PayrollProblem[]): PayrollChoice | undefined {
  for (const { question } of problems) if (question !== undefined && question.option !== 'rate') return question;
  return undefined;
}

/** Currencies whose rate is asked for. */
const currenciesOf = (problems: readonly PayrollProblem[]): string[] => [
  ...new Set(problems.flatMap(({ question }) => (question?.option === 'rate' ? [question.currency] : []))),
];

const jsonFile = (text: string): Blob => new Blob([text], { type: 'application/json' });

async function refusing<T>(open: () => Promise<T>): Promise<T | RefusedFile> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { kind: 'refused', sentences: [error.message] };
  }
}
