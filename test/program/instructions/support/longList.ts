import { MerkleTree } from '@payouts/client';
import { scheduleOf } from '@payouts/testing/litesvm/handles';
import { must } from '@payouts/testing/litesvm/world';
import * as build from '../../fixtures/build.ts';
import { FIRST } from '../../fixtures/constants.ts';
import { deposit, rentFor, type ScheduleScene, sponsor, termsOf } from '../../fixtures/index.ts';
import { done } from '../../harness/fixture.ts';
import { listOf, pagesOf, rangeOf } from '../../harness/list.ts';
import { bitmapRent } from '../../harness/rent.ts';
import { entryHash } from './hashes.ts';
import { crowd } from './scenes.ts';

/** Recipients whose bits are in the first page of a bitmap. */
export const BITS = 65_536;
const RECIPIENTS = BITS + 4;
/** Those of the list whose leaves are known: the last of the first page, and all of the second. */
const KNOWN = 8;
const BEGIN = RECIPIENTS - KNOWN;

/** A window of a list whose bitmap has two pages. */
export interface LongScene extends ScheduleScene {
  /** A claim for a range of the leaves that are known. */
  claim(start: number, count: number): ReturnType<typeof rangeOf>;
}

/** An open window of such a list in which some are held back; the pages of its bitmap are not made. */
export function longList(...held: readonly number[]): LongScene {
  const { world, token, vault } = done(deposit);
  const list = listOf(token, crowd(KNOWN, 10n));
  const { entries, pages } = rangeOf(list, 0, KNOWN);
  const unknown = new Uint8Array(32).fill(7);
  const tree = new MerkleTree(
    Array.from({ length: RECIPIENTS }, (_, index) => {
      const entry = entries[index - BEGIN];
      return entry === undefined ? unknown : entryHash(index, entry);
    }),
  );
  const schedule = scheduleOf(vault, 1n);
  const terms = { ...termsOf(list), root: tree.root, recipients: RECIPIENTS };
  must(world.base.send(build.createSchedule(world, schedule, terms)));
  for (const index of held) must(world.base.send(build.holdRecipient(world, schedule, index)));
  sponsor(world, schedule, rentFor(list) + bitmapRent(RECIPIENTS));
  world.setTime(FIRST);
  must(world.base.send(build.delegateSchedule(world, schedule, 0n)));
  must(world.sendToLayer(build.openPages(world, schedule, pagesOf(list.holders))));
  const claim = (start: number, count: number) => ({
    start,
    entries: entries.slice(start - BEGIN, start - BEGIN + count),
    proof: tree.rangeProof(start, count),
    pages,
  });
  return { world, token, vault, schedule, list, claim };
}
