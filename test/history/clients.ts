import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSchedule, deposit } from '@payouts/cli';
import {
  addressFromBytes,
  deriveSalt,
  fetchSchedule,
  findScheduleAddress,
  getCancelScheduleInstruction,
  getHoldRecipientInstruction,
  getPauseScheduleInstruction,
  getResumeScheduleInstruction,
  getUpdateRecipientsInstructionAsync,
  ownerRecord,
  prepareList,
  RecipientClient,
  type RecipientList,
  recipientsToJson,
  sendToBase,
  systemTime,
} from '@payouts/client';
import type { Random } from '@payouts/testing/random';
import { freshWallet } from '@payouts/testing/wallets';
import { everySeconds, inSeconds } from '@payouts/testing/world';
import type { Address, Instruction, KeyPairSigner } from '@solana/kit';
import { ask, endingOf, ifThere } from './api.ts';
import type { Attempt, Entry, Payment, Receipt, Run } from './events.ts';
import type { OwnedBalance } from './ledgers.ts';
import type { Recorder } from './record.ts';
import { type Company, NAMES, type Stage } from './stage.ts';

/** Milliseconds between two calls of a client. */
const THINKS = { least: 100, most: 700 };
/** Schedules of an employer that are not over, at most, and windows of each. */
const AT_A_TIME = 3;
const WINDOWS = { least: 2, most: 4 };
/** Seconds between two windows, and that one may be open. */
const EVERY = { least: 3, most: 8 };
const BATCH_TIMEOUT = 600;
const MOST_AMOUNT = 1_000;
/** Tries of a registration, of one coordinator each. */
const REGISTRATIONS = 12;
const PAGE = { least: 1, most: 4 };
const HISTORY_PAGE = 50;

/** A schedule that an employer has promised, with the list that is to be paid now. */
export type Promised = { readonly company: Company; readonly address: Address; list: RecipientList; isOver: boolean };

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const entriesOf = ({ recipients }: RecipientList): Entry[] =>
  recipients.map(({ recipient, index, amount }) => ({ recipient, index, amount: Number(amount) }));

/** Everybody who uses the system, each one call at a time, until they are told to stop. */
export class Clients {
  readonly #over = new AbortController();
  readonly promised: Promised[] = [];
  /** Balances of recipients, by recipient and token. */
  readonly #owners = new Map<string, Map<Address, OwnedBalance>>();
  readonly #working: Promise<void>[];

  constructor(
    private readonly stage: Stage,
    private readonly recorder: Recorder,
    private readonly random: Random,
  ) {
    setMaxListeners(0, this.#over.signal);
    this.#working = stage.companies.flatMap((company, place) => [
      this.#work(() => this.#employ(company, `employer ${place}`)),
      ...company.recipients.map((key, line) =>
        this.#work(() => this.#take(company, key, `recipient ${place}.${line}`)),
      ),
      this.#work(() => this.#look(company, `reader ${place}`)),
    ]);
  }

  async stop(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#working);
  }

  ownersOf(recipient: string): readonly OwnedBalance[] {
    return [...(this.#owners.get(recipient)?.values() ?? [])];
  }

  async #work(act: () => Promise<unknown>): Promise<void> {
    while (!this.#over.signal.aborted) {
      await act();
      await sleep(this.random.between(THINKS.least, THINKS.most), undefined, { signal: this.#over.signal }).catch(
        () => {},
      );
    }
  }

  // Employers.

  async #employ(company: Company, process: string): Promise<unknown> {
    const own = this.promised.filter((each) => each.company === company && !each.isOver);
    const open = await this.#stillOpen(own);
    const schedule = open.length === 0 ? undefined : this.random.pick(open);
    if (schedule === undefined || open.length < AT_A_TIME) return this.#promise(company, process);
    const act = this.random.weighted<() => Promise<unknown>>([
      [2, () => this.#change(schedule, process)],
      [2, () => this.#hold(schedule, process)],
      [2, () => this.#pause(schedule, process)],
      [1, () => this.#cancel(schedule, process)],
      [2, () => this.#register(schedule, process, 1)],
      [3, async () => {}],
    ]);
    return act();
  }

  /** Those with windows to come. */
  async #stillOpen(own: readonly Promised[]): Promise<Promised[]> {
    for (const each of own) {
      const found = await fetchSchedule(this.stage.world.ledgers.base, each.address).catch(() => undefined);
      each.isOver = found?.data.executionsLeft === 0;
    }
    return own.filter(({ isOver }) => !isOver);
  }

  #listFor({ recipients, secret, mint }: Company): RecipientList {
    const payees = recipients
      .filter((_, place) => place === 0 || this.random.chance(0.7))
      .map(({ address }) => ({ recipient: address, amount: BigInt(this.random.between(1, MOST_AMOUNT)) }));
    const list = prepareList(payees, { saltFor: (recipient) => deriveSalt(secret, mint, recipient) });
    for (const entry of list.recipients) {
      const owner = addressFromBytes(ownerRecord(entry).owner);
      const known = this.#owners.get(entry.recipient) ?? new Map();
      this.#owners.set(entry.recipient, known.set(owner, { owner, balance: { ...entry, mint } }));
    }
    return list;
  }

  async #promise(company: Company, process: string): Promise<void> {
    const { signer, mint, vault } = company;
    const { ledgers } = this.stage.world;
    const list = this.#listFor(company);
    const id = BigInt(this.promised.filter((each) => each.company === company).length);
    const address = await findScheduleAddress(vault, id);
    const schedule: Promised = { company, address, list, isOver: false };
    const executions = this.random.between(WINDOWS.least, WINDOWS.most);
    const terms = {
      ...{ id, executions, batchTimeout: BATCH_TIMEOUT },
      calendar: everySeconds(this.random.between(EVERY.least, EVERY.most)),
      firstExecution: inSeconds(this.random.between(1, 4)),
    };
    this.promised.push(schedule);
    const asked = { schedule: address, mint, root: hex(list.root), list: entriesOf(list) };
    const create = async () => {
      await deposit(ledgers, signer, mint, list.total * BigInt(executions));
      await createSchedule(ledgers, signer, mint, list, terms);
      return null;
    };
    await this.recorder.operation(process, 'create', asked, create, endingOf);
    await this.#register(schedule, process);
  }

  async #register(schedule: Promised, process: string, tries = REGISTRATIONS): Promise<void> {
    const { address, list } = schedule;
    for (let left = tries; left > 0 && schedule.list === list; left--) {
      const coordinator = this.random.pick(NAMES);
      const register = async () => {
        const body = { schedulePda: address, recipients: recipientsToJson(list.recipients) };
        const { status } = await ask(`${this.stage.urlOf(coordinator)}/api/schedules`, { body });
        return { created: status === 201 };
      };
      const asked = { schedule: address, root: hex(list.root) };
      const answer = await this.recorder.operation(process, 'register', asked, register, endingOf);
      if (answer !== undefined || this.#over.signal.aborted) return;
      await sleep(THINKS.most);
    }
  }

  /** A transaction of an employer about a schedule. */
  async #send({ company: { signer } }: Promised, instruction: Instruction | Promise<Instruction>): Promise<null> {
    await sendToBase(this.stage.world.ledgers, [await instruction], signer);
    return null;
  }

  #of = ({ company: { signer, vault }, address }: Promised) => ({ employer: signer, vault, schedule: address });

  async #change(schedule: Promised, process: string): Promise<void> {
    const list = this.#listFor(schedule.company);
    const { root, total: amount, recipients } = list;
    const asked = { schedule: schedule.address, mint: schedule.company.mint, root: hex(root), list: entriesOf(list) };
    const terms = { root, amount, recipients: recipients.length, payer: schedule.company.signer };
    const send = () =>
      this.#send(
        schedule,
        getUpdateRecipientsInstructionAsync({ ...this.#of(schedule), ...terms }) as Promise<Instruction>,
      );
    const answer = await this.recorder.operation(process, 'change', asked, send, endingOf);
    if (answer === undefined) return;
    schedule.list = list;
    await this.#register(schedule, process);
  }

  async #hold(schedule: Promised, process: string): Promise<void> {
    const index = this.random.below(schedule.list.recipients.length);
    const send = () => this.#send(schedule, getHoldRecipientInstruction({ ...this.#of(schedule), index }));
    await this.recorder.operation(process, 'hold', { schedule: schedule.address, index }, send, endingOf);
  }

  async #pause(schedule: Promised, process: string): Promise<void> {
    const asked = { schedule: schedule.address };
    const pause = () => this.#send(schedule, getPauseScheduleInstruction(this.#of(schedule)));
    await this.recorder.operation(process, 'pause', asked, pause, endingOf);
    await sleep(this.random.between(THINKS.least, 5 * THINKS.most));
    const resume = () => this.#send(schedule, getResumeScheduleInstruction(this.#of(schedule)));
    await this.recorder.operation(process, 'resume', asked, resume, endingOf);
  }

  async #cancel(schedule: Promised, process: string): Promise<void> {
    const asked = { schedule: schedule.address };
    const cancel = () => this.#send(schedule, getCancelScheduleInstruction(this.#of(schedule)));
    const answer = await this.recorder.operation(process, 'cancel', asked, cancel, endingOf);
    if (answer !== undefined) schedule.isOver = true;
  }

  // Recipients.

  async #take(company: Company, key: KeyPairSigner, process: string): Promise<unknown> {
    const act = this.random.weighted<() => Promise<unknown>>([
      [3, () => this.#withdraw(company, key, process)],
      [2, () => this.readBalances(key, process)],
      [2, () => this.readHistory(key, process)],
      [
        2,
        async () => {
          const own = this.promised.filter((each) => each.company === company);
          if (own.length > 0) await this.readReceipts(this.random.pick(own.slice(-2 * AT_A_TIME)), key, process);
        },
      ],
    ]);
    return act();
  }

  get #anyUrl(): string {
    return this.stage.urlOf(this.random.pick(NAMES));
  }

  async #withdraw({ mint }: Company, key: KeyPairSigner, process: string): Promise<void> {
    const own = (await this.readBalances(key, process))?.find((each) => each.mint === mint && each.amount > 0);
    if (own === undefined || this.#over.signal.aborted) return;
    const wallet = await freshWallet();
    const amount = this.random.chance(0.3) ? own.amount : this.random.between(1, own.amount);
    const client = new RecipientClient({ apiUrl: this.#anyUrl, signer: key, time: systemTime });
    const withdraw = async () => {
      await client.withdraw({ address: own.address, mint }, { amount: BigInt(amount), wallet });
      return null;
    };
    const asked = { recipient: key.address, mint, amount, wallet };
    await this.recorder.operation(process, 'withdraw', asked, withdraw, endingOf);
  }

  async readBalances(key: KeyPairSigner, process: string) {
    const read = async () => {
      type Balances = { readonly balances: readonly { mint: Address; address: Address; amount: string }[] };
      const { body } = await ask<Balances>(`${this.#anyUrl}/api/recipients/me/balances`, { signer: key });
      return body.balances.map(({ mint, address, amount }) => ({ mint, address, amount: Number(amount) }));
    };
    const answer = await this.recorder.operation(process, 'balances', { recipient: key.address }, read, endingOf);
    return answer as Awaited<ReturnType<typeof read>> | undefined;
  }

  readHistory(key: KeyPairSigner, process: string): Promise<readonly Payment[] | undefined> {
    type Item = { kind: string; schedulePda: string; window: string; amount: string; known: boolean };
    type Page = { readonly items: readonly Item[]; readonly nextCursor: string | null };
    const read = async () => {
      const pages = this.#pages<Page>('/api/recipients/me/history', HISTORY_PAGE, key);
      const items: Item[] = [];
      for await (const page of pages) items.push(...page.items);
      return items
        .filter(({ kind }) => kind === 'payment')
        .map(
          ({ schedulePda: schedule, window, amount, known }): Payment => ({
            ...{ schedule, window: Number(window) },
            ...{ amount: Number(amount), known },
          }),
        );
    };
    return this.recorder.operation(process, 'history', { recipient: key.address }, read, endingOf);
  }

  async readReceipts({ address }: Promised, key: KeyPairSigner, process: string): Promise<void> {
    type Page = {
      readonly receipts: readonly (Omit<Receipt, 'window' | 'amount'> & { window: string; amount: string })[];
      readonly nextCursor: string | null;
    };
    const read = async () => {
      const found: Receipt[] = [];
      const path = `/api/schedules/${address}/recipients/${key.address}`;
      for await (const { receipts } of this.#pages<Page>(path, PAGE.most, key)) {
        for (const { window, root, index, amount, paid } of receipts)
          found.push({ window: Number(window), root, index, amount: Number(amount), paid });
      }
      return found;
    };
    const asked = { recipient: key.address, schedule: address };
    await this.recorder.operation(process, 'receipts', asked, read, endingOf);
  }

  /** Pages of so many, each of any coordinator, to the last, or to one that has been before. */
  async *#pages<Page extends { readonly nextCursor: string | null }>(
    path: string,
    limit: number,
    signer?: KeyPairSigner,
  ) {
    const been = new Set<string>();
    for (let cursor: string | null = ''; cursor !== null && !been.has(cursor); ) {
      been.add(cursor);
      const query: string = `?limit=${limit}${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const { body }: { body: Page } = await ask<Page>(`${this.#anyUrl}${path}${query}`, signer && { signer });
      yield body;
      cursor = body.nextCursor;
    }
  }

  // Whoever reads what is public.

  async #look(company: Company, process: string): Promise<void> {
    const own = this.promised.filter((each) => each.company === company).slice(-2 * AT_A_TIME);
    if (own.length === 0) return;
    const schedule = this.random.pick(own);
    await this.readSchedule(schedule, process);
    const runs = await this.readRuns(schedule, process);
    // Whoever is told that something is settled looks whether it is final.
    if (runs?.some(({ state }) => state === 'settled')) await this.#readFinal(schedule, process);
  }

  readSchedule({ address }: Promised, process: string): Promise<unknown> {
    type View = { window: string; root: string; rootVersion: number; registration: { state: string } };
    const read = () =>
      ifThere(async () => {
        const { body } = await ask<View>(`${this.#anyUrl}/api/schedules/${address}`);
        const { window, root, rootVersion, registration } = body;
        return { window: Number(window), root, rootVersion, registered: registration.state === 'registered' };
      });
    return this.recorder.operation(process, 'schedule', { schedule: address }, read, endingOf);
  }

  readRuns({ address }: Promised, process: string): Promise<readonly Run[] | null | undefined> {
    type Page = { readonly executions: readonly ShownRun[]; readonly nextCursor: string | null };
    const path = `/api/schedules/${address}/executions`;
    const read = () =>
      ifThere(async () => {
        const runs: Run[] = [];
        const pages = this.#pages<Page>(path, this.random.between(PAGE.least, PAGE.most));
        for await (const { executions } of pages) runs.push(...executions.map(runOf));
        return runs;
      });
    return this.recorder.operation(process, 'runs', { schedule: address }, read, endingOf);
  }

  async #readFinal({ address }: Promised, process: string): Promise<void> {
    const read = async () => {
      const { base } = this.stage.world.ledgers;
      const { data } = await fetchSchedule(base, address, { commitment: 'finalized' });
      return { window: Number(data.window) };
    };
    await this.recorder.operation(process, 'final', { schedule: address }, read, endingOf);
  }
}

type ShownRun = Omit<Run, 'window' | 'paid' | 'total' | 'paidAmount' | 'unpaid' | 'explained' | 'attempts'> & {
  readonly window: string;
  readonly claims: { readonly paid: number; readonly total: number };
  readonly paidAmount: string | null;
  readonly unpaid: { readonly count: number; readonly reasons: Readonly<Record<string, number>> };
  readonly attempts: readonly Attempt[];
};

const runOf = ({
  window,
  state,
  claims,
  paidAmount,
  unpaid,
  createdAt,
  finishedAt,
  errorCode,
  attempts,
}: ShownRun): Run => ({
  ...{ window: Number(window), state, ...claims, createdAt, finishedAt, errorCode },
  paidAmount: paidAmount === null ? null : Number(paidAmount),
  unpaid: unpaid.count,
  explained: Object.values(unpaid.reasons).reduce((sum, count) => sum + count, 0),
  attempts: attempts.map(({ stage, number, outcome }) => ({ stage, number, outcome })),
});
