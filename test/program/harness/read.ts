import * as payouts from '@payouts/client';
import { CONFIG, type Holder, type Schedule, type Token, type Vault } from '@payouts/testing/litesvm/handles';
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
export const readCounter = (world: World, { counter }: Token) =>
  payouts.getCounterDecoder().decode(world.layer.data(counter));
export const readBalance = (world: World, { balance }: Holder) =>
  payouts.getBalanceDecoder().decode(world.layer.data(balance));
export const readRecovery = (world: World, { recovery }: Holder) =>
  payouts.getRecoveryDecoder().decode(world.layer.data(recovery));
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

/** What an honest coordinator would record now, reading both ledgers. */
export function liabilitiesNow(world: World, holders: readonly Holder[], open: readonly Schedule[]): LiabilityTree {
  const balances: LiabilityBalance[] = [];
  for (const holder of new Map(holders.map((each) => [each.balance, each])).values()) {
    if (world.layer.account(holder.balance)?.data.length !== payouts.getBalanceSize()) continue;
    const { recipient, amount, pendingNumber, pendingAmount, pendingWallet } = readBalance(world, holder);
    // What has no number yet is part of the balance.
    const pending = pendingNumber === 0n ? 0n : pendingAmount;
    if (amount > 0n || pendingNumber > 0n) {
      balances.push({ recipient, amount, pendingNumber, pendingAmount: pending, pendingWallet });
    }
  }
  const windows: LiabilityWindow[] = open.map((schedule) => {
    const { window, paidAmount } = readBatch(world, schedule);
    return { schedule: schedule.address, window, paid: paidAmount };
  });
  return new LiabilityTree(balances, windows);
}

/** What `record_liabilities` takes for a tree, at this moment. */
export function recordNow(world: World, token: Token, tree: LiabilityTree, total = heldOf(world, token)) {
  const { sequence, ...known } = readPool(world, token);
  return tree.record(sequence + 1n, total, known, readCounter(world, token).next);
}
