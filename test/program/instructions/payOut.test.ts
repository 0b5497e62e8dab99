import { bytesOf, derive, named } from '@payouts/testing/litesvm/addresses';
import { escrowOf } from '@payouts/testing/litesvm/delegation';
import { associatedToken, pageOf } from '@payouts/testing/litesvm/handles';
import { LEDGER_PROGRAM, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@payouts/testing/litesvm/programs';
import { must } from '@payouts/testing/litesvm/world';
import { AccountRole, type Address } from '@solana/kit';
import { getTransferSolInstructionDataEncoder } from '@solana-program/system';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { OTHER_WALLET, REQUESTED, WALLET } from '../fixtures/constants.ts';
import { actionOf } from '../fixtures/delegationProgram.ts';
import { confirmWithdrawal, holderIn, payOut, settle } from '../fixtures/index.ts';
import { done, type Fixture } from '../harness/fixture.ts';
import { isMarked, readPool } from '../harness/read.ts';
import { type Payable, provenIn, WithdrawalTree } from '../harness/withdrawals.ts';
import { patchPool, rewrite } from '../harness/write.ts';
import { created, effectIn, effectOf, refusal } from './support/call.ts';
import { addSchedule, turnToOther } from './support/scenes.ts';
import { vaultOf2022 } from './support/token2022.ts';
import { overwritten } from './support/tokenAccounts.ts';
import { expectUntilLoss } from './support/untilLoss.ts';
import { bits, complete } from './support/window.ts';
import { confirm, cover, payIssued, request } from './support/withdrawal.ts';

type Scene = ReturnType<typeof payOut.prepare>['scene'];

const PAGE_BYTES = 1_024;
const walletToken = ({ token }: Scene, wallet: Address) => associatedToken(wallet, token.mint, token.program);

/** A scene in which withdrawals are recorded, though nobody has asked for them: number and amount, all to one wallet. */
function recorded(...payable: readonly (readonly [number: bigint, amount: bigint])[]): Scene {
  const scene = done(settle);
  const tree = new WithdrawalTree(payable.map(([number, amount]) => ({ number, amount, wallet: WALLET })));
  patchPool(scene.world, scene.token, { withdrawalsRoot: tree.root, withdrawalLeaves: tree.leaves });
  return scene;
}

describe('pay_out', () => {
  it('pays the wallet and marks the number; the sponsor pays for the token account and the page', () => {
    const { scene, changes, events } = effectIn(payOut);
    const { token, world } = scene;
    const rent = { token: world.base.minimumBalance(165), page: world.base.minimumBalance(1_088) };
    const pool = {
      paidOut: [0n, 600n],
      liabilitiesLeft: [10_000n, 9_400n],
      highestWithdrawal: [0n, 1n],
      withdrawals: [0n, 1n],
    };
    const { bump } = derive(LEDGER_PROGRAM, 'page', bytesOf(token.mint), new Uint8Array(4));
    expect(changes).toEqual({
      pool,
      escrowAuthority: pool,
      poolToken: { tokens: [10_000n, 9_400n] },
      walletToken: { created: true, owner: TOKEN_PROGRAM, lamports: rent.token, size: 165, tokens: 600n },
      page: {
        ...created(8, 1_088, rent.page),
        bump,
        mint: token.mint,
        bitmap: bits(PAGE_BYTES, 1),
      },
      sponsor: { lamports: -rent.token - rent.page },
    });
    expect(events).toEqual([{ __kind: 'WithdrawalPaid', mint: token.mint, number: 1n, amount: 600n }]);
  });

  it('pays a wallet that has a token account, by a page that exists, for no lamports', () => {
    const scene = recorded([1n, 600n], [8n, 5n]);
    effectOf(payOut, scene, build.payOut(scene.world, scene.token, { number: 1n, amount: 600n, wallet: WALLET }));
    const { changes } = effectOf(
      payOut,
      scene,
      build.payOut(scene.world, scene.token, { number: 8n, amount: 5n, wallet: WALLET }),
    );
    const pool = {
      paidOut: [600n, 605n],
      liabilitiesLeft: [9_400n, 9_395n],
      highestWithdrawal: [1n, 8n],
      withdrawals: [1n, 2n],
    };
    expect(changes).toEqual({
      pool,
      escrowAuthority: pool,
      poolToken: { tokens: [9_400n, 9_395n] },
      walletToken: { tokens: [600n, 605n] },
      page: { bitmap: [bits(PAGE_BYTES, 1), bits(PAGE_BYTES, 1, 8)] },
    });
  });

  it('pays in any order, and forgets no number', () => {
    const scene = recorded([3n, 7n], [8n, 7n]);
    effectOf(payOut, scene, build.payOut(scene.world, scene.token, { number: 8n, amount: 7n, wallet: WALLET }));
    const { changes } = effectOf(
      payOut,
      scene,
      build.payOut(scene.world, scene.token, { number: 3n, amount: 7n, wallet: WALLET }),
    );
    expect(changes.pool).toEqual({ paidOut: [7n, 14n], liabilitiesLeft: [9_993n, 9_986n], withdrawals: [1n, 2n] });
    expect(readPool(scene.world, scene.token).highestWithdrawal).toBe(8n);
    for (const number of [3n, 8n]) {
      expect(
        refusal(payOut, scene, build.payOut(scene.world, scene.token, { number, amount: 7n, wallet: WALLET })),
      ).toBe('WithdrawalAlreadyPaid');
    }
  });

  it('begins a new page with number 8,192', () => {
    const scene = recorded([8_191n, 1n], [8_192n, 1n]);
    const { world, token } = scene;
    const pageWith = (bit: number) => ({
      ...created(8, 1_088),
      bump: expect.any(Number),
      mint: token.mint,
      bitmap: bits(PAGE_BYTES, bit),
    });
    const last = effectOf(payOut, scene, build.payOut(world, token, { number: 8_191n, amount: 1n, wallet: WALLET }));
    expect(last.changes.page).toEqual(pageWith(8_191));
    const first = effectOf(payOut, scene, build.payOut(world, token, { number: 8_192n, amount: 1n, wallet: WALLET }));
    expect(first.changes.page).toEqual({ ...pageWith(0), page: 1 });
    expect(pageOf(token, 8_192n)).not.toBe(pageOf(token, 8_191n));
  });

  it('pays everything that the pool holds, and not a base unit more', () => {
    const scene = recorded([1n, 10_000n], [2n, 10_001n]);
    expect(
      refusal(payOut, scene, build.payOut(scene.world, scene.token, { number: 2n, amount: 10_001n, wallet: WALLET })),
    ).toBe('PoolShortfall');
    const { changes } = effectOf(
      payOut,
      scene,
      build.payOut(scene.world, scene.token, { number: 1n, amount: 10_000n, wallet: WALLET }),
    );
    expect(changes.poolToken).toEqual({ tokens: [10_000n, 0n] });
  });

  it('pays what any place of the largest tree proves, and nothing by a longer proof', () => {
    const scene = done(settle);
    const { world, token } = scene;
    const leaves = 2 ** 12;
    const wallets = [WALLET, OTHER_WALLET];
    const payable = Array.from({ length: leaves }, (_, place) => ({
      number: BigInt(place + 1),
      amount: 1n,
      wallet: wallets[place % 2] as Address,
    }));
    const tree = new WithdrawalTree(payable);
    patchPool(world, token, { withdrawalsRoot: tree.root, withdrawalLeaves: leaves });
    for (const place of [0, 3_000, leaves - 1]) {
      const withdrawal = payable[place] as Payable;
      expect(tree.proof(withdrawal.number).proof).toHaveLength(12);
      effectOf(payOut, scene, build.payOut(world, token, withdrawal));
    }
    patchPool(world, token, { withdrawalLeaves: leaves + 1 });
    const { proof, ...place } = tree.proof(9n);
    const longer = { ...place, proof: [...proof, proof[0] as Uint8Array] };
    expect(refusal(payOut, scene, build.payOut(world, token, payable[8] as Payable, longer))).toBe('NotCovered');
  });

  it('pays a number once', () => {
    const { scene, instruction } = payOut.prepare();
    effectOf(payOut, scene, instruction);
    expect(refusal(payOut, scene, instruction)).toBe('WithdrawalAlreadyPaid');
  });

  it('pays tokens of Token-2022 with metadata', () => {
    const vaultScene = vaultOf2022([
      [18, 64],
      [20, 64],
    ]);
    const scene = complete(addSchedule(vaultScene, 1n));
    request(scene, 0, 600n, WALLET);
    cover(scene);
    const action = confirm(scene, 0, 1n);
    const { escrow: _, ...expected } = actionOf(
      build.payOut(scene.world, scene.token, { number: 1n, amount: 600n, wallet: WALLET }),
    );
    expect(action).toEqual(expected);
    const { changes } = effectOf(
      payOut,
      scene,
      build.payOut(scene.world, scene.token, { number: 1n, amount: 600n, wallet: WALLET }),
    );
    expect(changes.poolToken).toEqual({ tokens: [10_500n, 9_900n] });
    expect(changes.walletToken).toMatchObject({ created: true, owner: TOKEN_2022_PROGRAM, tokens: 600n });
  });

  describe('refuses', () => {
    const { scene } = payOut.prepare();
    const { world, token } = scene;
    const proven = provenIn(world, token, 1n);
    const honest = (number = 1n) => ({ number, amount: REQUESTED, wallet: WALLET });
    it.each([
      [
        'a number that no recorded tree knows',
        build.payOut(world, token, { number: 2n, amount: 1n, wallet: WALLET }),
        'NotCovered',
      ],
      [
        'the greatest number',
        build.payOut(world, token, { number: 2n ** 32n * 8_192n - 1n, amount: 1n, wallet: WALLET }),
        'NotCovered',
      ],
      [
        'a forged amount',
        build.payOut(world, token, { number: 1n, amount: REQUESTED + 1n, wallet: WALLET }),
        'NotCovered',
      ],
      ['a smaller amount', build.payOut(world, token, { number: 1n, amount: 1n, wallet: WALLET }), 'NotCovered'],
      [
        'a forged wallet',
        build.payOut(world, token, { number: 1n, amount: REQUESTED, wallet: OTHER_WALLET }),
        'NotCovered',
      ],
      ['another number by the leaf of one', build.payOut(world, token, honest(2n), proven), 'NotCovered'],
      ['a wrong blind', build.payOut(world, token, honest(), { ...proven, blind: new Uint8Array(16) }), 'NotCovered'],
      ['a place beyond the tree', build.payOut(world, token, honest(), { ...proven, index: 1 }), 'NotCovered'],
      [
        'hashes too many',
        build.payOut(world, token, honest(), { ...proven, proof: [new Uint8Array(32)] }),
        'NotCovered',
      ],
      ['number 0', build.payOut(world, token, { number: 0n, amount: REQUESTED, wallet: WALLET }), 'InvalidData'],
      ['an amount of zero', build.payOut(world, token, { number: 1n, amount: 0n, wallet: WALLET }), 'ZeroAmount'],
      [
        'to pay the pool itself',
        build.payOut(world, token, { number: 1n, amount: REQUESTED, wallet: token.pool }),
        'InvalidTokenAccount',
      ],
    ])('%s', (_, instruction, error) => {
      expect(refusal(payOut, scene, instruction)).toBe(error);
    });
  });

  describe('is sent by nobody but the pool’s validator, through the pool’s escrow', () => {
    const { scene, instruction } = payOut.prepare();
    const { world, token } = scene;
    const by = (send: NonNullable<Fixture<Scene>['send']>): Fixture<Scene> => ({ ...payOut, send });

    it('not by another registered validator', () => {
      const other = by((_, call) => world.act(actionOf(call), world.otherValidator));
      expect(refusal(other, scene, instruction)).toBe('NotValidator');
    });

    it('not by one that governance names later, but still by the one that the pool began with', () => {
      const { scene, instruction } = payOut.prepare();
      const { world } = scene;
      turnToOther(world);
      const other = by((_, call) => world.act(actionOf(call), world.otherValidator));
      expect(refusal(other, scene, instruction)).toBe('NotValidator');
      effectOf(payOut, scene, instruction);
    });

    it('not without the delegation program, though the escrow is said to sign', () => {
      const directly = by((_, call) => world.base.send(call));
      expect(refusal(directly, scene, instruction)).toBe('NotValidator');
    });

    it.each<[string, Partial<ReturnType<typeof actionOf>>]>([
      ['another escrow of the pool', { escrowIndex: 1, escrow: escrowOf(token.pool, 1) }],
      ['somebody’s own escrow', { escrowAuthority: world.stranger, escrow: escrowOf(world.stranger) }],
      ['another program’s word', { source: TOKEN_PROGRAM }],
    ])('not by %s', (_, change) => {
      if (change.escrow !== undefined) world.base.fund(change.escrow);
      const through = by((_scene, call) => world.act({ ...actionOf(call), ...change }));
      expect(refusal(through, scene, instruction)).toBe('InvalidEscrow');
    });
  });

  it('leaves lamports to no validator: the escrow holds none, and nobody else has the sponsor sign', () => {
    const { scene, instruction } = payOut.prepare();
    const { world, token } = scene;
    effectOf(payOut, scene, instruction);
    expect(world.base.account(token.escrow)?.lamports ?? 0n).toBe(0n);
    const before = world.base.account(token.sponsor)?.lamports;
    const theft = {
      ...actionOf(instruction),
      destination: SYSTEM_PROGRAM,
      accounts: [token.sponsor, world.stranger].map((address) => ({ address, role: AccountRole.WRITABLE })),
      data: Uint8Array.from(getTransferSolInstructionDataEncoder().encode({ amount: 1n })),
    };
    for (const validator of [world.validator, world.otherValidator]) {
      expect(world.act(theft, validator).failure).toBeDefined();
    }
    expect(world.base.account(token.sponsor)?.lamports).toBe(before);
  });

  it('has no other account pay than the token’s sponsor', () => {
    const { scene, instruction } = payOut.prepare();
    const { world, token } = scene;
    for (const address of [token.escrow, world.stranger, token.pool]) {
      const accounts = (instruction.accounts ?? []).map((meta) =>
        meta.address === token.sponsor ? { ...meta, address } : meta,
      );
      expect(refusal(payOut, scene, { ...instruction, accounts })).toBe('InvalidAddress');
    }
  });

  describe('a hostile token account of the wallet', () => {
    /** A scene in which the wallet's token account was made and then changed. */
    function hostile(place: number, bytes: readonly number[]): Scene {
      const scene = done(confirmWithdrawal);
      const { world, token } = scene;
      rewrite(world, world.openTokenAccount(WALLET, token), (state) => overwritten(state, place, ...bytes));
      return scene;
    }

    it.each<[string, number, readonly number[], string]>([
      ['is frozen', 108, [2], 'Custom 17'],
      ['belongs to somebody else', 32, [...bytesOf(named('foreign owner'))], 'Custom 0'],
    ])('%s: the payout fails alone, and another wallet is paid', (_, place, bytes, error) => {
      const scene = hostile(place, bytes);
      const { world, token } = scene;
      expect(
        refusal(payOut, scene, build.payOut(world, token, { number: 1n, amount: REQUESTED, wallet: WALLET })),
      ).toBe(error);
      expect(isMarked(world, pageOf(token, 1n), 1n)).toBe(false);
      world.actions.length = 0;
      must(world.sendToLayer(build.redirectWithdrawal(holderIn(scene), OTHER_WALLET)));
      world.setTime(world.now + 30n);
      cover(scene);
      payIssued(scene, 0, 1n);
      expect(world.base.tokens(walletToken(scene, OTHER_WALLET))).toBe(600n);
      expect(world.base.tokens(walletToken(scene, WALLET))).toBe(0n);
    });
  });

  it('fails alone when the sponsor has no lamports for the accounts', () => {
    const { scene, instruction } = payOut.prepare();
    scene.world.base.fund(scene.token.sponsor, 1_000_000n);
    expect(refusal(payOut, scene, instruction)).toBe('Custom 1');
    scene.world.base.fund(scene.token.sponsor);
    effectOf(payOut, scene, instruction);
  });

  it('pays until the grace time of a declared loss is over, to the second', () => {
    const { scene, instruction } = payOut.prepare();
    expectUntilLoss(payOut, scene, instruction);
  });

  it('counts no more payouts than there are numbers', () => {
    const { scene, instruction } = payOut.prepare();
    patchPool(scene.world, scene.token, { withdrawals: 2n ** 64n - 1n });
    expect(refusal(payOut, scene, instruction)).toBe('Overflow');
  });
});
