import { named } from '@payouts/testing/litesvm/addresses';
import { permissionOf } from '@payouts/testing/litesvm/creations';
import { balancePageOf } from '@payouts/testing/litesvm/handles';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { RECOVERY_WALLET, WALLET } from '../fixtures/constants.ts';
import { closePersonal, holderIn, openPersonal, paid, type ScheduleScene, settle } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { permissionRent, readersOf } from '../harness/permissions.ts';
import { balanceOf, withdrawalsOf } from '../harness/read.ts';
import { PAGE_RENT, personalRent } from '../harness/rent.ts';
import { placePersonal } from '../harness/write.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';
import { confirm, withdrawTo } from './support/withdrawal.ts';

const close = (scene: ScheduleScene, index = 0) => build.closePersonal(scene.world, holderIn(scene, index));

describe('close_personal', () => {
  it('closes an account in which nothing is left, whose rent goes back to the counter; the balance stays', () => {
    const { scene, changes, events } = effectIn(closePersonal);
    expect(changes).toEqual({
      page: { hasPersonal: [new Uint8Array(248).fill(1, 0, 1), new Uint8Array(248)] },
      personal: { removed: true },
      permission: { removed: true },
      counter: { lamports: personalRent() + permissionRent(2) },
    });
    expect(events).toEqual([]);
    expect(balanceOf(scene.world, holderIn(scene))).toBe(1_000n);
  });

  it('leaves nothing behind: it can be opened again, and its withdrawals begin at their first number', () => {
    const scene = done(settle);
    const { world } = scene;
    withdrawTo(scene, 0, 1n, 600n, WALLET);
    confirm(scene, 0, 1n);
    must(world.sendToLayer(close(scene)));
    must(world.sendToLayer(build.openPersonal(world, holderIn(scene))));
    must(world.sendToLayer(build.requestWithdrawal(holderIn(scene), 100n, WALLET)));
    expect(withdrawalsOf(world, holderIn(scene))).toMatchObject([{ id: 1, number: 2n, amount: 100n }]);
  });

  it('closes the read permission with it, and needs none where there is none', () => {
    const scene = paid();
    const { world } = scene;
    const first = holderIn(scene);
    must(world.sendToLayer(close(scene)));
    must(world.sendToLayer(build.openPersonal(world, first, { isPrivate: true })));
    expect(readersOf(world, first.personal)).toHaveLength(3);
    must(world.sendToLayer(close(scene)));
    expect([first.personal, permissionOf(first.personal)].map((each) => world.layer.keeps(each))).toEqual([
      false,
      false,
    ]);
  });

  it('refuses another page than the balance’s, and another account’s permission', () => {
    const scene = paid();
    const { world, schedule } = scene;
    const [first, second] = [holderIn(scene), holderIn(scene, 1)];
    const other = balancePageOf(scene.token, 1);
    const state = world.layer.account(schedule.batch);
    if (state === undefined) throw new Error('no batch');
    world.layer.place({ ...state, lamports: state.lamports + PAGE_RENT });
    must(world.sendToLayer(build.openPages(world, schedule, [other])));
    const withPage = build.closePersonal(world, { ...first, page: other });
    expect(refusal(closePersonal, scene, withPage)).toBe('InvalidAccount');
    for (const [place, { personal }] of [first, second].entries()) {
      must(world.sendToLayer(close(scene, place)));
      must(world.sendToLayer(build.openPersonal(world, holderIn(scene, place), { isPrivate: true })));
      expect(readersOf(world, personal)).toHaveLength(3);
    }
    const call = close(scene);
    // One that is there, and one that is not: the account's own would be left behind.
    for (const { personal } of [second, holderIn(scene, 2)]) {
      const accounts = call.accounts.map((meta) =>
        meta.address === permissionOf(first.personal) ? { ...meta, address: permissionOf(personal) } : meta,
      );
      expect(refusal(closePersonal, scene, { ...call, accounts } as never)).toBe('InvalidAddress');
    }
    effectOf(closePersonal, scene, call);
  });

  it.each<[string, (scene: ScheduleScene) => void]>([
    [
      'a withdrawal has its number',
      ({ world, list }) => {
        must(world.sendToLayer(build.requestWithdrawal(list.holders[0] as never, 1n, WALLET)));
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
    expect(refusal(closePersonal, scene, close(scene))).toBe('WithdrawalUnderWay');
  });

  it('refuses a delivery’s: it stays for what comes', () => {
    const scene = done(settle);
    expect(refusal(closePersonal, scene, close(scene, 3))).toBe('WithdrawalUnderWay');
  });

  it('refuses a closing by the recipient, or with another token’s counter', () => {
    const scene = done(openPersonal);
    const { world } = scene;
    const call = close(scene);
    const by = holderIn(scene).recipient;
    const accounts = call.accounts.map((meta) => (meta.address === world.authority ? { ...meta, address: by } : meta));
    expect(refusal(closePersonal, scene, { ...call, accounts } as never)).toBe('NotExecutionAuthority');
    placePersonal(world, holderIn(scene), { mint: named('another mint') });
    expect(refusal(closePersonal, scene, call)).toBe('InvalidAccount');
  });
});
