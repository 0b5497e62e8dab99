import { bytesOf, derive, named } from '@payouts/testing/litesvm/addresses';
import type { State } from '@payouts/testing/litesvm/ledger';
import { LEDGER_PROGRAM, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '@payouts/testing/litesvm/programs';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import * as build from '../fixtures/build.ts';
import { initConfig, initPool } from '../fixtures/index.ts';
import { done } from '../harness/fixture.ts';
import { readPool } from '../harness/read.ts';
import { rewrite } from '../harness/write.ts';
import { created, effectIn, effectOf, refusal, refusalOfSecond } from './support/call.ts';
import { type Extension, mintBytes, POWERS, placeMint } from './support/token2022.ts';
import { SPOILT_TOKEN_ACCOUNTS } from './support/tokenAccounts.ts';
import { expectWhitelistAsked, expectWhitelistNotAsked } from './support/whitelist.ts';

const ALLOWED: readonly (readonly [string, Extension])[] = [
  ['a metadata pointer', [18, 64]],
  ['metadata', [19, 80]],
  ['a group pointer', [20, 64]],
  ['a group', [21, 80]],
  ['a group member pointer', [22, 64]],
  ['a group membership', [23, 72]],
];

const FORBIDDEN: readonly (readonly [string, Extension])[] = [
  ['an account’s transfer fee', [2, 8]],
  ['an account’s immutable owner', [7, 0]],
  ['non-transferability', [9, 0]],
  ['interest', [10, 52]],
  ['the one before those that are harmless', [17, 0]],
  ['the one after those that are harmless', [24, 0]],
  ['a scaled amount', [25, 56]],
  ['one that is not known yet', [29, 8]],
  ['one of the greatest number', [65_535, 0]],
];

describe('init_pool', () => {
  it('creates the mint’s pool with empty counters', () => {
    const { scene, changes, events } = effectIn(initPool);
    const { world, token } = scene;
    const rent = world.base.minimumBalance(352);
    expect(changes).toEqual({
      payer: { lamports: -rent },
      pool: {
        ...created(2, 352, rent),
        bump: derive(LEDGER_PROGRAM, 'pool', bytesOf(token.mint)).bump,
        decimals: 6,
        mint: token.mint,
        tokenAccount: token.poolToken,
        tokenProgram: TOKEN_PROGRAM,
        coveredTo: 1n,
        sponsorBump: derive(LEDGER_PROGRAM, 'sponsor', bytesOf(token.mint)).bump,
        validator: world.validator,
      },
    });
    expect(events).toEqual([{ __kind: 'PoolCreated', mint: token.mint }]);
  });

  it('happens once for a mint', () => {
    expect(refusalOfSecond(initPool)).toBe('AccountAlreadyInitialized');
  });

  describe('with Token-2022', () => {
    it.each<readonly [string, readonly Extension[]]>([
      ['no extension', []],
      ...ALLOWED.map(([name, extension]) => [name, [extension]] as const),
      ['all that are allowed', ALLOWED.map(([, extension]) => extension)],
    ])('takes a mint with %s', (_, extensions) => {
      const { world } = done(initConfig);
      const token = placeMint(world, extensions);
      world.openTokenAccount(token.pool, token);
      effectOf(initPool, { world, token }, build.initPool(world, token));
      expect(readPool(world, token)).toMatchObject({ tokenProgram: TOKEN_2022_PROGRAM, decimals: 6 });
    });

    it.each(POWERS)('takes a mint with %s once governance has listed it, and nobody else', (_, extension) => {
      const { world } = done(initConfig);
      const token = placeMint(world, [[18, 64], extension]);
      world.openTokenAccount(token.pool, token);
      const [scene, call] = [{ world, token }, build.initPool(world, token)];
      expect(refusal(initPool, scene, call)).toBe('NotWhitelisted');
      must(world.base.send(build.setWhitelist(world, token.mint, 1)));
      effectOf(initPool, scene, call);
      expect(readPool(world, token)).toMatchObject({ hasPowers: 1 });
    });

    const { world } = done(initConfig);
    it.each(FORBIDDEN)('refuses a mint with %s', (_, extension) => {
      for (const extensions of [[extension], [[18, 64], extension] as const, [extension, [18, 64]] as const]) {
        const token = placeMint(world, extensions);
        const scene = { world, token };
        expect(refusal(initPool, scene, build.initPool(world, token))).toBe('UnsupportedExtension');
      }
    });
  });

  describe('refuses what is no mint', () => {
    const { world } = done(initConfig);
    const authority = bytesOf(world.minter);
    const plain = mintBytes(authority, []);
    const extended = mintBytes(authority, [[18, 64]]);
    it.each<[string, Partial<State>]>([
      ['an account of another program', { owner: named('a token program of one’s own') }],
      ['a wallet', { owner: SYSTEM_PROGRAM, data: new Uint8Array() }],
      ['a mint that is not initialised', { data: plain.with(45, 0) }],
      ['a mint that is too short', { data: plain.slice(0, 81) }],
      ['a classic mint that is too long', { data: new Uint8Array([...plain, 0]) }],
      ['a classic mint with extensions', { data: extended }],
      ['a multisig', { owner: TOKEN_2022_PROGRAM, data: mintBytes(authority, [[18, 185]]) }],
      ['a token account', { owner: TOKEN_2022_PROGRAM, data: extended.with(165, 2) }],
      ['an extension that ends beyond the account', { owner: TOKEN_2022_PROGRAM, data: extended.slice(0, -1) }],
    ])('%s', (_, change) => {
      const token = { ...placeMint(world, []), program: change.owner ?? TOKEN_PROGRAM };
      const mint = { address: token.mint, lamports: 10_000_000n, executable: false, owner: TOKEN_PROGRAM };
      world.base.set({ data: plain, ...mint, ...change });
      expect(mintBytes(authority, [[18, 185]])).toHaveLength(355);
      expect(refusal(initPool, { world, token }, build.initPool(world, token))).toBe('InvalidMint');
    });
  });

  describe('refuses a token account that', () => {
    const { scene, instruction } = initPool.prepare();
    it.each(SPOILT_TOKEN_ACCOUNTS)('%s', (_, change) => {
      const restore = rewrite(scene.world, scene.token.poolToken, change);
      expect(refusal(initPool, scene, instruction)).toBe('InvalidTokenAccount');
      restore();
    });
  });

  it('asks for the mint’s whitelist entry, if the config does', () => {
    expectWhitelistAsked(initPool, 'mint', ({ token }) => token.mint);
  });

  it('does not ask for employers’', () => {
    expectWhitelistNotAsked(initPool, 'employer');
  });
});
