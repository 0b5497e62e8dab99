import { bytesOf } from '@payouts/testing/litesvm/addresses';
import { balancePageOf, personalOf } from '@payouts/testing/litesvm/handles';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { READERS_TAKE, RECOVERY_WALLET, WALLET } from '../fixtures/constants.ts';
import { holderIn, openPersonal, paid, type ScheduleScene, settle, wipePersonal } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { readersOf } from '../harness/permissions.ts';
import { balanceOf, readBalancePage, readWiped, withdrawalsOf } from '../harness/read.ts';
import { PAGE_RENT, personalBytes } from '../harness/rent.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { confirm, withdrawTo } from './support/withdrawal.ts';

const wipe = (scene: ScheduleScene, index = 0) => build.wipePersonal(scene.world, holderIn(scene, index));
const pass = ({ world }: ScheduleScene, seconds = READERS_TAKE) => world.setTime(world.now + seconds);

describe('wipe_personal', () => {
  it('leaves token, nonce and time of an account in which nothing is left, and zeros; the balance stays', () => {
    const { scene, changes, events } = effectIn(wipePersonal);
    const { world, token } = scene;
    const holder = holderIn(scene);
    expect(Object.keys(changes)).toEqual(['page', 'personal']);
    // The number stays: the next account has another one, as a rule.
    const others = Array<number>(239).fill(0);
    expect(changes.page).toEqual({
      personal: [
        [0x8001, ...others],
        [1, ...others],
      ],
    });
    expect(events).toEqual([]);
    const { mint, nonce, wipedAt } = readWiped(world, holder);
    expect([mint, wipedAt]).toEqual([token.mint, world.now]);
    expect(Buffer.from(nonce).equals(holder.nonce)).toBe(true);
    const data = world.layer.data(holder.personal);
    expect(data).toHaveLength(personalBytes());
    expect(data.subarray(64).every((byte) => byte === 0)).toBe(true);
    expect(balanceOf(world, holder)).toBe(1_000n);
  });

  it('leaves nothing that says whose it was, of whatever was asked of it', () => {
    const scene = done(settle);
    const { world } = scene;
    const holder = holderIn(scene);
    withdrawTo(scene, 0, 1n, 600n, WALLET);
    confirm(scene, 0, 1n);
    must(world.sendToLayer(build.setStandingOrder(holder, 1n << 60n, WALLET)));
    must(world.sendToLayer(build.setStandingOrder(holder, 0n, WALLET)));
    pass(scene);
    must(world.sendToLayer(wipe(scene)));
    const data = Buffer.from(world.layer.data(holder.personal));
    for (const said of [bytesOf(holder.recipient), holder.owner, bytesOf(holder.page.address), bytesOf(WALLET)]) {
      expect(data.includes(Buffer.from(said))).toBe(false);
    }
  });

  it('keeps the read permission', () => {
    const { scene } = effectIn(wipePersonal);
    expect(readersOf(scene.world, holderIn(scene).personal)).toHaveLength(2);
  });

  it('lets the balance have another account at once, whose withdrawals begin at their first number', () => {
    const scene = done(settle);
    const { world } = scene;
    const holder = holderIn(scene);
    withdrawTo(scene, 0, 1n, 600n, WALLET);
    confirm(scene, 0, 1n);
    pass(scene);
    must(world.sendToLayer(wipe(scene)));
    must(world.sendToLayer(build.openPersonal(world, holder, { made: 1 })));
    const next = { ...holder, personal: personalOf(holder, 1).address };
    must(world.sendToLayer(build.requestWithdrawal(next, 100n, WALLET)));
    expect(withdrawalsOf(world, next)).toMatchObject([{ id: 1, number: 2n, amount: 100n }]);
  });

  it('is refused within a minute after the account was made: others pay for each', () => {
    const scene = done(openPersonal);
    expect(refusal(wipePersonal, scene, wipe(scene))).toBe('PersonalTooRecent');
    pass(scene, READERS_TAKE - 1n);
    expect(refusal(wipePersonal, scene, wipe(scene))).toBe('PersonalTooRecent');
    pass(scene, 1n);
    effectOf(wipePersonal, scene, wipe(scene));
  });

  it('leaves nothing that anybody can use, nor wipe again', () => {
    const { scene } = effectIn(wipePersonal);
    const { world } = scene;
    const holder = holderIn(scene);
    pass(scene);
    for (const call of [
      wipe(scene),
      build.requestWithdrawal(holder, 1n, WALLET),
      build.setStandingOrder(holder, 1n, WALLET),
      build.nameRecovery(holder, RECOVERY_WALLET),
      build.executeOrder(world, holder),
    ]) {
      expect(refusal(wipePersonal, scene, call)).toBe('InvalidAccount');
    }
  });

  it('refuses another page than the balance’s', () => {
    const scene = paid();
    const { world, schedule } = scene;
    const other = balancePageOf(scene.token, 1);
    const state = world.layer.account(schedule.batch);
    if (state === undefined) throw new Error('no batch');
    world.layer.place({ ...state, lamports: state.lamports + PAGE_RENT });
    must(world.sendToLayer(build.openPages(world, schedule, [other])));
    pass(scene);
    const withPage = build.wipePersonal(world, { ...holderIn(scene), page: other });
    expect(refusal(wipePersonal, scene, withPage)).toBe('InvalidAccount');
    expect(readBalancePage(world, other).personal.every((noted) => noted === 0)).toBe(true);
  });

  it.each<[string, (scene: ScheduleScene) => void]>([
    [
      'a withdrawal has its number',
      (scene) => {
        must(scene.world.sendToLayer(build.requestWithdrawal(holderIn(scene), 1n, WALLET)));
      },
    ],
    [
      'a withdrawal waits',
      (scene) => {
        const later = scene.world.now + 60n;
        must(scene.world.sendToLayer(build.requestWithdrawal(holderIn(scene), 1n, WALLET, undefined, later)));
      },
    ],
    [
      'an order stands',
      (scene) => {
        must(scene.world.sendToLayer(build.setStandingOrder(holderIn(scene), 1n << 60n, WALLET)));
      },
    ],
    [
      'a recovery wallet is named',
      (scene) => {
        must(scene.world.sendToLayer(build.nameRecovery(holderIn(scene), RECOVERY_WALLET)));
      },
    ],
  ])('refuses as long as %s', (_, make) => {
    const scene = done(settle);
    make(scene);
    pass(scene);
    expect(refusal(wipePersonal, scene, wipe(scene))).toBe('WithdrawalUnderWay');
  });

  it('refuses a delivery’s: it stays for what comes', () => {
    const scene = done(settle);
    pass(scene);
    expect(refusal(wipePersonal, scene, wipe(scene, 3))).toBe('WithdrawalUnderWay');
  });
});
