import { Buffer } from 'node:buffer';
import { named } from '@payouts/testing/litesvm/addresses';
import { escrowOf } from '@payouts/testing/litesvm/delegation';
import { holderOf, scheduleOf, type Token } from '@payouts/testing/litesvm/handles';
import { must } from '@payouts/testing/litesvm/world';
import type { Instruction } from '@solana/kit';
import * as build from '../fixtures/build.ts';
import { DAY, FIRST, LIMITS, PAYEES, POLICY, REQUESTED, SUCCESSOR, TIMEOUT, WALLET } from '../fixtures/constants.ts';
import { actionOf } from '../fixtures/delegationProgram.ts';
import * as fixtures from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { LiabilityTree } from '../harness/liabilities.ts';
import { rangeOf } from '../harness/list.ts';
import { heldOf, liabilitiesNow, recordNow } from '../harness/read.ts';
import { batchBytes } from '../harness/write.ts';
import { addSchedule, configure, scheduled, turnToOther } from '../instructions/support/scenes.ts';
import { complete } from '../instructions/support/window.ts';
import { type Attempt, attempt, signedInstead, tried } from './attempt.ts';
import { ofBalances } from './balances.ts';
import { ofBitmaps } from './bitmaps.ts';
import { ofLamports } from './lamports.ts';
import { ofRecoveries } from './recovery.ts';
import { ofSettlements } from './settlements.ts';

/** A window whose batch the layer brings back as it likes. */
function liedAbout(change: Parameters<typeof batchBytes>[1], isOver = true) {
  const scene = done(fixtures.openPages);
  const { world, schedule, list } = scene;
  must(world.sendToLayer(build.claimPayment(world, schedule, rangeOf(list, 0, 2))));
  world.setTime(world.now + BigInt(TIMEOUT));
  must(world.sendToLayer(build.commit(world, schedule, 0n)));
  if (!isOver) world.setTime(world.now - BigInt(TIMEOUT));
  return { ...scene, back: world.bringBack(schedule.batch, batchBytes(world.layer.data(schedule.batch), change)) };
}

/** The settlement of such a window, by whoever believes what the batch says. */
function settleLie(change: Parameters<typeof batchBytes>[1], isOver = true) {
  const scene = liedAbout(change, isOver);
  const { world, schedule, back } = scene;
  if (!back.succeeded) return back;
  fixtures.recordBeforeSettlement(scene);
  return world.base.send(build.settle(world, schedule, 0n));
}

/** A withdrawal that is recorded and issued, as the validator may execute it. */
function issued() {
  const scene = done(fixtures.confirmWithdrawal);
  return {
    ...scene,
    action: actionOf(build.payOut(scene.world, scene.token, { number: 1n, amount: REQUESTED, wallet: WALLET })),
  };
}

/** A tree of one leaf that gives everything to somebody. */
const allTo = (who: string, token: Token, held: bigint) =>
  new LiabilityTree([{ holder: holderOf(named(who), token), amount: held, number: 0n }], []);

const withData = (instruction: Instruction, change: (data: Buffer) => void): Instruction => {
  const data = Buffer.from(Uint8Array.from(instruction.data ?? []));
  change(data);
  return { ...instruction, data: new Uint8Array(data) };
};

const ofLayer: Attempt[] = [
  attempt('validator', 'brings back a window that paid more than its amount', 'several', () =>
    settleLie({ paidAmount: 10_501n }),
  ),
  attempt('validator', 'brings back a window with more payments than recipients', 'paid at most the recipients', () =>
    settleLie({ paidCount: PAYEES.length + 1 }),
  ),
  attempt('validator', 'ends an incomplete window before its time', 'deadline of the base', () => settleLie({}, false)),
  attempt('validator', 'brings back the batch of another window', 'window of the batch', () =>
    settleLie({ window: 7n }),
  ),
  attempt('validator', 'brings back the batch of another schedule', 'several', () =>
    settleLie({ schedule: named('another schedule') }),
  ),
  attempt('validator', 'pays a withdrawal that no recorded root covers', 'recorded withdrawal', () => {
    const { world, token } = issued();
    return world.act(actionOf(build.payOut(world, token, { number: 2n, amount: REQUESTED, wallet: WALLET })));
  }),
  attempt('validator', 'pays one withdrawal twice', 'marked once', () => {
    const { world, action } = issued();
    must(world.act(action));
    world.setTime(world.now + 1n);
    return world.act(action);
  }),
  attempt('validator', 'pays more than the pool holds', 'several', () => {
    const { world, token } = issued();
    return world.act(
      actionOf(build.payOut(world, token, { number: 1n, amount: heldOf(world, token) + 1n, wallet: WALLET })),
    );
  }),
  attempt('validator + recipient', 'pays a recorded withdrawal with another amount', 'recorded withdrawal', () => {
    const { world, token } = issued();
    return world.act(actionOf(build.payOut(world, token, { number: 1n, amount: 9_000n, wallet: WALLET })));
  }),
  attempt('validator', 'pays a recorded withdrawal to another wallet', 'recorded withdrawal', () => {
    const { world, token } = issued();
    return world.act(
      actionOf(build.payOut(world, token, { number: 1n, amount: REQUESTED, wallet: named('accomplice') })),
    );
  }),
  attempt('another validator', 'pays an issued withdrawal through the pool’s escrow', 'pinned sender', () => {
    const { world, action } = issued();
    return world.act(action, world.otherValidator);
  }),
  attempt('another validator + recipient', 'pays themselves more through the pool’s escrow', 'several', () => {
    const { world, token } = issued();
    return world.act(
      actionOf(build.payOut(world, token, { number: 1n, amount: 3_000n, wallet: WALLET })),
      world.otherValidator,
    );
  }),
  attempt('stranger', 'calls the payment with the escrow of another account', 'several', () => {
    const { world, token } = issued();
    const call = build.payOut(world, token, { number: 1n, amount: REQUESTED, wallet: WALLET });
    const mine = escrowOf(world.stranger);
    world.base.fund(mine);
    const accounts = (call.accounts ?? []).map((meta) =>
      meta.address === token.escrow ? { ...meta, address: mine } : meta,
    );
    return world.base.send({ ...call, accounts });
  }),
];

const ofLists: Attempt[] = [
  attempt('execution authority', 'pays to a wallet what the list pays to a balance', 'proof of the list', () =>
    tried(fixtures.claimPayment, (call, { list, token }) => {
      const { owner } = holderOf(list.holders[0]?.recipient ?? WALLET, token, 'wallet');
      return withData(call, (data) => data.set(owner, 7));
    }),
  ),
  attempt('execution authority', 'pays somebody else than the list', 'proof of the list', () =>
    tried(fixtures.claimPayment, (call, { token }) =>
      withData(call, (data) => data.set(holderOf(named('accomplice'), token).owner, 7)),
    ),
  ),
  attempt('execution authority', 'raises an amount of the list', 'proof of the list', () =>
    tried(fixtures.claimPayment, (call) => withData(call, (data) => data.writeBigUInt64LE(9_999n, 7 + 32))),
  ),
  attempt('execution authority', 'opens a window twice', 'several', () => {
    const { world, schedule } = done(fixtures.delegateSchedule);
    return world.base.send(build.delegateSchedule(world, schedule, 0n));
  }),
  attempt('execution authority', 'opens a window before its time', 'due', () => {
    const { world, schedule } = done(fixtures.createSchedule);
    return world.base.send(build.delegateSchedule(world, schedule, 0n));
  }),
  attempt('execution authority', 'opens the wrong window', 'number of the window', () => {
    const { scene } = fixtures.delegateSchedule.prepare();
    return scene.world.base.send(build.delegateSchedule(scene.world, scene.schedule, 1n));
  }),
  attempt('execution authority', 'opens a window of a cancelled schedule', 'several', () => {
    const { world, schedule } = done(fixtures.cancelSchedule);
    world.setTime(world.now + 3_600n);
    return world.base.send(build.delegateSchedule(world, schedule, 0n));
  }),
  attempt('execution authority', 'commits before all are paid and before the time', 'commit in time', () => {
    const { world, schedule } = done(fixtures.delegateSchedule);
    return world.sendToLayer(build.commit(world, schedule, 0n));
  }),
  attempt('employer', 'opens a window that no approver has seen', 'active', () => {
    const { world, schedule } = fixtures.awaiting();
    world.setTime(world.now + 3_600n);
    return world.base.send(build.delegateSchedule(world, schedule, 0n));
  }),
  attempt('employer', 'takes out more than is available', 'available', () => {
    const { world, vault } = done(fixtures.createSchedule);
    return world.base.send(build.withdraw(vault, 99_999n));
  }),
  attempt('employer', 'takes out above the limit alone', 'limit of the approval', () => {
    const { world, vault } = done(fixtures.setApproval);
    return world.base.send(build.withdraw(vault, 5_001n));
  }),
  attempt('employer', 'closes a vault to go round its approver', 'policy before closing', () => {
    const { world, vault } = done(fixtures.setApproval);
    return world.base.send(build.closeVault(vault));
  }),
  attempt('employer', 'closes a schedule whose window is open', 'closed when idle', () => {
    const { world, schedule } = done(fixtures.delegateSchedule);
    must(world.base.send(build.cancelSchedule(schedule)));
    return world.base.send(build.closeSchedule(world, schedule));
  }),
];

const ofRoots: Attempt[] = [
  attempt('execution authority', 'records a root above what the pool holds', 'total of the root', () =>
    rooted((world, token, list) =>
      recordNow(world, token, liabilitiesNow(world, list.holders, []), heldOf(world, token) + 1n),
    ),
  ),
  attempt('execution authority', 'records a root below what the pool holds', 'total of the root', () =>
    rooted((world, token, list) =>
      recordNow(world, token, liabilitiesNow(world, list.holders, []), heldOf(world, token) - 1n),
    ),
  ),
  attempt('execution authority', 'records the same root again', 'next sequence', () => {
    const { world, token, list } = done(fixtures.recordLiabilities);
    const record = recordNow(world, token, liabilitiesNow(world, list.holders, []));
    return world.base.send(build.recordLiabilities(world, token, { ...record, sequence: record.sequence - 1n }));
  }),
  attempt('execution authority', 'covers numbers that nobody knows, to stop a token', 'covered is known', () => {
    const { world, token, list } = done(fixtures.recordLiabilities);
    const record = recordNow(world, token, liabilitiesNow(world, list.holders, []));
    return world.base.send(build.recordLiabilities(world, token, { ...record, coveredTo: 2n ** 64n - 1n }));
  }),
  attempt('execution authority', 'covers as many numbers as it says that leaves are', 'covered is known', () => {
    const { world, token, list } = done(fixtures.recordLiabilities);
    const record = recordNow(world, token, liabilitiesNow(world, list.holders, []));
    const many = { withdrawalLeaves: 2 ** 32 - 1, coveredTo: 2n ** 32n };
    return world.base.send(build.recordLiabilities(world, token, { ...record, ...many }));
  }),
  attempt(
    'execution authority',
    'waits for a declared loss and records a root for itself',
    'frozen at the declaration',
    () => {
      const { world, token } = done(fixtures.settle);
      must(world.base.send(build.declareLoss(world)));
      const tree = allTo('execution authority', token, heldOf(world, token));
      return world.base.send(build.recordLiabilities(world, token, recordNow(world, token, tree)));
    },
  ),
  attempt(
    'governance + guardian',
    'settle a window by a root of their own after they have declared a loss',
    'frozen at the declaration',
    () =>
      tried(fixtures.settle, (call, { world }) => {
        must(world.base.send(build.declareLoss(world)));
        return call;
      }),
  ),
  attempt(
    'governance + guardian',
    'open another window after they have declared a loss',
    'frozen at the declaration',
    () => {
      const { scene } = fixtures.delegateSchedule.prepare();
      must(scene.world.base.send(build.declareLoss(scene.world)));
      return scene.world.base.send(build.delegateSchedule(scene.world, scene.schedule, 0n));
    },
  ),
  attempt('recipient', 'redeems twice', 'marked once', () => {
    const scene = done(fixtures.redeem);
    const { world, tree } = scene;
    world.setTime(world.now + 1n);
    const leaf = tree.balance(fixtures.withdrawalIn(tree));
    return world.base.send(build.redeem(world, fixtures.holderIn(scene), leaf));
  }),
  attempt('recipient', 'redeems more than their leaf has', 'recorded leaf', () => {
    const { scene } = fixtures.redeem.prepare();
    const leaf = scene.tree.balance(0);
    const more = { ...leaf, amount: leaf.amount + 1n };
    return scene.world.base.send(build.redeem(scene.world, fixtures.holderIn(scene), more));
  }),
  attempt('recipient', 'redeems while the layer lives', 'lost before redeeming', () => {
    const scene = done(fixtures.recordLiabilities);
    const { world, token, list } = scene;
    const holder = fixtures.holderIn(scene);
    world.openTokenAccount(holder.recipient, token);
    return world.base.send(build.redeem(world, holder, liabilitiesNow(world, list.holders, []).balance(0)));
  }),
  attempt('employer', 'reclaims a window while the layer lives', 'lost before redeeming', () => {
    const { world, schedule } = done(fixtures.delegateSchedule);
    const leaf = { index: 0, paid: 0n, blind: new Uint8Array(16), proof: [] };
    return world.base.send(build.reclaimWindow(schedule, leaf));
  }),
];

function rooted(
  record: (
    ...scene: [
      ReturnType<typeof done<fixtures.ScheduleScene>>['world'],
      fixtures.ScheduleScene['token'],
      fixtures.ScheduleScene['list'],
    ]
  ) => ReturnType<typeof recordNow>,
) {
  const { world, token, list } = done(fixtures.requestWithdrawal);
  return world.base.send(build.recordLiabilities(world, token, record(world, token, list)));
}

const ofKeys: Attempt[] = [
  attempt('stranger', 'creates the config first, naming themselves', 'upgrade authority', () =>
    tried(fixtures.initConfig, (call, { world }) => signedInstead(call, world.upgradeAuthority, world.stranger)),
  ),
  attempt('governance', 'creates the config in the place of the upgrade authority', 'upgrade authority', () =>
    tried(fixtures.initConfig, (call, { world }) => signedInstead(call, world.upgradeAuthority, world.governance)),
  ),
  attempt('stranger', 'accepts governance that was offered to another', 'named successor', () =>
    tried(fixtures.acceptGovernance, (call, { world }) => signedInstead(call, SUCCESSOR, world.stranger)),
  ),
  attempt('guardian', 'accepts governance that was offered to another', 'named successor', () =>
    tried(fixtures.acceptGovernance, (call, { world }) => signedInstead(call, SUCCESSOR, world.guardian)),
  ),
  attempt('stranger', 'revokes a declared loss', 'either key revokes', () =>
    tried(fixtures.revokeLoss, (call, { world }) => signedInstead(call, world.guardian, world.stranger)),
  ),
  attempt('validator', 'revokes the loss of its own layer', 'either key revokes', () =>
    tried(fixtures.revokeLoss, (call, { world }) => signedInstead(call, world.guardian, world.validator)),
  ),
];

const ofTerms: Attempt[] = [
  attempt('governance', 'turns a pool to an accomplice, who pays through its escrow', 'validator of the pool', () => {
    const { world, action } = issued();
    turnToOther(world);
    return world.act(action, world.otherValidator);
  }),
  attempt('governance', 'makes claims so small that an open window misses its timeout', 'least claims', () => {
    const { world } = done(fixtures.openPages);
    return world.base.send(build.updateConfig(world, { limits: { ...LIMITS, maxClaims: 1 } }));
  }),
  attempt('governance + another validator', 'pay themselves out of a pool', 'several', () => {
    const { world, token } = issued();
    turnToOther(world);
    return world.act(
      actionOf(build.payOut(world, token, { number: 1n, amount: REQUESTED, wallet: named('accomplice') })),
      world.otherValidator,
    );
  }),
  attempt('execution authority', 'opens a window by another list than it looked at', 'version of the list', () => {
    const { world, schedule } = fixtures.delegateSchedule.prepare().scene;
    return world.base.send(build.delegateSchedule(world, schedule, 0n, { rootVersion: 7 }));
  }),
  attempt('employer', 'has all that is overdue opened at once', 'openings apart', () => {
    const scene = scheduled(PAYEES, { every: 60 });
    const { world, schedule } = scene;
    world.setTime(FIRST + BigInt(DAY));
    complete(scene);
    return world.base.send(build.delegateSchedule(world, schedule, 1n));
  }),
  attempt('employer', 'promises windows of a year ago', 'no first execution long past', () => {
    const { world, vault, list, schedule } = done(fixtures.createSchedule);
    const terms = { ...fixtures.termsOf(list), firstExecution: world.now - 365n * BigInt(DAY) };
    return world.base.send(build.createSchedule(world, scheduleOf(vault, schedule.id + 1n), terms));
  }),
  attempt('employer', 'promises in a token that governance has taken off', 'token on the whitelist', () => {
    const { scene, instruction } = fixtures.createSchedule.prepare();
    configure(scene.world, {}, TOKENS_LISTED);
    return scene.world.base.send(instruction);
  }),
];

const ofHandovers: Attempt[] = [
  attempt('governance', 'makes itself the execution authority at once', 'authority in public', () => {
    const { world } = done(fixtures.delegateSchedule);
    must(world.base.send(build.proposeAuthority(world, world.governance)));
    return world.base.send(build.acceptAuthority(world.governance));
  }),
  attempt('stranger', 'accepts what was proposed to another, once its time has come', 'proposed authority', () => {
    const { world } = done(fixtures.delegateSchedule);
    must(world.base.send(build.proposeAuthority(world)));
    world.setTime(world.now + 8n * BigInt(DAY));
    return world.base.send(build.acceptAuthority(world.stranger));
  }),
  attempt('execution authority', 'opens a window while suspended', 'suspended', () => {
    const { world, schedule } = fixtures.delegateSchedule.prepare().scene;
    must(world.base.send(build.suspend(world.guardian)));
    return world.base.send(build.delegateSchedule(world, schedule, 0n));
  }),
  attempt('guardian', 'suspends again and again', 'suspension now and then', () => {
    const { world } = done(fixtures.delegateSchedule);
    must(world.base.send(build.suspend(world.guardian)));
    world.setTime(world.now + 7n * BigInt(DAY));
    return world.base.send(build.suspend(world.guardian));
  }),
];

const MONTH = 30n * BigInt(DAY);

/** Keys that are lost, stolen or hostile. */
const ofReplacements: Attempt[] = [
  attempt('governance', 'names its own guardian and takes over within thirty days', 'replacement in public', () => {
    const { world } = done(fixtures.proposeReplacement);
    world.setTime(world.now + MONTH - 1n);
    return world.base.send(build.acceptReplacement());
  }),
  attempt('guardian', 'names its own governance and takes over within thirty days', 'replacement in public', () => {
    const { world } = done(fixtures.initConfig);
    must(world.base.send(build.proposeReplacement(world.guardian, SUCCESSOR)));
    world.setTime(world.now + MONTH - 1n);
    return world.base.send(build.acceptReplacement(SUCCESSOR));
  }),
  attempt('governance', 'takes over as guardian although the present one has refused', 'proposed replacement', () => {
    const { world } = done(fixtures.refuseReplacement);
    world.setTime(world.now + MONTH);
    return world.base.send(build.acceptReplacement());
  }),
  attempt('governance', 'becomes its own guardian by a key that it has handed over to', 'one key never both', () => {
    const { world } = done(fixtures.updateConfig);
    must(world.base.send(build.proposeReplacement(world.governance, SUCCESSOR)));
    must(world.base.send(build.acceptGovernance(SUCCESSOR)));
    world.setTime(world.now + MONTH);
    return world.base.send(build.acceptReplacement(SUCCESSOR));
  }),
  attempt(
    'governance',
    'comes back by a successor named before it was replaced',
    'what a replaced key began ends',
    () => {
      const { world } = done(fixtures.updateConfig);
      const next = named('proposed governance');
      must(world.base.send(build.proposeReplacement(world.guardian, next)));
      world.setTime(world.now + MONTH);
      must(world.base.send(build.acceptReplacement(next)));
      return world.base.send(build.acceptGovernance(SUCCESSOR));
    },
  ),
  attempt('guardian', 'declares a loss alone while the layer may still answer', 'silence of the layer', () => {
    const { world, schedule } = done(fixtures.delegateSchedule);
    world.setTime(world.now + MONTH);
    return world.base.send(build.declareLossAlone(world.guardian, schedule));
  }),
  attempt('governance', 'declares a loss alone though the layer has answered', 'batch still away', () => {
    const { world, schedule } = done(fixtures.undelegationCallback);
    world.setTime(world.now + MONTH + BigInt(TIMEOUT));
    return world.base.send(build.declareLossAlone(world.governance, schedule));
  }),
  attempt('guardian', 'keeps the way out closed by revoking for ever', 'revocation now and then', () => {
    const { world, schedule } = done(fixtures.declareLossAlone);
    must(world.base.send(build.revokeLoss(world.guardian)));
    must(world.base.send(build.declareLossAlone(world.governance, schedule)));
    return world.base.send(build.revokeLoss(world.guardian));
  }),
];

const ofVaults: Attempt[] = [
  attempt('employer', 'takes out a vault by withdrawals below the limit each', 'limit of a day', () => {
    const { world, vault } = done(fixtures.deposit);
    fixtures.guard({ world, vault, token: vault.token }, { ...POLICY, dailyLimit: 8_000n });
    must(world.base.send(build.withdraw(vault, 5_000n)));
    return world.base.send(build.withdraw(vault, 3_001n));
  }),
  attempt('employer', 'adds windows between the approver’s look and signature', 'named windows', () => {
    const { world, schedule } = fixtures.awaiting();
    const seen = build.approveSchedule(world, schedule);
    must(world.base.send(build.fundSchedule(schedule, 1)));
    return world.base.send(seen);
  }),
  attempt('stranger', 'binds more of a vault than its employer has promised', 'windows kept', () => {
    const { world, schedule, vault } = scheduled(PAYEES, { executions: 30, kept: 2 });
    must(world.base.send(build.deposit(vault, 100_000n)));
    return world.base.send(build.reserveWindows(schedule));
  }),
  attempt('stranger', 'binds what an employer has paused', 'nothing during a pause', () => {
    const { world, schedule } = fixtures.wanting();
    must(world.base.send(build.pauseSchedule(schedule)));
    return world.base.send(build.reserveWindows(schedule));
  }),
  attempt('execution authority', 'opens a window out of another schedule’s reserve', 'reserve of its own', () => {
    const endless = scheduled(PAYEES, { executions: 9, kept: 1 });
    const { world, vault, list } = endless;
    addSchedule(endless, 2n, PAYEES, { executions: 4 });
    must(world.base.send(build.withdraw(vault, 100_000n - 5n * list.total)));
    complete(endless);
    world.setTime(world.now + BigInt(DAY));
    return world.base.send(build.delegateSchedule(world, endless.schedule, 1n));
  }),
  attempt('employer', 'books tokens that nobody has sent', 'surplus alone', () => {
    const { world, vault } = done(fixtures.deposit);
    return world.base.send(build.bookSurplus(vault));
  }),
];

/** Flag of the config: a mint needs to be on the whitelist. */
const TOKENS_LISTED = 2;

/** What takes more than another signature. */
export const plots: Attempt[] = [
  ...ofKeys,
  ...ofHandovers,
  ...ofReplacements,
  ...ofVaults,
  ...ofTerms,
  ...ofLayer,
  ...ofLists,
  ...ofRoots,
  ...ofBalances,
  ...ofBitmaps,
  ...ofRecoveries,
  ...ofSettlements,
  ...ofLamports,
];
