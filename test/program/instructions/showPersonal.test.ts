import { getPersonalDecoder, readingMessage } from '@payouts/client';
import { LEDGER_PROGRAM } from '@payouts/testing/litesvm/programs';
import { must } from '@payouts/testing/litesvm/world';
import { AccountRole, type Instruction } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { READERS_TAKE, WALLET } from '../fixtures/constants.ts';
import { holderIn, paid, settle, showPersonal, wipePersonal } from '../fixtures/index.ts';
import { authorised, keyed, NEVER, showing, signedBy } from '../harness/authorisation.ts';
import { done } from '../harness/fixture.ts';
import { readPersonal } from '../harness/read.ts';
import { personalBytes } from '../harness/rent.ts';
import { effectIn } from './support/call.ts';

describe('show_personal', () => {
  const scene = paid();
  const { world } = scene;
  const [first, second] = [holderIn(scene), holderIn(scene, 1)];
  const show = build.showPersonal(first);
  const good = showing(first);
  const failure = (...instructions: readonly Instruction[]) => world.sendToLayer(...instructions).failure;

  it('returns all of the account, in two calls, to whoever has the recipient’s signature', () => {
    const later = done(settle);
    const holder = holderIn(later);
    const dueAt = later.world.now + 60n;
    for (const amount of [1n, 2n]) {
      must(later.world.sendToLayer(build.requestWithdrawal(holder, amount, WALLET, undefined, dueAt)));
    }
    const [head, rest] = [0, 1_024].map(
      (from) => must(later.world.sendToLayer(showing(holder), build.showPersonal(holder, from))).returned,
    );
    expect([head?.length, rest?.length]).toEqual([1_024, personalBytes() - 1_024]);
    const shown = Uint8Array.of(...(head ?? []), ...(rest ?? []));
    expect(shown).toEqual(later.world.layer.data(holder.personal));
    expect(getPersonalDecoder().decode(shown)).toEqual(readPersonal(later.world, holder));
  });

  it('returns nothing of what lies behind the account, and refuses what lies beyond it', () => {
    const from = (at: number) => world.sendToLayer(good, build.showPersonal(first, at));
    const last = must(from(personalBytes() - 1)).returned;
    expect(last).toEqual(world.layer.data(first.personal).slice(-1));
    expect(must(from(personalBytes())).returned).toHaveLength(0);
    for (const at of [personalBytes() + 1, 65_535]) expect(from(at).failure).toBe('InvalidData');
  });

  it('changes nothing, and needs nobody to sign the transaction', () => {
    const { changes, events } = effectIn(showPersonal);
    expect({ changes, events }).toEqual({ changes: {}, events: [] });
    expect(show.accounts.map(({ role }) => role)).toEqual([AccountRole.READONLY, AccountRole.READONLY]);
  });

  it('takes the very signature that shows the balance', () => {
    must(world.sendToLayer(good, build.showBalance(first), good, show));
  });

  const message = readingMessage(LEDGER_PROGRAM, first.owner, NEVER);

  it.each<[string, readonly Instruction[]]>([
    ['no signature', [show]],
    ['it behind', [show, good]],
    ['something between', [good, build.setStandingOrder(second, 0n, WALLET), show]],
    ['another recipient’s', [showing(second), show]],
    ['another recipient’s of this owner', [signedBy(second.recipient, message), show]],
    ['one for another owner', [signedBy(first.recipient, readingMessage(LEDGER_PROGRAM, second.owner, NEVER)), show]],
    ['one for another program', [signedBy(first.recipient, readingMessage(WALLET, first.owner, NEVER)), show]],
    ['an authorisation to act', [authorised(first.recipient, { personal: first.personal, signer: WALLET }), show]],
    ['one by somebody who has a key of their own', [signedBy(keyed('thief'), message), show]],
  ])('is refused with %s', (_, instructions) => {
    expect(failure(...instructions)).toBe('NotRecipient');
  });

  it('is refused from the second on after the signature has expired', () => {
    for (const expiresAt of [world.now - 1n, 0n]) {
      expect(failure(showing(first, expiresAt), show)).toBe('AuthorisationExpired');
    }
    must(world.sendToLayer(showing(first, world.now), show));
  });

  it('is refused of what is no personal account, and of one that was wiped', () => {
    for (const personal of [first.page.address, scene.token.counter, scene.schedule.batch]) {
      expect(failure(good, build.showPersonal({ personal }))).toBe('InvalidAccount');
    }
    const later = done(wipePersonal);
    later.world.setTime(later.world.now + READERS_TAKE);
    const holder = holderIn(later);
    expect(later.world.sendToLayer(showing(holder), build.showPersonal(holder)).failure).toBe('InvalidAccount');
  });
});
