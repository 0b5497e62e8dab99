import { type DoneBefore, proposalOf, type RecipientList, sendToBase } from '@payouts/client';
import {
  convertedIn,
  type HeldOver,
  type ListPlan,
  type NamedList,
  type OwnVault,
  type ProposedLists,
  promiseTogether,
} from '@payouts/employer';
import type { PaidLine, Payroll } from '@payouts/payroll';
import type { Address } from '@solana/kit';
import { registerSchedule } from '../../../employer.ts';
import { isWanted } from '../../confirm.ts';
import { folderText, keepList, keptList } from '../../employer/book.ts';
import { saltedList } from '../../employer/lists.ts';
import { doubtLines, previewLines } from '../../employer/preview.ts';
import { writeProposals } from '../../employer/proposals.ts';
import { Failure } from '../../failure.ts';
import { type CommandSession, openEmployer } from '../../ledgerChange.ts';
import { print, printJson, printResult, sentenceLines, tell } from '../../output.ts';
import { openSchedule, type ProposalOptions, type ScheduleChangeOptions, tellApprover } from './parts.ts';

/** The same command, given before, whose transaction got through. */
export type Resumable = { readonly doneBefore?: DoneBefore };

/** A list that is to be promised, out of the vault of its token. */
export type ListPromise = Pick<OwnVault, 'token'> & {
  /** What stands above its preview. */
  readonly heading?: readonly string[];
  readonly payroll: Pick<Payroll, 'names'> & { readonly lines: readonly PaidLine[] };
  readonly planned: ListPlan;
  /** Who is held back and stays so. */
  readonly staying?: HeldOver['staying'];
  /** The list that it replaces, as far as the employer has it. */
  readonly present?: NamedList | undefined;
  /** Why the list that was salted is not to be promised: throws that. */
  readonly check?: (list: RecipientList) => Promise<void>;
};

export type Promising = {
  readonly title?: readonly string[];
  readonly promises: readonly ListPromise[];
  readonly doubts: Payroll['doubts'];
  /** On which days they are paid, line by line, where the calendar is one of dates. */
  readonly days?: readonly string[];
  /** What is said where there are several lists. */
  readonly together?: string;
};

/** A list that is on the ledger, with the coordinator and in the employer's book. */
type MadeList = {
  readonly address: Address;
  readonly token: Address;
  /** The book's file. */
  readonly kept: string;
  readonly approver: Address | undefined;
};
type MadeLists = { readonly signature: string; readonly lists: readonly MadeList[] };

/** Shows lists, asks for them, keeps them, sends all or none of them and registers them; undefined: they were only to be shown. */
export async function promiseLists(
  session: CommandSession,
  options: ScheduleChangeOptions & ProposalOptions,
  promising: Promising,
): Promise<MadeLists | undefined> {
  const { employer, ledgers } = session;
  const { promises } = promising;
  const salted: RecipientList[] = [];
  for (const { payroll, token, check } of promises) {
    const list = await saltedList(payroll.lines, token.mint, employer);
    await check?.(list);
    salted.push(list);
  }
  const listAt = (place: number) => salted[place] as RecipientList;
  const instructions = await promiseTogether(
    session,
    promises.map(({ planned, staying = [] }, place) => [planned, listAt(place), staying] as const),
  );
  if (!(await isWanted(promisedLines(promising), options, planJson(promises)))) return undefined;
  const lists: MadeList[] = [];
  const proposed: [Address, ProposedLists][] = [];
  for (const [place, promise] of promises.entries()) {
    const { payroll, planned, token, present } = promise;
    const [list, { address, approver }] = [listAt(place), planned];
    const converted = convertedIn(list, payroll.lines);
    const kept = await keepList(options, address, { ...list, names: payroll.names, converted });
    lists.push({ address, token: token.mint, kept, approver });
    proposed.push([address, { list, present, names: namesOf(promise), converted }]);
  }
  if (options.proposal !== undefined) await writeProposals(options.proposal, proposed);
  const addresses = lists.map(({ address }) => address).join(',');
  // Until they are registered, the same command goes on with these schedules.
  const noting = { ...ledgers, sending: { ...ledgers.sending, about: addresses } };
  const signature = await sendToBase(noting, instructions, employer);
  tell(`On the ledger: ${addresses}`);
  for (const [address, { list }] of proposed) {
    await registered(options, addresses, () => registerSchedule(options.api, address, list));
  }
  await ledgers.sending?.outbox?.drop(signature);
  return { signature, lists };
}

/** What everybody is called in a list and in the one before. */
const namesOf = ({ payroll, present }: ListPromise): Payroll['names'] =>
  new Map([...(present?.names ?? []), ...payroll.names]);

/** What is asked for: what each list pays, what is worth a look, the days on which all are paid, and what will happen. */
function promisedLines({ title = [], promises, doubts, days = [], together = '' }: Promising): string[] {
  const previews = promises.flatMap((promise) => {
    const { heading = [], payroll, planned, token } = promise;
    return [...heading, ...previewLines(planned.preview, { ...payroll, names: namesOf(promise) }, token), ''];
  });
  // What is said of all of them is said once.
  const effects = new Set(promises.flatMap(({ planned }) => planned.effects));
  return [
    ...[...title, ...previews.slice(0, -1), ...doubtLines(doubts), ''],
    ...(days.length > 0 ? [...days, ''] : []),
    ...sentenceLines([...effects, ...(promises.length > 1 ? [together] : [])]),
  ];
}

const planJson = (promises: readonly ListPromise[]): object => {
  const [only, ...others] = promises.map(({ planned, token, payroll }) => ({
    ...planned.plan,
    token: token.mint,
    converted: payroll.lines.flatMap(({ recipient, amount, converted }) =>
      converted ? [{ recipient, pays: amount, ...converted }] : [],
    ),
  }));
  return others.length === 0 ? (only ?? {}) : { schedules: [only, ...others] };
};

/** Says what was promised and who has to agree; `done`: in a word. Returns what waits for nobody. */
export function tellMade(
  { signature, lists }: MadeLists,
  done: string,
  options: ScheduleChangeOptions & ProposalOptions,
): readonly MadeList[] {
  if (options.json) {
    const all = lists.map(({ address: schedule, token, kept: list, approver }) => ({
      schedule,
      token,
      list,
      approver,
    }));
    const [only, ...others] = all;
    printJson({ ...(others.length === 0 ? only : { schedules: all }), signature });
    return [];
  }
  const copies = lists.length === 1 ? 'copy of the list is' : 'copies of the lists are';
  print(`${done} and registered. Your ${copies} in\n  ${folderText((lists[0] as MadeList).kept)}`);
  const waiting = lists.filter(({ approver }) => approver !== undefined);
  if (waiting.length > 0) tellApprover(waiting, options);
  return lists.filter(({ approver }) => approver === undefined);
}

/** What a former command has promised, and not learned of. */
type Resumed = { readonly schedules: readonly Address[]; readonly signature: string };

/** Registers lists that a former command has promised without learning of it; undefined: there are none. Throws `Failure` list-missing or not-registered. */
export async function resumed(options: ScheduleChangeOptions & Resumable): Promise<Resumed | undefined> {
  const before = options.doneBefore;
  if (before?.about === undefined) return undefined;
  const schedules = before.about.split(',') as Address[];
  const { ledgers } = await openEmployer(options);
  for (const address of schedules) {
    const { schedule } = await openSchedule(address, options);
    const proposal = proposalOf(schedule);
    const root = proposal?.isNewList ? proposal.root : schedule.root;
    const list = await keptList(options, address, new Uint8Array(root));
    if (list === undefined) {
      throw new Failure(
        'list-missing',
        `The schedule ${address} is on the ledger, but your book has no copy of its list. Name one: payout schedule register ${address} --list FILE`,
      );
    }
    await registered(options, address, () => registerSchedule(options.api, address, list));
  }
  await ledgers.sending?.outbox?.drop(before.signature);
  return { schedules, signature: before.signature };
}

/** Says that it was promised before. */
export function tellResumed({ schedules, signature }: Resumed, options: ScheduleChangeOptions): void {
  const [schedule] = schedules;
  const about = schedules.length === 1 ? { schedule } : { schedules };
  printResult(
    options,
    { ...about, signature, isRepeat: true },
    `Promised before, and registered: ${schedules.join(', ')}`,
  );
}

/** Gives the coordinator a list that the ledger has already: when that fails, nothing is lost, and the way on is said. */
export async function registered(
  { api }: { readonly api: string },
  schedule: string,
  register: () => Promise<unknown>,
): Promise<void> {
  try {
    await register();
  } catch (cause) {
    throw new Failure(
      'not-registered',
      `The ledger has it, but the coordinator at ${api} did not take the list: ${(cause as Error).message} Nothing is lost. Once that is fixed: payout schedule register ${schedule}`,
      { cause },
    );
  }
}
