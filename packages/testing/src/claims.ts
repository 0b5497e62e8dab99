import {
  BITMAP_PAGE_BITS,
  bitmapAddresses,
  bitmapRent,
  buildBitmapTransaction,
  buildClaimTransaction,
  claimedLeaves,
  delegateScheduleInstructions,
  derivePageAddress,
  fetchBatch,
  fetchSchedule,
  findBatchAddress,
  findConfigAddress,
  openPagesInstructions,
  PAGE_SLOTS,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  type PageName,
  pageRent,
  type SignedTransaction,
  sendToBase,
  sha256Into,
  termsOfLeaf,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { type Employer, until, type World } from './world.ts';

const RANGE = 500;
const COMPUTE_UNITS = 1_400_000;

/** Opens a window as the execution authority, without a coordinator, and waits until the layer has the batch. */
export async function openWindow(world: World, employer: Employer, window: bigint): Promise<void> {
  const { data: schedule } = await fetchSchedule(world.ledgers.base, employer.schedule);
  await sendToBase(
    world.ledgers,
    await delegateScheduleInstructions({
      authority: world.authority,
      schedule: employer.schedule,
      vault: employer.vault,
      mint: employer.mint,
      window,
      rootVersion: schedule.rootVersion,
      lendLamports: pageRent(pagesFor(employer)) + bitmapRent(employer.list.recipients.length),
    }),
    world.authority,
  );
}

const pagesFor = ({ list }: Employer): number => Math.ceil(list.recipients.length / PAGE_SLOTS);

/** Number of the first page here: behind those of a coordinator. */
const FIRST_PAGE = 100;
/** Pages that a schedule may have here. */
const MOST_PAGES = 400;
/** Schedules that have pages here, by their token: two have no number in common. */
const placed = new Map<Address, Address[]>();

function firstPageOf({ schedule, mint }: Employer): number {
  const schedules = placed.get(mint) ?? [];
  placed.set(mint, schedules);
  if (!schedules.includes(schedule)) schedules.push(schedule);
  return FIRST_PAGE + schedules.indexOf(schedule) * MOST_PAGES;
}

/** The pages of an employer whose balances no coordinator places: of a schedule always the same. */
function pagesOf(employer: Employer, count: number): (PageName & { readonly address: Address })[] {
  const { schedule, mint } = employer;
  const first = firstPageOf(employer);
  return Array.from({ length: count }, (_, page) => {
    const hash = new Uint8Array(32);
    sha256Into(Buffer.from(`${schedule} ${page}`), hash, 0);
    const nonce = hash.slice(0, 16);
    const { address } = derivePageAddress(mint, nonce, PAYOUT_LEDGER_PROGRAM_ADDRESS);
    return { number: first + page, nonce, address };
  });
}

/** Sends a transaction until the layer has executed it. */
async function execute(world: World, what: string, build: () => Promise<SignedTransaction>): Promise<void> {
  await until(async () => {
    const { wire, signature } = await build();
    // Whatever the answer, the status decides: the layer may be too late to look at it.
    await world.ledgers.layer
      .sendTransaction(wire, { encoding: 'base64', skipPreflight: true })
      .send()
      .catch(() => {});
    return until(
      async () => {
        const status = (await world.ledgers.layer.getSignatureStatuses([signature]).send()).value[0];
        return status === null || status === undefined ? undefined : status.err === null || undefined;
      },
      `${what} to be executed`,
      1_000,
    ).catch(() => undefined);
  }, what);
}

/** Makes the bitmap of an employer's open window, where it is missing, as the execution authority; its pages. */
export async function makeBitmap(world: World, { schedule, list }: Employer): Promise<readonly Address[]> {
  const [config, batch] = [await findConfigAddress(), await findBatchAddress(schedule)];
  const { window } = (await fetchSchedule(world.ledgers.base, schedule)).data;
  const recipients = list.recipients.length;
  const of = { schedule, window, bitmapNonce: 0, recipients, programAddress: PAYOUT_LEDGER_PROGRAM_ADDRESS };
  await execute(world, "the window's bitmap", async () =>
    buildBitmapTransaction({
      ...{ ...of, authority: world.authority, config, batch, computeUnitLimit: COMPUTE_UNITS },
      lifetime: (await world.ledgers.layer.getLatestBlockhash().send()).value,
    }),
  );
  // A coordinator may have made it before, with another nonce.
  const { bitmapNonce } = (await fetchBatch(world.ledgers.layer, batch)).data;
  return bitmapAddresses({ ...of, bitmapNonce }, recipients, PAYOUT_LEDGER_PROGRAM_ADDRESS);
}

/** Claims leaves `start` to `end` as the execution authority, without a coordinator: to pages of its own, which are made where they are missing. */
export async function claimRange(world: World, employer: Employer, start: number, end: number): Promise<void> {
  const [config, batch] = [await findConfigAddress(), await findBatchAddress(employer.schedule)];
  const pages = pagesOf(employer, pagesFor(employer));
  const { authority } = world;
  const programAddress = PAYOUT_LEDGER_PROGRAM_ADDRESS;
  const lifetimeNow = async () => (await world.ledgers.layer.getLatestBlockhash().send()).value;
  const bitmaps = await makeBitmap(world, employer);
  const placeOf = (index: number) => {
    const { address: page } = pages[Math.floor(index / PAGE_SLOTS)] as (typeof pages)[number];
    return { page, slot: index % PAGE_SLOTS };
  };
  for (let at = start; at < end; at += RANGE) {
    const to = Math.min(at + RANGE, end);
    const touched = pages.slice(Math.floor(at / PAGE_SLOTS), Math.ceil(to / PAGE_SLOTS));
    const terms = Buffer.concat(employer.list.recipients.slice(at, to).map(termsOfLeaf));
    const opening = { mint: employer.mint, pages: touched, isPrivate: false, programAddress };
    await execute(world, `claims ${at} to ${to}`, async () =>
      buildClaimTransaction({
        ...{ authority, config, batch, leaves: claimedLeaves(at, terms, placeOf) },
        bitmap: bitmaps[Math.floor(at / BITMAP_PAGE_BITS)] as Address,
        proof: employer.list.tree.rangeProof(at, to - at),
        preceding: openPagesInstructions({ authority: authority.address, config, batch }, opening),
        lifetime: await lifetimeNow(),
        computeUnitLimit: COMPUTE_UNITS,
      }),
    );
  }
}
