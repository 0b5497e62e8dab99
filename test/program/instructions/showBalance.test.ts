import { personalKey, readingMessage } from '@payouts/client';
import { bytesOf, named } from '@payouts/testing/litesvm/addresses';
import type { Holder } from '@payouts/testing/litesvm/handles';
import { LEDGER_PROGRAM } from '@payouts/testing/litesvm/programs';
import { must } from '@payouts/testing/litesvm/world';
import { AccountRole, type Instruction } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { WALLET } from '../fixtures/constants.ts';
import { claimPayment, holderIn, paid, settle, showBalance, wipePersonal } from '../fixtures/index.ts';
import { authorised, keyed, NEVER, showing, signedBy } from '../harness/authorisation.ts';
import { done } from '../harness/fixture.ts';
import { placeBalance } from '../harness/write.ts';
import { effectIn } from './support/call.ts';

/** What is returned of a balance: amount, what is noted of its personal account, key. */
const shownOf = ({ page, owner }: Holder, amount: bigint, noted = 0) =>
  Uint8Array.of(
    ...new Uint8Array(BigUint64Array.of(amount).buffer),
    ...new Uint8Array(Uint16Array.of(noted).buffer),
    ...personalKey(page.nonce, owner),
  );

/** The text with the line that one for acting has. */
const withKey = (message: Uint8Array) =>
  Buffer.from(
    Buffer.from(message)
      .toString()
      .replace('Owner: ', `Key: ${WALLET.padEnd(44)}\nOwner: `),
  );

describe('show_balance', () => {
  const scene = paid();
  const { world } = scene;
  const [first, second] = [holderIn(scene), holderIn(scene, 1)];
  const show = build.showBalance(first);
  const failure = (...instructions: readonly Instruction[]) => world.sendToLayer(...instructions).failure;

  it('returns what the slot holds, and what its account’s address follows from, to whoever has the recipient’s signature', () => {
    for (const [place, amount] of [1_000n, 2_000n, 3_000n, 4_000n, 500n].entries()) {
      const holder = holderIn(scene, place);
      const outcome = must(world.sendToLayer(showing(holder), build.showBalance(holder)));
      expect(outcome.returned).toEqual(shownOf(holder, amount, 0x8001));
    }
  });

  it('returns a balance that was emptied, and what waits for its release as part of it', () => {
    const later = done(settle);
    const holder = holderIn(later);
    const dueAt = later.world.now + 60n;
    must(later.world.sendToLayer(build.requestWithdrawal(holder, 600n, WALLET, undefined, dueAt)));
    const shown = () => must(later.world.sendToLayer(showing(holder), build.showBalance(holder))).returned;
    expect(shown()).toEqual(shownOf(holder, 1_000n, 0x8001));
    must(later.world.sendToLayer(build.cancelWithdrawal(holder)));
    must(later.world.sendToLayer(build.requestWithdrawal(holder, 1_000n, WALLET)));
    expect(shown()).toEqual(shownOf(holder, 0n, 0x8001));
  });

  it('tells of an account that was closed by its number alone, and of none where there was none', () => {
    const scene = done(claimPayment);
    const holder = holderIn(scene);
    const returned = () => must(scene.world.sendToLayer(showing(holder), build.showBalance(holder))).returned;
    expect(returned()).toEqual(shownOf(holder, 1_000n));
    const closed = done(wipePersonal);
    const { world } = closed;
    const wiped = holderIn(closed);
    const outcome = must(world.sendToLayer(showing(wiped), build.showBalance(wiped)));
    expect(outcome.returned).toEqual(shownOf(wiped, 1_000n, 1));
  });

  it('changes nothing, and needs nobody to sign the transaction', () => {
    const { changes, events, outcome } = effectIn(showBalance);
    expect({ changes, events }).toEqual({ changes: {}, events: [] });
    expect(outcome.returned).toEqual(shownOf(first, 1_000n));
    expect(show.accounts.map(({ role }) => role)).toEqual([AccountRole.READONLY, AccountRole.READONLY]);
  });

  const message = readingMessage(LEDGER_PROGRAM, first.owner, NEVER);
  const good = showing(first);
  const changed = (place: number): Instruction => {
    const data = Uint8Array.from(good.data ?? []);
    data[place] = (data[place] as number) ^ 1;
    return { ...good, data };
  };

  it.each<[string, readonly Instruction[]]>([
    ['no signature', [show]],
    ['it behind', [show, good]],
    ['something between', [good, build.setStandingOrder(second, 0n, WALLET), show]],
    ['another recipient’s', [showing(second), show]],
    ['another recipient’s of this owner', [signedBy(second.recipient, message), show]],
    ['one for another owner', [signedBy(first.recipient, readingMessage(LEDGER_PROGRAM, second.owner, NEVER)), show]],
    ['one for another program', [signedBy(first.recipient, readingMessage(WALLET, first.owner, NEVER)), show]],
    ['an authorisation to act', [authorised(first.recipient, { personal: first.personal, signer: WALLET }), show]],
    ['a key named in it', [signedBy(first.recipient, withKey(message)), show]],
    ['a longer text', [signedBy(first.recipient, Uint8Array.of(...message, 0)), show]],
    ['a shorter text', [signedBy(first.recipient, message.slice(0, -1)), show]],
    ['another text in front', [signedBy(first.recipient, message.with(0, 0x22)), show]],
    ['surplus data', [{ ...good, data: Uint8Array.of(...(good.data ?? []), 0) }, show]],
  ])('is refused with %s', (_, instructions) => {
    expect(failure(...instructions)).toBe('NotRecipient');
  });

  it('is refused with a signature that does not verify', () => {
    for (const place of [16, 50, 120]) expect(failure(changed(place), show)).toBeDefined();
  });

  it('is refused from the second on after the signature has expired', () => {
    for (const expiresAt of [world.now - 1n, 0n]) {
      expect(failure(showing(first, expiresAt), show)).toBe('AuthorisationExpired');
    }
    must(world.sendToLayer(showing(first, world.now), show));
  });

  it('is refused where the slot is not the owner’s, by whoever signs', () => {
    const thief = keyed('thief');
    for (const [holder, error] of [
      [{ ...first, slot: second.slot }, 'NotOwner'],
      [{ ...first, slot: 100 }, 'NotOwner'],
      [{ ...first, slot: 240 }, 'InvalidAccount'],
    ] as const) {
      expect(failure(good, build.showBalance(holder))).toBe(error);
    }
    const stolen = { ...first, recipient: thief };
    expect(failure(showing(stolen), build.showBalance(stolen))).toBe('NotRecipient');
  });

  it('shows nobody a slot for the owner that they say it has', () => {
    const other = done(claimPayment);
    const holder = holderIn(other);
    placeBalance(other.world, holder, { owner: bytesOf(named('another owner')) });
    expect(other.world.sendToLayer(showing(holder), build.showBalance(holder)).failure).toBe('NotOwner');
  });
});
