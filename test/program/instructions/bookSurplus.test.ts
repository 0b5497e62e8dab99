import { availableOf, checkVault } from '@payouts/client';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { bookSurplus, closeVault, delegateSchedule, deposit, settle, type VaultScene } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { readVault } from '../harness/read.ts';
import { effectIn, effectOf, refusal } from './support/call.ts';

describe('book_surplus', () => {
  it('books what was sent without a deposit as one', () => {
    const { scene, changes, events } = effectIn(bookSurplus);
    expect(changes).toEqual({ vault: { deposited: [100_000n, 100_007n] } });
    expect(events).toEqual([{ __kind: 'Deposited', vault: scene.vault.address, amount: 7n }]);
    must(scene.world.base.send(build.withdraw(scene.vault, 100_007n)));
  });

  it.each([
    ['what windows have taken into the pool', delegateSchedule, 100_000n - 10_500n],
    ['what they have paid', settle, 90_000n],
  ])('counts %s as gone from the token account', (_, fixture, held) => {
    const scene: VaultScene = done(fixture);
    const { world, vault, token } = scene;
    expect(refusal(bookSurplus, scene, build.bookSurplus(vault))).toBe('ZeroAmount');
    world.mintTo(vault.address, token, 3n);
    const { changes } = effectOf(bookSurplus, scene, build.bookSurplus(vault));
    expect(changes).toEqual({ vault: { deposited: [100_000n, 100_003n] } });
    const account = readVault(world, vault);
    expect(availableOf(account) + account.reserved).toBe(held + 3n);
    expect(checkVault(account, held + 3n)).toEqual([]);
    expect(refusal(bookSurplus, scene, build.bookSurplus(vault))).toBe('ZeroAmount');
  });

  it('refuses where nothing was sent, another token account, and a closed vault', () => {
    const scene = done(deposit);
    const { vault } = scene;
    expect(refusal(bookSurplus, scene, build.bookSurplus(vault))).toBe('ZeroAmount');
    const elsewhere = build.bookSurplus({ ...vault, tokenAccount: vault.employerToken });
    expect(refusal(bookSurplus, scene, elsewhere)).toBe('InvalidAddress');
    const closed = done(closeVault);
    expect(refusal(bookSurplus, closed, build.bookSurplus(closed.vault))).toBe('VaultClosed');
  });
});
