// Windows whose claims are built here, as the coordinator would, and sent by plain sockets.
import { randomBytes } from 'node:crypto';
import { createSchedule, deposit } from '@payouts/cli';
import {
  BatchPhase,
  BITMAP_PAGE_BITS,
  buildClaimTransaction,
  claimedLeaves,
  derivePageAddress,
  fetchMaybeBatch,
  findBatchAddress,
  findConfigAddress,
  LEAF_TERMS_BYTES,
  openPagesInstructions,
  ownerRecord,
  PAGE_SLOTS,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  type PageName,
  type Payee,
  planClaims,
  prepareList,
  type Recipient,
  termsOfLeaf,
} from '@payouts/client';
import { makeBitmap, openWindow } from '@payouts/testing/claims';
import { type Employer, until, type World } from '@payouts/testing/world';
import type { Address } from '@solana/kit';
import { saltOf } from './payees.ts';
import { sendRequest } from './sockets.ts';

const TERMS = { calendar: { unit: 'seconds', every: 86_400, day: 0 }, executions: 1, batchTimeout: 3_600 } as const;
const COMPUTE_UNITS = 1_400_000;

/** An open window of a list that nobody has claimed from. */
export type OpenWindow = { readonly employer: Employer; readonly batch: Address; readonly bitmap: readonly Address[] };

/** Requests that stand ready, and whether the layer has executed all of them. */
export type Ready = { readonly requests: readonly Buffer[]; readonly areDone: () => Promise<boolean> };

type BarePage = PageName & { readonly address: Address };

/** Pages of one token in which nobody else places balances, and whose balances are where. */
export class BarePages {
  readonly #pages: BarePage[] = [];
  /** By the owner in hexadecimal digits. */
  readonly #places = new Map<string, number>();

  constructor(
    private readonly world: World,
    private readonly mint: Address,
  ) {}

  /** Gives places, in order of index, to those of a list who have none; returns the numbers of the pages that are new. */
  place({ list }: Employer): ReadonlySet<number> {
    const before = this.#pages.length;
    for (const entry of list.recipients) this.#placeOf(entry);
    while (this.#pages.length * PAGE_SLOTS < this.#places.size) {
      const nonce = new Uint8Array(randomBytes(16));
      const { address } = derivePageAddress(this.mint, nonce, PAYOUT_LEDGER_PROGRAM_ADDRESS);
      this.#pages.push({ number: this.#pages.length, nonce, address });
    }
    return new Set(this.#pages.slice(before).map(({ number }) => number));
  }

  #placeOf(entry: Recipient): number {
    const owner = Buffer.from(ownerRecord(entry).owner).toString('hex');
    const place = this.#places.get(owner) ?? this.#places.size;
    this.#places.set(owner, place);
    return place;
  }

  /** A list's claims in the transactions that the coordinator would send, signed, with what they make of its pages. */
  async claiming({ employer, batch, bitmap }: OpenWindow): Promise<Ready> {
    const { list } = employer;
    const missing = this.place(employer);
    const { ledgers, authority } = this.world;
    const terms = Buffer.concat(list.recipients.map(termsOfLeaf));
    const places = list.recipients.map((leaf) => this.#placeOf(leaf));
    const placeOf = (index: number) => {
      const place = places[index] as number;
      return { page: (this.#pages[Math.floor(place / PAGE_SLOTS)] as BarePage).address, slot: place % PAGE_SLOTS };
    };
    const numberAt = (index: number) => Math.floor((places[index] as number) / PAGE_SLOTS);
    const plan = planClaims({
      count: places.length,
      pageAt: numberAt,
      isMissing: (page) => missing.has(page),
      paidBitmap: new Uint8Array(Math.ceil(places.length / 8)),
    });
    const config = await findConfigAddress();
    const { value: lifetime } = await ledgers.layer.getLatestBlockhash().send();
    const requests: Buffer[] = [];
    const programAddress = PAYOUT_LEDGER_PROGRAM_ADDRESS;
    for (const { start, count } of plan) {
      const some = terms.subarray(start * LEAF_TERMS_BYTES, (start + count) * LEAF_TERMS_BYTES);
      const numbers = new Set(Array.from({ length: count }, (_, leaf) => numberAt(start + leaf)));
      const made = [...numbers]
        .filter((number) => missing.has(number))
        .map((number) => this.#pages[number] as BarePage);
      const opening = { mint: this.mint, pages: made, isPrivate: false, programAddress };
      const { wire } = await buildClaimTransaction({
        ...{ authority, config, batch, lifetime, computeUnitLimit: COMPUTE_UNITS },
        bitmap: bitmap[Math.floor(start / BITMAP_PAGE_BITS)] as Address,
        leaves: claimedLeaves(start, some, placeOf),
        proof: list.tree.rangeProof(start, count),
        preceding: openPagesInstructions({ authority: authority.address, config, batch }, opening),
      });
      requests.push(sendRequest(wire));
    }
    return { requests, areDone: async () => (await paidCount(this.world, batch)) === places.length };
  }
}

/** Promises payees under another schedule of the same vault, the same recipients with the same balances, and opens a window. */
export async function openBare(
  world: World,
  employer: Employer,
  payees: readonly Payee[],
  id: bigint,
): Promise<OpenWindow> {
  const { signer, mint } = employer;
  const list = prepareList(payees, { saltFor: saltOf });
  await deposit(world.ledgers, signer, mint, list.total);
  const firstExecution = BigInt(Math.floor(Date.now() / 1_000) - 60);
  const schedule = await createSchedule(world.ledgers, signer, mint, list, { ...TERMS, id, firstExecution });
  const promised = { ...employer, schedule, list };
  const batch = await findBatchAddress(schedule);
  await openWindow(world, promised, 0n);
  await until(async () => (await paidCount(world, batch)) !== undefined || undefined, 'the layer to have the batch');
  return { employer: promised, batch, bitmap: await makeBitmap(world, promised) };
}

async function paidCount(world: World, batchAddress: Address): Promise<number | undefined> {
  const batch = await fetchMaybeBatch(world.ledgers.layer, batchAddress);
  return batch.exists && batch.data.phase === BatchPhase.Open ? batch.data.paidCount : undefined;
}
