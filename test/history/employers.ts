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
  type RecipientList,
  recipientsToJson,
  sendToBase,
} from '@payouts/client';
import { readSchedule } from '@payouts/employer';
import type { Random } from '@payouts/testing/random';
import { everySeconds, inSeconds } from '@payouts/testing/world';
import type { Address, Instruction } from '@solana/kit';
import { ask, endingOf } from './api.ts';
import type { Entry } from './events.ts';
import type { OwnedBalance } from './ledgers.ts';
import type { Recorder } from './record.ts';
import { type Company, NAMES, type Stage } from './stage.ts';

/** Schedules of an employer that are not over, at most, and windows of each. */
const AT_A_TIME = 3;
const WINDOWS = { least: 2, most: 4 };
/** Seconds until the first window, between two, and that one may be open. */
const FIRST = { least: 1, most: 30 };
const EVERY = { least: 3, most: 12 };
const BATCH_TIMEOUT = 600;
const MOST_AMOUNT = 1_000;
/** Tries of a registration, of one coordinator each, and milliseconds between two. */
const REGISTRATIONS = 12;
const AGAIN_MS = 700;
/** Milliseconds for which a schedule is paused. */
const PAUSED = { least: 100, most: 3_500 };

/** A schedule that an employer has promised, with the list that is to be paid now. */
export type Promised = { readonly company: Company; readonly address: Address; list: RecipientList; isOver: boolean };

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const entriesOf = ({ recipients }: RecipientList): Entry[] =>
  recipients.map(({ recipient, index, amount }) => ({ recipient, index, amount: Number(amount) }));

/** What employers do, and what they have promised. */
export class Employers {
  readonly promised: Promised[] = [];
  /** Balances of recipients, by recipient and owner. */
  readonly #owners = new Map<string, Map<Address, OwnedBalance>>();

  constructor(
    private readonly stage: Stage,
    private readonly recorder: Recorder,
    private readonly random: Random,
    private readonly over: AbortSignal,
  ) {}

  ownersOf(recipient: string): readonly OwnedBalance[] {
    return [...(this.#owners.get(recipient)?.values() ?? [])];
  }

  /** The schedules of an employer that were promised last. */
  latest(company: Company): readonly Promised[] {
    return this.promised.filter((each) => each.company === company).slice(-2 * AT_A_TIME);
  }

  /** One thing that an employer does. */
  async employ(company: Company, process: string): Promise<unknown> {
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
      firstExecution: inSeconds(this.random.between(FIRST.least, FIRST.most)),
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
      if (answer !== undefined || this.over.aborted) return;
      await sleep(AGAIN_MS);
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
    const terms = { root, amount, recipients: recipients.length, payer: schedule.company.signer, held: [] };
    const send = async () => {
      const { holds } = await readSchedule(this.stage.world.ledgers, schedule.address);
      return this.#send(
        schedule,
        getUpdateRecipientsInstructionAsync({ ...this.#of(schedule), ...terms, holds }) as Promise<Instruction>,
      );
    };
    const answer = await this.recorder.operation(process, 'change', asked, send, endingOf);
    if (answer === undefined) return;
    schedule.list = list;
    await this.#register(schedule, process);
  }

  async #hold(schedule: Promised, process: string): Promise<void> {
    const index = this.random.below(schedule.list.recipients.length);
    const { data } = await fetchSchedule(this.stage.world.ledgers.base, schedule.address);
    const held = { ...this.#of(schedule), rootVersion: data.rootVersion, index };
    const send = () => this.#send(schedule, getHoldRecipientInstruction(held));
    await this.recorder.operation(process, 'hold', { schedule: schedule.address, index }, send, endingOf);
  }

  async #pause(schedule: Promised, process: string): Promise<void> {
    const asked = { schedule: schedule.address };
    const pause = () => this.#send(schedule, getPauseScheduleInstruction(this.#of(schedule)));
    await this.recorder.operation(process, 'pause', asked, pause, endingOf);
    await sleep(this.random.between(PAUSED.least, PAUSED.most));
    const resume = () => this.#send(schedule, getResumeScheduleInstruction(this.#of(schedule)));
    await this.recorder.operation(process, 'resume', asked, resume, endingOf);
  }

  async #cancel(schedule: Promised, process: string): Promise<void> {
    const asked = { schedule: schedule.address };
    const cancel = () => this.#send(schedule, getCancelScheduleInstruction(this.#of(schedule)));
    const answer = await this.recorder.operation(process, 'cancel', asked, cancel, endingOf);
    if (answer !== undefined) schedule.isOver = true;
  }
}
