import { must } from '@payouts/testing/litesvm/world';
import type { Address } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { LIMIT, REMOVAL } from '../fixtures/constants.ts';
import { withdrawApproved } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { effectIn, refusal } from './support/call.ts';

describe('withdraw_approved', () => {
  it('takes out what is above the limit, with both signatures', () => {
    const { scene, changes, events } = effectIn(withdrawApproved);
    const { vault } = scene;
    expect(changes).toEqual({
      vault: { withdrawn: [0n, LIMIT + 1n] },
      vaultToken: { tokens: [100_000n, 100_000n - LIMIT - 1n] },
      destinationToken: { tokens: [expect.any(BigInt), expect.any(BigInt)] },
    });
    expect(events).toEqual([{ __kind: 'Withdrawn', vault: vault.address, amount: LIMIT + 1n }]);
  });

  it('is needed above the limit alone', () => {
    const { world, vault } = withdrawApproved.prepare().scene;
    expect(world.base.send(build.withdraw(vault, LIMIT + 1n)).failure).toBe('ApprovalRequired');
    must(world.base.send(build.withdraw(vault, LIMIT)));
  });

  it('refuses nobody as approver, nothing, and more than is available', () => {
    const scene = done(withdrawApproved);
    const asked = (amount: bigint, approver?: Address) =>
      refusal(withdrawApproved, scene, build.withdrawApproved(scene.vault, amount, approver));
    expect(asked(LIMIT, REMOVAL.approver)).toBe('NotApprover');
    expect(asked(0n)).toBe('ZeroAmount');
    expect(asked(100_000n)).toBe('InsufficientAvailable');
  });
});
