import { bytesOf, derive } from '@payouts/testing/litesvm/addresses';
import { LEDGER_PROGRAM } from '@payouts/testing/litesvm/programs';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { closeVault, initVault } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { rewrite } from '../harness/write.ts';
import { created, effectIn, effectOf, refusal, refusalOfSecond } from './support/call.ts';
import { configure } from './support/scenes.ts';
import { SPOILT_TOKEN_ACCOUNTS } from './support/tokenAccounts.ts';
import { expectWhitelistAsked } from './support/whitelist.ts';

describe('init_vault', () => {
  it('creates the employer’s vault with empty counters', () => {
    const { scene, changes, events } = effectIn(initVault);
    const { world, vault, token } = scene;
    const rent = world.base.minimumBalance(192);
    expect(changes).toEqual({
      payer: { lamports: -rent },
      vault: {
        ...created(3, 192, rent),
        bump: derive(LEDGER_PROGRAM, 'vault', bytesOf(vault.employer), bytesOf(token.mint)).bump,
        decimals: 6,
        employer: vault.employer,
        mint: token.mint,
        tokenAccount: vault.tokenAccount,
      },
    });
    expect(events).toEqual([{ __kind: 'VaultOpened', vault: vault.address }]);
  });

  it('opens a closed vault again, at nobody’s cost and with its counters', () => {
    const scene = done(closeVault);
    const { world, vault, token } = scene;
    const call = build.initVault(world, vault);
    expect(refusal(initVault, scene, call)).toBe('InvalidTokenAccount');
    world.openTokenAccount(vault.address, token);
    const { changes, events } = effectOf(initVault, scene, call);
    expect(changes).toEqual({ vault: { closed: [1, 0] } });
    expect(events).toEqual([{ __kind: 'VaultOpened', vault: vault.address }]);
  });

  it('opens none that is open', () => {
    expect(refusalOfSecond(initVault)).toBe('AccountAlreadyInitialized');
  });

  it('refuses another mint’s pool', () => {
    const { scene } = initVault.prepare();
    const { world, vault } = scene;
    const other = world.createToken('B');
    must(world.base.send(build.initPool(world, other)));
    const call = build.initVault(world, { ...vault, token: { ...vault.token, pool: other.pool } });
    expect(refusal(initVault, scene, call)).toBe('InvalidMint');
  });

  describe('refuses a token account that', () => {
    const { scene, instruction } = initVault.prepare();
    it.each(SPOILT_TOKEN_ACCOUNTS)('%s', (_, change) => {
      const restore = rewrite(scene.world, scene.vault.tokenAccount, change);
      expect(refusal(initVault, scene, instruction)).toBe('InvalidTokenAccount');
      restore();
    });
  });

  it('asks for the employer’s whitelist entry and the mint’s, if the config does', () => {
    expectWhitelistAsked(initVault, 'employer', ({ vault }) => vault.employer);
    expectWhitelistAsked(initVault, 'mint', ({ token }) => token.mint);
  });

  it('asks for it when a closed vault is opened again, too', () => {
    const scene = done(closeVault);
    const { world, vault, token } = scene;
    world.openTokenAccount(vault.address, token);
    configure(world, {}, 1);
    expect(refusal(initVault, scene, build.initVault(world, vault))).toBe('NotWhitelisted');
  });
});
