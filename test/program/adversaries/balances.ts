import { BatchPhase } from '@payouts/client';
import { named } from '@payouts/testing/litesvm/addresses';
import { permissionOf } from '@payouts/testing/litesvm/creations';
import { type BalancePage, balancePageOf, type Holder, type Token, tokenOf } from '@payouts/testing/litesvm/handles';
import { must, type World } from '@payouts/testing/litesvm/world';
import type { Address, Instruction } from '@solana/kit';
import * as build from '../fixtures/build.ts';
import { DAY, OTHER_WALLET, REQUESTED, WALLET } from '../fixtures/constants.ts';
import * as fixtures from '../fixtures/index.ts';
import { authorised, showing } from '../harness/authorisation.ts';
import { done, type Fixture } from '../harness/fixture.ts';
import { rangeOf } from '../harness/list.ts';
import { balanceOf, liabilitiesNow, readBalancePage } from '../harness/read.ts';
import { batchBytes, counterBytes, placeBalance, placeInLayer, placePage } from '../harness/write.ts';
import { lost } from '../instructions/support/loss.ts';
import { addSchedule, openWith } from '../instructions/support/scenes.ts';
import { open, pay } from '../instructions/support/window.ts';
import { type Attempt, attempt, bounded } from './attempt.ts';

const { holderIn } = fixtures;

/** Copies an account of the layer to another address, with other bytes. */
function copied(world: World, from: Address, to: Address, change: (data: Uint8Array) => Uint8Array): void {
  const state = world.layer.account(from);
  if (state === undefined) throw new Error(`the layer has no account at ${from}`);
  world.layer.place({ ...state, address: to, data: change(state.data) });
}

/** Another token, with a counter and a page that are like the first one's. */
function otherToken(world: World, { token, page }: Holder): { readonly token: Token; readonly page: BalancePage } {
  const other = tokenOf(named('another mint'), token.program);
  copied(world, token.counter, other.counter, (data) => counterBytes(data, { mint: other.mint }));
  const copy = { ...page, token: other, address: named('a page of another token') };
  copied(world, page.address, copy.address, (data) => data);
  placePage(world, copy, { mint: other.mint });
  return { token: other, page: copy };
}

/** The call with another account in the place of one. */
const instead = (call: Instruction, address: Address, other: Address): Instruction => ({
  ...call,
  accounts: (call.accounts ?? []).map((meta) => (meta.address === address ? { ...meta, address: other } : meta)),
});

/** A call about a batch that says that its window is over. */
function closed(fixture: Fixture<fixtures.ScheduleScene>) {
  const { scene, instruction } = fixture.prepare();
  placeInLayer(scene.world, scene.schedule.batch, (data) => batchBytes(data, { phase: BatchPhase.Closed }));
  return scene.world.sendToLayer(instruction);
}

const ofPages: Attempt[] = [
  bounded(
    'execution authority',
    'pays an accomplice into the place of somebody’s balance',
    'they are left out',
    'slot of the owner',
    () => {
      const scene = done(fixtures.openPages);
      const { world, schedule, list } = scene;
      const [victim, accomplice] = [holderIn(scene), holderIn(scene, 1)];
      must(world.sendToLayer(build.claimPayment(world, schedule, rangeOf(list, 0, 1))));
      must(
        world.sendToLayer(
          build.claimPayment(
            world,
            schedule,
            rangeOf(list, 1, 1, () => victim),
          ),
        ),
      );
      const { slots } = readBalancePage(world, victim.page);
      return Buffer.from(slots[victim.slot]?.owner ?? []).equals(victim.owner) && balanceOf(world, accomplice) === 0n;
    },
  ),
  bounded(
    'employer + execution authority',
    'pay into a free place that stays free, so that its next owner has it',
    'it is left out',
    'owner who is somebody',
    () => {
      const { scene, instruction } = openWith([{ owner: new Uint8Array(32) }], 1_000n);
      must(scene.world.sendToLayer(instruction));
      const { page, slot } = holderIn(scene);
      return readBalancePage(scene.world, page).slots[slot]?.amount === 0n;
    },
  ),
  attempt('execution authority', 'pays a list in a token that is worth more', 'page of the token', () => {
    const scene = done(fixtures.openPages);
    const { world, schedule, list } = scene;
    const { page } = otherToken(world, holderIn(scene));
    return world.sendToLayer(
      build.claimPayment(
        world,
        schedule,
        rangeOf(list, 0, 1, ({ slot }) => ({ page, slot })),
      ),
    );
  }),
  attempt('execution authority', 'says of another page that it is the one it makes', 'page that was asked for', () => {
    const scene = done(fixtures.openPages);
    const { page } = holderIn(scene);
    return scene.world.sendToLayer(
      build.openPages(scene.world, scene.schedule, [{ ...page, nonce: new Uint8Array(16) }]),
    );
  }),
  attempt('execution authority', 'has a batch pay for pages that can’t pay', 'several', () => {
    const { scene, instruction } = fixtures.openPages.prepare();
    const { world, schedule } = scene;
    const batch = world.layer.account(schedule.batch);
    if (batch === undefined) throw new Error('no batch');
    world.layer.place({ ...batch, lamports: world.layer.ledger.minimumBalance(batch.data.length) });
    return world.sendToLayer(instruction);
  }),
  attempt('execution authority', 'has a batch pay for pages whose window is over', 'open batch', () =>
    closed(fixtures.openPages),
  ),
  attempt('execution authority', 'takes lamports out of a batch whose window is over', 'open batch', () =>
    closed(fixtures.fundCounter),
  ),
  attempt('execution authority', 'empties an open batch of lamports, so that it vanishes', 'rent of the batch', () => {
    const { world, schedule } = done(fixtures.claimPayment);
    const lamports = world.layer.account(schedule.batch)?.lamports ?? 0n;
    return world.sendToLayer(build.fundCounter(world, schedule, lamports));
  }),
  attempt('execution authority', 'has one token pay for what another’s ask', 'counter of the token', () => {
    const { scene, instruction } = fixtures.fundCounter.prepare();
    const { token } = otherToken(scene.world, holderIn(scene));
    return scene.world.sendToLayer(instead(instruction, scene.token.counter, token.counter));
  }),
];

const ofAccounts: Attempt[] = [
  attempt('recipient', 'opens an account for somebody else’s balance', 'owner of the slot', () => {
    const { scene } = fixtures.openPersonal.prepare();
    const mine = { ...holderIn(scene), slot: holderIn(scene, 1).slot };
    return scene.world.sendToLayer(build.openPersonal(scene.world, mine));
  }),
  attempt(
    'employer + execution authority',
    'have a delivery go to the pool, which can never be paid',
    'somebody to deliver to',
    () => {
      const { world, token, vault } = done(fixtures.deposit);
      const payee = { recipient: token.pool, amount: 1_000n, delivery: 'wallet' } as const;
      const scene = open(addSchedule({ world, token, vault }, 1n, [payee]));
      pay(scene);
      return world.sendToLayer(build.openPersonal(world, holderIn(scene), { by: world.authority }));
    },
  ),
  attempt('recipient', 'asks for what has become somebody else’s place', 'owner of the slot', () => {
    const scene = done(fixtures.settle);
    placeBalance(scene.world, holderIn(scene), { owner: holderIn(scene, 1).owner });
    return scene.world.sendToLayer(build.requestWithdrawal(holderIn(scene), REQUESTED, WALLET));
  }),
  attempt('recipient', 'hides an account from the execution authority', 'reader that is named', () => {
    const { scene, instruction } = fixtures.openPersonal.prepare();
    const { world } = scene;
    return world.sendToLayer(instead(instruction, world.authority, world.stranger));
  }),
  attempt(
    'stranger',
    'sends lamports to where an account’s readers are to be named, to read it',
    'private from the first moment',
    () => {
      const { scene, instruction } = fixtures.openPersonal.prepare();
      scene.world.base.fund(permissionOf(holderIn(scene).personal), 1_000_000n);
      return scene.world.sendToLayer(instruction);
    },
  ),
  attempt('recipient', 'has room made for more withdrawals than is paid for', 'room for withdrawals', () => {
    const { scene } = fixtures.openPersonal.prepare();
    return scene.world.sendToLayer(build.openPersonal(scene.world, holderIn(scene), { withdrawals: 17 }));
  }),
  attempt(
    'execution authority',
    'hides an account from its recipient, by a number that a page can’t note',
    'number of the account',
    () => {
      const { scene } = fixtures.openPersonal.prepare();
      const { world } = scene;
      return world.sendToLayer(build.openPersonal(world, holderIn(scene), { by: world.authority, made: 32_767 }));
    },
  ),
  attempt('recipient', 'has another token’s counter pay for an account', 'several', () => {
    const { scene, instruction } = fixtures.openPersonal.prepare();
    const { token } = otherToken(scene.world, holderIn(scene));
    return scene.world.sendToLayer(instead(instruction, scene.token.counter, token.counter));
  }),
  attempt('recipient', 'has the token pay for account after account of one balance', 'one account a balance', () => {
    const scene = done(fixtures.openPersonal);
    return scene.world.sendToLayer(build.openPersonal(scene.world, holderIn(scene), { made: 1 }));
  }),
  attempt(
    'execution authority',
    'closes an account and leaves its read permission, which the token has paid',
    'permission of the closing',
    () => {
      const { scene, instruction } = fixtures.closePersonal.prepare();
      const [own, other] = [holderIn(scene), holderIn(scene, 1)].map(({ personal }) => permissionOf(personal));
      return scene.world.sendToLayer(instead(instruction, own as Address, other as Address));
    },
  ),
  attempt(
    'execution authority',
    'wipes an account in another page, where the owner has the same slot',
    'page of the wiping',
    () => {
      const { scene } = fixtures.wipePersonal.prepare();
      const { world, token } = scene;
      const holder = holderIn(scene);
      const page = balancePageOf(token, 1);
      copied(world, holder.page.address, page.address, (data) => data);
      return world.sendToLayer(build.wipePersonal(world, { ...holder, page }));
    },
  ),
  attempt(
    'execution authority',
    'wipes an account with a withdrawal that the base has not paid',
    'nothing left in the account',
    () => {
      const { scene, instruction } = fixtures.wipePersonal.prepare();
      must(scene.world.sendToLayer(build.requestWithdrawal(holderIn(scene), REQUESTED, WALLET)));
      return scene.world.sendToLayer(instruction);
    },
  ),
  attempt(
    'recipient',
    'has account after account made and wiped, for all of which the token pays',
    'age of what is wiped',
    () => {
      const scene = done(fixtures.openPersonal);
      return scene.world.sendToLayer(build.wipePersonal(scene.world, holderIn(scene)));
    },
  ),
  attempt(
    'stranger',
    'reads an account right before it is closed, and asks who may read it right after',
    'time between wiping and closing',
    () => {
      const scene = done(fixtures.wipePersonal);
      return scene.world.sendToLayer(build.closePersonal(scene.world, holderIn(scene)));
    },
  ),
  attempt('execution authority', 'gives the rent of an account to another token', 'counter that paid', () => {
    const { scene, instruction } = fixtures.closePersonal.prepare();
    const { token } = otherToken(scene.world, holderIn(scene));
    return scene.world.sendToLayer(instead(instruction, scene.token.counter, token.counter));
  }),
];

/** A scene in which somebody wants to see the first recipient's balance. */
function looking() {
  const scene = done(fixtures.claimPayment);
  return { ...scene, holder: holderIn(scene), show: build.showBalance(holderIn(scene)) };
}

const ofReaders: Attempt[] = [
  attempt('stranger', 'has a balance shown of which they know all but the signature', 'signature of the reader', () => {
    const { world, show } = looking();
    return world.sendToLayer(show);
  }),
  attempt('employer', 'has a balance shown by their own signature', 'several', () => {
    const scene = looking();
    const other = holderIn(scene, 1);
    return scene.world.sendToLayer(showing({ ...scene.holder, recipient: other.recipient }), scene.show);
  }),
  attempt('stranger', 'has a balance shown again by an old signature', 'lapse of an authorisation', () => {
    const { world, holder, show } = looking();
    const old = showing(holder, world.now);
    must(world.sendToLayer(old, show));
    world.setTime(world.now + 1n);
    return world.sendToLayer(old, show);
  }),
  attempt('stranger', 'has a balance shown by what was signed to act on it', 'words of a signature', () => {
    const { world, holder, show } = looking();
    const { recipient, personal } = holder;
    return world.sendToLayer(authorised(recipient, { personal, signer: world.stranger }), show);
  }),
  attempt('stranger', 'acts on a balance by what was signed to show it', 'words of a signature', () => {
    const scene = done(fixtures.settle);
    const { world } = scene;
    const call = build.requestWithdrawal(holderIn(scene), REQUESTED, OTHER_WALLET, world.stranger);
    return world.sendToLayer(showing(holderIn(scene)), call);
  }),
  attempt('stranger', 'has shown what somebody has asked, whose account they know', 'signature of who asked', () => {
    const { scene, instruction } = fixtures.showPersonal.prepare();
    return scene.world.sendToLayer(instruction);
  }),
  attempt(
    'recipient',
    'has shown what somebody else has asked, by their own signature',
    'signature of who asked',
    () => {
      const { scene, instruction } = fixtures.showPersonal.prepare();
      return scene.world.sendToLayer(showing(holderIn(scene, 1)), instruction);
    },
  ),
  attempt('recipient', 'has somebody else’s place shown as their own', 'owner of the slot', () => {
    const scene = looking();
    const mine = { ...scene.holder, slot: holderIn(scene, 1).slot };
    return scene.world.sendToLayer(showing(mine), build.showBalance(mine));
  }),
];

const ofWithdrawals: Attempt[] = [
  attempt('recipient', 'takes out more than the balance', 'several', () => {
    const scene = done(fixtures.settle);
    return scene.world.sendToLayer(build.requestWithdrawal(holderIn(scene), 1_001n, WALLET));
  }),
  attempt('recipient', 'asks twice for one balance, later', 'what the others leave', () => {
    const scene = done(fixtures.settle);
    const { world } = scene;
    const later = world.now + BigInt(DAY);
    const ask = build.requestWithdrawal(holderIn(scene), REQUESTED, WALLET, undefined, later);
    must(world.sendToLayer(ask));
    return world.sendToLayer(ask);
  }),
  attempt('employer + recipient', 'take out one token by a balance of another', 'page of the account', () => {
    const scene = done(fixtures.settle);
    const { world } = scene;
    const holder = holderIn(scene);
    const { page } = otherToken(world, holder);
    placeBalance(world, { ...holder, page }, { amount: 1_000_000n });
    return world.sendToLayer(build.requestWithdrawal({ ...holder, page }, 9_000n, WALLET));
  }),
  attempt('execution authority', 'releases a withdrawal before the time that was drawn', 'time of release', () => {
    const scene = done(fixtures.settle);
    const { world } = scene;
    const later = world.now + BigInt(DAY);
    must(world.sendToLayer(build.requestWithdrawal(holderIn(scene), REQUESTED, WALLET, undefined, later)));
    world.setTime(later - 1n);
    return world.sendToLayer(build.executeOrder(world, holderIn(scene), 0n, 1));
  }),
  attempt('execution authority', 'begins a part without the money for it', 'money for what stands ready', () => {
    const scene = done(fixtures.settle);
    const { world } = scene;
    must(world.sendToLayer(build.requestParts(holderIn(scene), 1_001n, [WALLET], undefined, 1)));
    return world.sendToLayer(build.executeOrder(world, holderIn(scene), 0n, 1));
  }),
  attempt('execution authority', 'sends a balance to its recipient’s wallet unasked', 'nothing leaves unasked', () => {
    const scene = done(fixtures.settle);
    return scene.world.sendToLayer(build.executeOrder(scene.world, holderIn(scene)));
  }),
  attempt('recipient', 'redeems a withdrawal that the base has paid', 'not what the base has paid', () => {
    const scene = done(fixtures.confirmWithdrawal);
    const { world, list } = scene;
    const tree = liabilitiesNow(world, list.holders, []);
    world.deliver();
    lost(scene, tree);
    return world.base.send(build.redeem(world, holderIn(scene), tree.balance(fixtures.withdrawalIn(tree))));
  }),
];

/** Who would come by others' balances, see them, or keep them from their owners. */
export const ofBalances: Attempt[] = [...ofPages, ...ofAccounts, ...ofReaders, ...ofWithdrawals];
