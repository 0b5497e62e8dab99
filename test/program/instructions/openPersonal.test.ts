import { bytesOf, named } from '@payouts/testing/litesvm/addresses';
import { permissionOf } from '@payouts/testing/litesvm/creations';
import { personalOf } from '@payouts/testing/litesvm/handles';
import { LEDGER_PROGRAM } from '@payouts/testing/litesvm/programs';
import { must } from '@payouts/testing/litesvm/world';
import type { Address } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { READERS_TAKE, REQUESTED, WALLET } from '../fixtures/constants.ts';
import { deposit, fundCounter, holderIn, openPersonal, type ScheduleScene, settle } from '../fixtures/index.ts';
import { authorised } from '../harness/authorisation.ts';
import { done } from '../harness/fixture.ts';
import { permissionRent, readersOf } from '../harness/permissions.ts';
import { balanceOf, withdrawalsOf } from '../harness/read.ts';
import { personalBytes, personalRent } from '../harness/rent.ts';
import { placeBalance, placePage } from '../harness/write.ts';
import { created, effectIn, effectOf, refusal } from './support/call.ts';
import { addSchedule, replaceAuthority } from './support/scenes.ts';
import { NOBODY, open as openWindow, pay } from './support/window.ts';

/** Delivery's place among the list's. */
const DELIVERED = 3;

const open = (scene: ScheduleScene, terms: build.PersonalTerms = {}, index = 0) =>
  build.openPersonal(scene.world, holderIn(scene, index), terms);

/** What a page notes of personal accounts: of the first slot this, of the others nothing. */
const noted = (first: number) => Array.from({ length: 240 }, (_, slot) => (slot === 0 ? first : 0));

/** Leaves the counter so many lamports beside those that it needs itself. */
function leave({ world, token }: ScheduleScene, lamports: bigint): void {
  const state = world.layer.account(token.counter);
  if (state === undefined) throw new Error('no counter');
  world.layer.place({ ...state, lamports: world.layer.ledger.minimumBalance(state.data.length) + lamports });
}

describe('open_personal', () => {
  it('makes an account in which nothing is asked for yet, for lamports of the counter', () => {
    const scene = done(fundCounter);
    const { changes, events } = effectOf(openPersonal, scene, open(scene));
    const { owner, recipient, token, page, nonce } = holderIn(scene);
    expect(changes).toEqual({
      page: { personal: [noted(0), noted(0x8001)] },
      counter: { lamports: -personalRent() },
      ephemeralVault: { lamports: expect.any(BigInt) },
      personal: {
        ...created(13, personalBytes()),
        bump: expect.any(Number),
        mint: token.mint,
        owner,
        recipient,
        page: page.address,
        nonce,
        nextId: 1,
        madeAt: scene.world.now,
      },
    });
    expect(events).toEqual([{ __kind: 'PersonalOpened' }]);
  });

  it('says of a delivery that something is to leave by itself', () => {
    const scene = done(fundCounter);
    const { changes } = effectOf(openPersonal, scene, open(scene, { by: scene.world.authority }, DELIVERED));
    expect(changes.personal).toMatchObject({ delivery: 1, watched: 1, slot: DELIVERED });
  });

  it.each([1, 2, 16])('has room for %i withdrawals at a time, as asked', (withdrawals) => {
    const scene = done(fundCounter);
    const { changes } = effectOf(openPersonal, scene, open(scene, { withdrawals }));
    expect(changes.personal).toMatchObject({ size: personalBytes(withdrawals) });
    expect(changes.counter).toEqual({ lamports: -personalRent(withdrawals) });
  });

  it('is the recipient’s to call, whoever they have authorised, and the execution authority’s', () => {
    const scene = done(fundCounter);
    const { world } = scene;
    const key = named('key for one transaction');
    const { recipient, personal } = holderIn(scene);
    must(world.sendToLayer(authorised(recipient, { personal, signer: key }), open(scene, { by: key })));
    must(world.sendToLayer(open(scene, { by: world.authority }, 1)));
    for (const by of [world.stranger, recipient, key, scene.vault.employer, world.governance]) {
      expect(refusal(openPersonal, scene, open(scene, { by }, 2))).toBe('NotRecipient');
    }
    const other = holderIn(scene, 2);
    const wrong = authorised(recipient, { personal: other.personal, signer: key });
    expect(world.sendToLayer(wrong, open(scene, { by: key }, 2)).failure).toBe('NotRecipient');
  });

  it('refuses an authorisation for another account of the balance, and one that has expired', () => {
    const scene = done(fundCounter);
    const { world } = scene;
    const key = named('key for one transaction');
    const { recipient, personal } = holderIn(scene);
    const good = authorised(recipient, { personal, signer: key });
    expect(world.sendToLayer(good, open(scene, { by: key, made: 1 })).failure).toBe('NotRecipient');
    const old = authorised(recipient, { personal, signer: key, expiresAt: world.now - 1n });
    expect(world.sendToLayer(old, open(scene, { by: key })).failure).toBe('AuthorisationExpired');
  });

  it('is private where it is to be: the execution authority alone may read it, and its permission names nobody else', () => {
    const { scene, changes } = effectIn(openPersonal);
    const { world, token } = scene;
    const { personal } = holderIn(scene);
    expect(changes.counter).toEqual({ lamports: -personalRent() - permissionRent(1) });
    expect(readersOf(world, personal)?.map(([reader]) => reader)).toEqual([LEDGER_PROGRAM, world.authority]);
    expect(readersOf(world, token.counter)).toBeUndefined();
  });

  it('names the present execution authority, and no other', () => {
    const scene = done(fundCounter);
    const { world } = scene;
    const former = world.authority;
    const successor = named('another execution authority');
    const call = open(scene, { isPrivate: true });
    const naming = (to: typeof former) => ({
      ...call,
      accounts: (call.accounts ?? []).map((meta) => (meta.address === former ? { ...meta, address: to } : meta)),
    });
    expect(refusal(openPersonal, scene, naming(world.stranger))).toBe('InvalidAccount');
    replaceAuthority(world, successor);
    expect(refusal(openPersonal, scene, call)).toBe('InvalidAccount');
    effectOf(openPersonal, scene, naming(successor));
    expect(readersOf(world, holderIn(scene).personal)?.[1]?.[0]).toBe(successor);
  });

  it('refuses a private account whose permission can’t be made: nobody else is to read it for a moment', () => {
    const scene = done(fundCounter);
    const { world } = scene;
    world.base.fund(permissionOf(holderIn(scene).personal), 1_000_000n);
    expect(refusal(openPersonal, scene, open(scene, { isPrivate: true }))).toBe('PermissionNotSet');
    effectOf(openPersonal, scene, open(scene, { isPrivate: true, made: 1 }));
  });

  it('takes another number where somebody has sent lamports ahead', () => {
    const scene = done(settle);
    const { world } = scene;
    const fifth = holderIn(scene, 4);
    placeBalance(world, fifth, { owner: fifth.owner, amount: 500n });
    world.base.fund(fifth.personal, 1_000_000n);
    expect(refusal(openPersonal, scene, open(scene, {}, 4))).toBeDefined();
    const { changes } = effectOf(openPersonal, scene, open(scene, { made: 1 }, 4));
    expect(changes.personal).toMatchObject({ created: true });
    const other = { ...fifth, personal: personalOf(fifth, 1).address };
    must(world.sendToLayer(build.requestWithdrawal(other, 500n, WALLET)));
    expect(balanceOf(world, fifth)).toBe(0n);
    expect(withdrawalsOf(world, other)).toMatchObject([{ number: 1n, amount: 500n }]);
  });

  it('makes one account of a balance, whatever the number, for others pay for it; another when that is wiped', () => {
    const scene = done(openPersonal);
    const { world } = scene;
    for (const terms of [{ made: 1 }, { made: 1, by: world.authority }, { made: 1, isPrivate: true }]) {
      expect(refusal(openPersonal, scene, open(scene, terms))).toBe('PersonalExists');
    }
    effectOf(openPersonal, scene, open(scene, { made: 1 }, 1));
    world.setTime(world.now + READERS_TAKE);
    must(world.sendToLayer(build.wipePersonal(world, holderIn(scene))));
    // The former one is still there, and is not made another's.
    expect(refusal(openPersonal, scene, open(scene))).toBeDefined();
    effectOf(openPersonal, scene, open(scene, { made: 1 }));
    expect(refusal(openPersonal, scene, open(scene, { made: 2 }))).toBe('PersonalExists');
  });

  it('is there once: a second call finds it and changes nothing', () => {
    const scene = done(openPersonal);
    must(scene.world.sendToLayer(build.requestWithdrawal(holderIn(scene), REQUESTED, WALLET)));
    expect(refusal(openPersonal, scene, open(scene))).toBe('PersonalExists');
    expect(refusal(openPersonal, scene, open(scene, { withdrawals: 1 }))).toBe('PersonalExists');
    expect(withdrawalsOf(scene.world, holderIn(scene))).toHaveLength(1);
  });

  it('needs all of the rent in the counter, to the lamport, beside the counter’s own', () => {
    const scene = done(fundCounter);
    leave(scene, personalRent() - 1n);
    expect(refusal(openPersonal, scene, open(scene))).toBe('SponsorShort');
    leave(scene, personalRent());
    effectOf(openPersonal, scene, open(scene));
  });

  describe('refuses', () => {
    const scene = done(fundCounter);
    const { world, token } = scene;
    const first = holderIn(scene);
    const second = holderIn(scene, 1);
    const by = first.recipient;
    const opened = (change: Partial<typeof first>) => build.openPersonal(world, { ...first, ...change }, { by });
    it.each<[string, ReturnType<typeof opened>, string]>([
      ['a slot that is another owner’s', opened({ slot: second.slot }), 'NotOwner'],
      ['a slot that is nobody’s', opened({ slot: 100 }), 'NotOwner'],
      ['a slot beyond the page', opened({ slot: 240 }), 'InvalidAccount'],
      ['an opening that is another’s', opened({ opening: second.opening }), 'NotOwner'],
      ['a delivery that is not the slot’s', opened({ delivery: 'wallet' }), 'NotOwner'],
      [
        'another recipient of the slot',
        build.openPersonal(world, { ...second, owner: first.owner, slot: 0 }),
        'NotOwner',
      ],
      ['no room for a withdrawal', open(scene, { withdrawals: 0 }), 'InvalidData'],
      ['room for more than sixteen', open(scene, { withdrawals: 17 }), 'InvalidData'],
    ])('%s', (_, instruction, error) => {
      expect(refusal(openPersonal, scene, instruction)).toBe(error);
    });

    it.each(['the pool', 'nobody'])('a delivery to %s', (whom) => {
      const { world, token, vault } = done(deposit);
      const recipient = whom === 'nobody' ? NOBODY : token.pool;
      const scene = addSchedule({ world, token, vault }, 1n, [{ recipient, amount: 10n, delivery: 'wallet' }]);
      openWindow(scene);
      pay(scene);
      expect(refusal(openPersonal, scene, open(scene, { by: world.authority }))).toBe('InvalidWallet');
    });

    it('a delivery, or a privacy, that there is not', () => {
      const call = open(scene);
      const data = Uint8Array.from(call.data ?? []);
      for (const at of [49, data.length - 1]) {
        expect(refusal(openPersonal, scene, { ...call, data: data.with(at, 2) })).toBe('InvalidData');
      }
    });

    it('a number that there is not', () => {
      for (const made of [-1, 32_767, 65_534]) {
        expect(refusal(openPersonal, scene, open(scene, { made }))).toBe('InvalidData');
      }
    });

    it('an address that does not follow from page, owner and number', () => {
      const call = open(scene);
      for (const other of [open(scene, { made: 1 }), open(scene, {}, 1)]) {
        const address = (other.accounts ?? [])[3]?.address as Address;
        const accounts = (call.accounts ?? []).map((meta, place) => (place === 3 ? { ...meta, address } : meta));
        expect(refusal(openPersonal, scene, { ...call, accounts })).toBe('InvalidAddress');
      }
    });

    it('a page of another token than the counter’s', () => {
      placePage(world, first.page, { mint: named('another mint') });
      expect(refusal(openPersonal, scene, open(scene))).toBe('InvalidAccount');
      placePage(world, first.page, { mint: token.mint });
    });
  });

  it('takes any number of those that there are, the greatest, too', () => {
    const scene = done(fundCounter);
    const { changes } = effectOf(openPersonal, scene, open(scene, { made: 32_766 }));
    expect(changes.page).toEqual({ personal: [noted(0), noted(0xffff)] });
  });

  it('says where the balance is, whoever else has a slot', () => {
    const { scene, instruction } = openPersonal.prepare();
    const { world } = scene;
    const first = holderIn(scene);
    placeBalance(world, { ...first, slot: 239 }, { owner: first.owner, amount: 1n });
    placeBalance(world, first, { owner: bytesOf(named('another owner')) });
    expect(refusal(openPersonal, scene, instruction)).toBe('NotOwner');
    const { changes } = effectOf(openPersonal, scene, build.openPersonal(world, { ...first, slot: 239 }));
    expect(changes.personal).toMatchObject({ slot: 239, page: first.page.address });
  });
});
