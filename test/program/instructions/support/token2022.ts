import { bytesOf, named } from '@payouts/testing/litesvm/addresses';
import { type Token, tokenOf, vaultOf } from '@payouts/testing/litesvm/handles';
import { TOKEN_2022_PROGRAM } from '@payouts/testing/litesvm/programs';
import { DECIMALS, must, type World } from '@payouts/testing/litesvm/world';
import * as build from '../../fixtures/build.ts';
import { DEPOSIT, WEALTH } from '../../fixtures/constants.ts';
import { initConfig, type VaultScene } from '../../fixtures/index.ts';
import { done } from '../../harness/fixture.ts';

/** Type and length of an extension's bytes, which are zero. */
export type Extension = readonly [type: number, length: number];

const MINT = 82;
const KIND = 165;
const KIND_MINT = 1;
const DEFAULT_STATE = 6;

/** Extensions that give somebody a power over everybody's tokens. */
export const POWERS: readonly (readonly [string, Extension])[] = [
  ['a transfer fee', [1, 108]],
  ['a close authority', [3, 32]],
  ['confidential transfers', [4, 65]],
  ['a default account state', [6, 1]],
  ['a permanent delegate', [12, 32]],
  ['a transfer hook', [14, 64]],
  ['a confidential transfer fee', [16, 129]],
  ['pausing', [26, 33]],
];

/** The bytes of an initialised mint of Token-2022 with extensions. */
export function mintBytes(authority: Uint8Array, extensions: readonly Extension[]): Uint8Array {
  const bytes = Buffer.alloc(extensions.length === 0 ? MINT : KIND + 1);
  bytes[0] = 1;
  bytes.set(authority, 4);
  bytes[44] = DECIMALS;
  bytes[45] = 1;
  if (extensions.length === 0) return new Uint8Array(bytes);
  bytes[KIND] = KIND_MINT;
  const appended = extensions.map(([type, length]) => {
    const extension = Buffer.alloc(4 + length);
    extension.writeUInt16LE(type, 0);
    extension.writeUInt16LE(length, 2);
    // Accounts begin open.
    if (type === DEFAULT_STATE) extension[4] = 1;
    return extension;
  });
  return new Uint8Array(Buffer.concat([bytes, ...appended]));
}

/** Puts a mint of Token-2022 in place. */
export function placeMint(world: World, extensions: readonly Extension[]): Token {
  const mint = named(`mint with ${extensions.join()}`);
  const data = mintBytes(bytesOf(world.minter), extensions);
  world.base.set({ address: mint, lamports: 10_000_000n, data, owner: TOKEN_2022_PROGRAM, executable: false });
  return tokenOf(mint, TOKEN_2022_PROGRAM);
}

/** A world with a vault of such a token, which is listed if it must be, and in which lies what the fixtures deposit. */
export function vaultOf2022(extensions: readonly Extension[]): VaultScene {
  const { world } = done(initConfig);
  const token = placeMint(world, extensions);
  if (extensions.some(([type]) => POWERS.some(([, [power]]) => power === type))) {
    must(world.base.send(build.setWhitelist(world, token.mint, 1)));
  }
  const vault = vaultOf(named('employer'), token);
  world.base.fund(token.sponsor);
  world.base.fund(vault.employer);
  for (const owner of [token.pool, vault.address]) world.openTokenAccount(owner, token);
  world.mintTo(vault.employer, token, WEALTH);
  for (const instruction of [
    build.initPool(world, token),
    build.initCounter(world, token),
    build.initVault(world, vault),
    build.deposit(vault, DEPOSIT),
  ])
    must(world.base.send(instruction));
  return { world, token, vault };
}
