import {
  addressToBytes,
  BALANCE_PAGE_KIND,
  BatchPhase,
  bitmapSize,
  type Counter,
  findBatchAddress,
  findCounterAddress,
  findPageAddress,
  findPoolAddress,
  HASH_BYTES,
  isBitSet,
  type NotedPersonal,
  PAGE_HEAD_BYTES,
  PAGE_PERSONAL_AT,
  PAGE_SLOTS,
  type Pool,
  placeOfWithdrawal,
  readNotedPersonal,
  SCHEDULE_KIND,
  type Schedule,
  SchedulePhase,
  SLOT_BYTES,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Balances } from '../balances/balances.ts';
import { NUMBERED, type ObservedPersonal, observedPersonal, ofMint } from '../balances/personal.ts';
import { RunError } from '../domain/errors.ts';
import type { LiabilityBalance, Pending } from '../domain/liability.ts';
import { PAGE_PLACES, pageOfPlace, slotOfPlace } from '../domain/places.ts';
import { batchOf, counterOf, pageOf, poolOf, scheduleOf } from '../ledger/accounts.ts';
import {
  type BaseLedger,
  type Commitment,
  type ExecutionLayer,
  type LedgerAccount,
  readAccount,
  readAccounts,
} from '../ledger/ledger.ts';
import { bitmapAmong, bitmapPagesOf, layerBatchOf, type WindowAddresses } from '../ledger/probe.ts';
import { groupedBy } from '../platform/groupedBy.ts';

/** Accounts in one reading. */
const AT_ONCE = 100;
/** Personal accounts in one reading, each with its page. */
const PAIRS_AT_ONCE = 50;
const PHASE_AT = 4;
/** Of what a page notes of a slot's personal accounts. */
const NOTED_BYTES = 2;
const SCHEDULE_MINT_AT = 40;

/** An open window and what it has paid, base units. */
export type OpenWindow = {
  readonly schedule: Address;
  readonly vault: Address;
  readonly window: bigint;
  readonly amount: bigint;
  /** Its place among all that were opened of the pool. */
  readonly opening: bigint;
  /** Undefined while neither ledger shows the window's batch. */
  readonly batch: ObservedBatch | undefined;
};

/** An open window's batch: with the layer, or on its way back, or back. */
export type ObservedBatch = {
  /** Of the list, hexadecimal. */
  readonly root: string;
  readonly paid: bigint;
  /** Who is paid or held back; undefined once the batch is closed or back: then nobody else is paid. */
  readonly bitmap: Uint8Array | undefined;
  /** It is back on the base ledger, which says when it can be settled. */
  readonly isBack: boolean;
};

/** What the base ledger shows of a pool at one moment. */
export type PoolAtOnce = {
  readonly pool: Pool;
  /** Whether the base has paid a withdrawal; for those that were asked about. */
  readonly isPaid: (number: bigint) => boolean;
};

/** A token's pool. Throws `RunError` if the base ledger has none. */
export async function readPool(base: BaseLedger, mint: Address, program: Address): Promise<Pool> {
  const account = await readAccount(base, await findPoolAddress(mint, { programAddress: program }));
  return required(poolOf(account, program));
}

/** A token's pool together with the pages that hold these withdrawals' numbers. Throws `RunError` if the base ledger has none. */
export async function readPoolAtOnce(
  base: BaseLedger,
  mint: Address,
  program: Address,
  pending: Iterable<Pick<Pending, 'number'>>,
  commitment?: Commitment,
): Promise<PoolAtOnce> {
  const deployment = { programAddress: program };
  const pages = new Map<number, Address>();
  for (const { number } of pending) {
    const { page } = placeOfWithdrawal(number);
    if (!pages.has(page)) pages.set(page, await findPageAddress(mint, number, deployment));
  }
  const bitmaps = new Map<number, ArrayLike<number>>();
  const take = (page: number, account: LedgerAccount | null | undefined) => {
    const content = pageOf(account, program);
    if (content !== undefined) bitmaps.set(page, content.bitmap as Uint8Array);
  };
  // The newest pages are read with the pool, as of one slot; old ones, which only hopeless withdrawals stand on, before it.
  const newestFirst = [...pages].sort(([a], [b]) => b - a);
  for (let start = AT_ONCE - 1; start < newestFirst.length; start += AT_ONCE) {
    const old = newestFirst.slice(start, start + AT_ONCE);
    const { accounts } = await base.accounts(
      old.map(([, address]) => address),
      commitment,
    );
    for (const [place, [page]] of old.entries()) take(page, accounts[place]);
  }
  const newest = newestFirst.slice(0, AT_ONCE - 1);
  const { accounts } = await base.accounts(
    [await findPoolAddress(mint, deployment), ...newest.map(([, address]) => address)],
    commitment,
  );
  for (const [place, [page]] of newest.entries()) take(page, accounts[place + 1]);
  const pool = required(poolOf(accounts[0], program));
  const isPaid = (number: bigint) => {
    const { page, bit } = placeOfWithdrawal(number);
    const bitmap = bitmaps.get(page);
    return bitmap !== undefined && isBitSet(bitmap, bit);
  };
  return { pool, isPaid };
}

function required(pool: Pool | undefined): Pool {
  if (pool !== undefined) return pool;
  throw new RunError('schedule-missing', "The token's pool is not on the base ledger.");
}

type ReaderInput = {
  readonly base: BaseLedger;
  readonly layer: ExecutionLayer;
  readonly program: Address;
  readonly mint: Address;
  readonly balances: Balances;
};

/** Reads one token's accounts on both ledgers. */
export class LiabilityReader {
  constructor(private readonly input: ReaderInput) {}

  /** In the execution layer, the number that the next withdrawal gets, and how many private transfers were made. */
  async counter(): Promise<Pick<Counter, 'next' | 'transfers'>> {
    const at = await findCounterAddress(this.input.mint, { programAddress: this.input.program });
    const counter = counterOf(await readAccount(this.input.layer, at), this.input.program);
    if (counter === undefined) {
      throw new RunError('layer-unavailable', "The execution layer does not show the token's counter.");
    }
    return counter;
  }

  /** The pool together with the pages that hold these withdrawals' numbers. */
  pool(pending: Iterable<Pick<Pending, 'number'>> = [], commitment?: Commitment): Promise<PoolAtOnce> {
    return readPoolAtOnce(this.input.base, this.input.mint, this.input.program, pending, commitment);
  }

  /** The balances at these places, and what is noted of their personal accounts; undefined: nobody has the place. */
  async balances(
    places: Iterable<number>,
    onBalance: (place: number, seen: (LiabilityBalance & { readonly noted: NotedPersonal }) | undefined) => void,
  ): Promise<void> {
    const { balances, mint } = this.input;
    const wanted = groupedBy(places, pageOfPlace);
    const pages = await balances.pages.of(mint, wanted.keys());
    const numberOf = new Map([...pages].map(([number, { address }]) => [address, number]));
    await readAccounts(this.input.layer, [...numberOf.keys()], (address, account) => {
      const slots = this.#slots(account);
      for (const place of wanted.get(numberOf.get(address) as number) ?? []) {
        const seen = slots && slotAt(slots, slotOfPlace(place));
        onBalance(place, seen && { ...seen, noted: notedAt(account as LedgerAccount, slotOfPlace(place)) });
      }
    });
  }

  /** Accounts of recipients with a withdrawal that has its number, each with what its balance shows at the same moment. */
  async numbered(): Promise<
    { readonly personal: ObservedPersonal; readonly place: number; readonly balance: LiabilityBalance }[]
  > {
    const { layer, program, mint, balances } = this.input;
    const found = await layer.programAccounts(program, [...NUMBERED, ofMint(addressToBytes(mint))]);
    const numbers = new Map((await balances.pages.all(mint)).map(({ address, number }) => [address, number]));
    const shown: { personal: ObservedPersonal; place: number; balance: LiabilityBalance }[] = [];
    for (let start = 0; start < found.length; start += PAIRS_AT_ONCE) {
      const some = found
        .slice(start, start + PAIRS_AT_ONCE)
        .flatMap((account) => observedPersonal(account, program) ?? []);
      // Together: a release moves money from the one to the other.
      const { accounts } = await layer.accounts(some.flatMap(({ address, page }) => [address, page]));
      for (const [at, { page, slot }] of some.entries()) {
        const personal = observedPersonal(accounts[2 * at] ?? null, program);
        const slots = this.#slots(accounts[2 * at + 1] ?? null);
        const balance = slots && slotAt(slots, slot);
        const number = numbers.get(page);
        if (personal === undefined || balance === undefined || number === undefined) continue;
        shown.push({ personal, place: number * PAGE_PLACES + slot, balance });
      }
    }
    return shown;
  }

  /** Every balance that anybody has. */
  async allBalances(onBalance: (place: number, seen: LiabilityBalance) => void): Promise<void> {
    const { balances, mint } = this.input;
    await balances.adopt(mint);
    const pages = await balances.pages.all(mint);
    const numberOf = new Map(pages.map(({ address, number }) => [address, number]));
    await readAccounts(this.input.layer, [...numberOf.keys()], (address, account) => {
      const slots = this.#slots(account);
      for (let slot = 0; slots !== undefined && slot < PAGE_SLOTS; slot++) {
        const seen = slotAt(slots, slot);
        if (seen !== undefined) onBalance((numberOf.get(address) as number) * PAGE_PLACES + slot, seen);
      }
    });
  }

  /** The slots of a page, in one piece. */
  #slots(account: LedgerAccount | null): Buffer | undefined {
    if (account?.owner !== this.input.program || account.data[0] !== BALANCE_PAGE_KIND) return undefined;
    const { buffer, byteOffset, byteLength } = account.data;
    return Buffer.from(buffer, byteOffset, byteLength).subarray(PAGE_HEAD_BYTES);
  }

  /** Of these schedules, those with an open window. */
  async windows(schedules: readonly Address[]): Promise<OpenWindow[]> {
    const open: { readonly address: Address; readonly schedule: Schedule }[] = [];
    await readAccounts(this.input.base, schedules, (address, account) => {
      const schedule = scheduleOf(account, this.input.program);
      if (schedule?.phase === SchedulePhase.Open && schedule.mint === this.input.mint) open.push({ address, schedule });
    });
    return this.#withBatches(open);
  }

  /** The number of each schedule's window that is open, else of its next; by the base ledger alone. */
  async windowNumbers(schedules: readonly Address[]): Promise<Map<Address, bigint>> {
    const numbers = new Map<Address, bigint>();
    await readAccounts(this.input.base, schedules, (address, account) => {
      const schedule = scheduleOf(account, this.input.program);
      if (schedule !== undefined) numbers.set(address, schedule.window);
    });
    return numbers;
  }

  /** Every open window of the token, by a look at all schedules of the base ledger. */
  async allWindows(): Promise<OpenWindow[]> {
    const found = await this.input.base.programAccounts(this.input.program, [
      { at: 0, bytes: Uint8Array.of(SCHEDULE_KIND) },
      { at: PHASE_AT, bytes: Uint8Array.of(SchedulePhase.Open) },
      { at: SCHEDULE_MINT_AT, bytes: addressToBytes(this.input.mint) },
    ]);
    return this.#withBatches(
      found.flatMap((account) => {
        const schedule = scheduleOf(account, this.input.program);
        return schedule === undefined ? [] : [{ address: account.address, schedule }];
      }),
    );
  }

  async #withBatches(
    open: readonly { readonly address: Address; readonly schedule: Schedule }[],
  ): Promise<OpenWindow[]> {
    const { base, layer, program } = this.input;
    const windows = await Promise.all(
      open.map(async ({ address: schedule, schedule: { window } }) => {
        return { schedule, window, program, batch: await findBatchAddress(schedule, { programAddress: program }) };
      }),
    );
    const batches = windows.map(({ batch }) => batch);
    /** A window's batch that is back. */
    const returned = ({ batch: address, window }: WindowAddresses) => {
      const batch = batchOf(onBase.get(address), program);
      return batch?.window === window && batch.phase !== BatchPhase.Idle ? batch : undefined;
    };
    const inLayer = new Map<Address, LedgerAccount | null>();
    const readLayer = (asked: readonly Address[]) =>
      readAccounts(layer, asked, (address, account) => inLayer.set(address, account));
    await readLayer(batches);
    // Each batch again beside its bitmap, whose addresses follow from it, so that they are read at one moment, as a rule.
    await readLayer(
      windows.flatMap((at) => {
        const batch = layerBatchOf(inLayer.get(at.batch), at);
        return batch?.phase !== BatchPhase.Open ? [] : [at.batch, ...bitmapPagesOf(at, batch)];
      }),
    );
    const onBase = new Map<Address, LedgerAccount | null>();
    await readAccounts(base, batches, (address, account) => onBase.set(address, account));
    const observed = (at: WindowAddresses): ObservedBatch | undefined => {
      const back = returned(at);
      const batch = back ?? layerBatchOf(inLayer.get(at.batch), at);
      if (batch === undefined) return undefined;
      const isOver = back !== undefined || batch.phase === BatchPhase.Closed;
      // A page that is not shown shows nobody as paid: then what the batch has paid is not accounted for, and is read.
      const shown = () => bitmapAmong(at, batch, inLayer) ?? new Uint8Array(bitmapSize(batch.recipients));
      return {
        root: Buffer.from(batch.root as Uint8Array).toString('hex'),
        paid: batch.paidAmount,
        bitmap: isOver ? undefined : shown(),
        isBack: back !== undefined,
      };
    };
    return open.map(({ address, schedule: { vault, window, windowAmount, windowOpening } }, place) => ({
      schedule: address,
      vault,
      window,
      amount: windowAmount,
      opening: windowOpening,
      batch: observed(windows[place] as WindowAddresses),
    }));
  }
}

const NOBODY = Buffer.alloc(HASH_BYTES);

/** What a page notes of the personal accounts of a slot's balance. */
function notedAt({ data }: LedgerAccount, slot: number): NotedPersonal {
  const view = new DataView(data.buffer, data.byteOffset);
  return readNotedPersonal(view.getUint16(PAGE_PERSONAL_AT + NOTED_BYTES * slot, true));
}

/** What a slot shows; undefined: nobody has it. */
function slotAt(slots: Buffer, slot: number): LiabilityBalance | undefined {
  const at = slot * SLOT_BYTES;
  const owner = slots.subarray(at, at + HASH_BYTES);
  if (owner.equals(NOBODY)) return undefined;
  return { owner, amount: slots.readBigUInt64LE(at + HASH_BYTES) };
}
