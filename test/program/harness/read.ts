import * as payouts from '@payouts/client';
import {
  type BalancePage,
  type BitmapPage,
  bitmapPageOf,
  CONFIG,
  type Holder,
  type Schedule,
  type Token,
  type Vault,
} from '@payouts/testing/litesvm/handles';
import type { World } from '@payouts/testing/litesvm/world';
import type { Address } from '@solana/kit';
import { type LiabilityBalance, LiabilityTree, type LiabilityWindow } from './liabilities.ts';

/** Accounts of the ledger program, decoded. */
export const readConfig = (world: World) => payouts.getConfigDecoder().decode(world.base.data(CONFIG));
export const readPool = (world: World, { pool }: Token) => payouts.getPoolDecoder().decode(world.base.data(pool));
export const readVault = (world: World, { address }: Vault) =>
  payouts.getVaultDecoder().decode(world.base.data(address));
export const readApproval = (world: World, { approval }: Vault) =>
  payouts.getApprovalDecoder().decode(world.base.data(approval));
export const readSchedule = (world: World, { address }: Schedule) =>
  payouts.getScheduleDecoder().decode(world.base.data(address));
/** The batch as the layer shows it: its own while a window is open, the base's otherwise. */
export const readBatch = (world: World, { batch }: Schedule) =>
  payouts.getBatchDecoder().decode(world.layer.data(batch));
/** The pages of an open window's bitmap that were made, in order. */
export function bitmapPages(world: World, schedule: Schedule): BitmapPage[] {
  const { window, bitmapPages, bitmapNonce } = readBatch(world, schedule);
  return Array.from({ length: 16 }, (_, number) => number)
    .filter((number) => ((bitmapPages >> number) & 1) === 1)
    .map((number) => bitmapPageOf(schedule, window, number, bitmapNonce));
}
export const readBitmapPage = (world: World, { address }: Pick<BitmapPage, 'address'>) =>
  payouts.getBitmapPageDecoder().decode(world.layer.data(address));
export const readCounter = (world: World, { counter }: Token) =>
  payouts.getCounterDecoder().decode(world.layer.data(counter));
export const readBalancePage = (world: World, { address }: BalancePage) =>
  payouts.getBalancePageDecoder().decode(world.layer.data(address));
export const readPersonal = (world: World, { personal }: Pick<Holder, 'personal'>) =>
  payouts.getPersonalDecoder().decode(world.layer.data(personal));
export const readWiped = (world: World, { personal }: Pick<Holder, 'personal'>) =>
  payouts.getWipedPersonalDecoder().decode(world.layer.data(personal));
export const readPage = (world: World, page: Address) => payouts.getPageDecoder().decode(world.base.data(page));

/** What a pool's token account must hold at least. */
export function heldOf(world: World, token: Token): bigint {
  return payouts.poolHeld(readPool(world, token));
}

/** Whether a page marks a number. */
export function isMarked(world: World, page: Address, number: bigint): boolean {
  if (world.base.account(page) === undefined) return false;
  const bit = Number(number % 8_192n);
  return (((readPage(world, page).bitmap[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1;
}

/** What lies in the place of a private balance; 0 where its owner does not have it, or there is no page. */
export function balanceOf(world: World, { page, slot, owner }: Holder): bigint {
  if (!world.layer.keeps(page.address)) return 0n;
  const found = readBalancePage(world, page).slots[slot];
  return found !== undefined && Buffer.from(found.owner).equals(owner) ? found.amount : 0n;
}

/** What a recipient's withdrawals under way are, in the order of their places. */
export function withdrawalsOf(world: World, holder: Pick<Holder, 'personal'>): payouts.Withdrawing[] {
  if (!world.layer.keeps(holder.personal)) return [];
  return readPersonal(world, holder).withdrawals.filter(({ amount }) => amount !== 0n);
}

/** The number among its balance's own of a withdrawal; of one that is not under way, 1. */
export const idOf = (world: World, holder: Pick<Holder, 'personal'>, number: bigint): number =>
  withdrawalsOf(world, holder).find((each) => each.number === number)?.id ?? 1;

const eachOnce = (holders: readonly Holder[], name: (holder: Holder) => string): Holder[] => [
  ...new Map(holders.map((holder) => [name(holder), holder])).values(),
];

/** What an honest coordinator would record now, reading both ledgers: balances, then withdrawals with numbers, then windows. */
export function liabilitiesNow(world: World, holders: readonly Holder[], open: readonly Schedule[]): LiabilityTree {
  const balances = eachOnce(holders, ({ page, slot }) => `${page.address} ${slot}`).map(
    (holder): LiabilityBalance => ({ holder, amount: balanceOf(world, holder), number: 0n }),
  );
  const withdrawals = eachOnce(holders, ({ personal }) => personal).flatMap((holder) =>
    withdrawalsOf(world, holder).map(
      ({ number, amount, wallet }): LiabilityBalance => ({ holder, amount, number, wallet }),
    ),
  );
  const windows: LiabilityWindow[] = open.map((schedule) => {
    const { window, paidAmount } = readBatch(world, schedule);
    return { schedule: schedule.address, window, paid: paidAmount };
  });
  return new LiabilityTree(
    // What has no number yet is part of the balance.
    [...balances.filter(({ amount }) => amount > 0n), ...withdrawals.filter(({ number }) => number > 0n)],
    windows,
  );
}

/** What `record_liabilities` takes for a tree, at this moment. */
export function recordNow(world: World, token: Token, tree: LiabilityTree, total = heldOf(world, token)) {
  const { sequence, ...known } = readPool(world, token);
  return tree.record(sequence + 1n, total, known, readCounter(world, token).next);
}
