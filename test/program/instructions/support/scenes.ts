import { MerkleTree, MissedWindows } from '@payouts/client';
import { named } from '@payouts/testing/litesvm/addresses';
import { scheduleOf } from '@payouts/testing/litesvm/handles';
import { must, type World } from '@payouts/testing/litesvm/world';
import type { Address } from '@solana/kit';
import * as build from '../../fixtures/build.ts';
import { LIMITS, PAYEES } from '../../fixtures/constants.ts';
import { cancelSchedule, createSchedule, deposit, type ScheduleScene, termsOf } from '../../fixtures/index.ts';
import { done } from '../../harness/fixture.ts';
import { listOf, type Payee, rangeOf } from '../../harness/list.ts';
import { entryHash } from './hashes.ts';
import { complete, open } from './window.ts';

type Terms = ReturnType<typeof termsOf>;
type Entry = ReturnType<typeof rangeOf>['entries'][number];

/** A scene with a schedule over a list of one's own, with terms of one's own. */
export function scheduled(payees: readonly Payee[] = PAYEES, change: Partial<Terms> = {}): ScheduleScene {
  const { world, token, vault } = done(deposit);
  return addSchedule({ world, token, vault }, 1n, payees, change);
}

/** A scene with an open window over entries of any kind, which need not make sense, and the claim for all of them. */
export function openWith(entries: readonly Partial<Entry>[], amount: bigint) {
  const { world, token, vault } = done(deposit);
  const payees = entries.map((entry, place) => ({
    recipient: named(`odd ${place}`),
    amount: BigInt(entry.amount ?? 1_000n),
  }));
  const plain = listOf(token, payees);
  const range = rangeOf(plain, 0, entries.length);
  const odd = range.entries.map((entry, place) => ({ ...entry, ...entries[place] }));
  const tree = new MerkleTree(odd.map((entry, index) => entryHash(index, entry)));
  const schedule = scheduleOf(vault, 1n);
  const terms = { ...termsOf(plain), root: tree.root, amount };
  must(world.base.send(build.createSchedule(world, schedule, terms)));
  const scene = open({ world, token, vault, schedule, list: { ...plain, tree } });
  const proof = tree.rangeProof(0, entries.length);
  return { scene, instruction: build.claimPayment(world, schedule, { ...range, entries: odd, proof }) };
}

/** The same scene seen from another schedule of the vault, which is created. */
export function addSchedule(
  { world, token, vault }: Pick<ScheduleScene, 'world' | 'token' | 'vault'>,
  id: bigint,
  payees: readonly Payee[] = PAYEES,
  change: Partial<Terms> = {},
): ScheduleScene {
  const schedule = scheduleOf(vault, id);
  const list = listOf(token, payees);
  must(world.base.send(build.createSchedule(world, schedule, { ...termsOf(list), ...change })));
  return { world, token, vault, schedule, list };
}

/** A scene whose schedule leaves missed windows out. */
export const skipping = () => scheduled(PAYEES, { missed: MissedWindows.Skip });

/** So many recipients with the same amount. */
export function crowd(count: number, amount: bigint): Payee[] {
  return Array.from({ length: count }, (_, place) => ({ recipient: named(`one of a crowd ${place}`), amount }));
}

/** A scene whose schedule holds recipients back. */
export function holding(...indexes: readonly number[]): ScheduleScene {
  const scene = done(createSchedule);
  for (const index of indexes) must(scene.world.base.send(build.holdRecipient(scene.world, scene.schedule, index)));
  return scene;
}

/** A scene whose schedule was cancelled, and one whose schedule is completed. */
export function endings(): ScheduleScene[] {
  const completed = complete(scheduled(PAYEES, { executions: 1 }));
  return [done(cancelSchedule), completed];
}

/** Declares the loss; the grace time is a day. */
export function declare(world: World): void {
  must(world.base.send(build.declareLoss(world)));
}

/** Another key takes the execution authority over, as both keys agree. */
export function replaceAuthority(world: World, successor: Address): void {
  must(world.base.send(build.proposeAuthority(world, successor)));
  must(world.base.send(build.approveAuthority(world, successor)));
  must(world.base.send(build.acceptAuthority(successor)));
}

/** Names the other registered validator for pools to come. */
export function turnToOther(world: World): void {
  must(world.base.send(build.updateConfig(world, { validator: world.otherValidator })));
}

/** Changes a limit or a flag of the config. */
export function configure(world: World, limits: Partial<typeof LIMITS>, flags = 0): void {
  must(world.base.send(build.updateConfig(world, { limits: { ...LIMITS, ...limits }, flags })));
}
