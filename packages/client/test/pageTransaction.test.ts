import { randomBytes } from 'node:crypto';
import { generateKeyPairSigner } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import {
  buildPageTransaction,
  derivePageAddress,
  derivePermissionAddress,
  EPHEMERAL_VAULT_ADDRESS,
  getOpenPagesInstructionDataDecoder,
  MAGIC_PROGRAM_ADDRESS,
  MAX_PAGES_MADE,
  PAGE_SLOTS,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  PERMISSION_PROGRAM_ADDRESS,
  pageRent,
  SET_PERMISSIONS_DISCRIMINATOR,
} from '../src/index.ts';
import { decodeTransaction, lifetime, randomAddress } from './support.ts';

const [config, batch, mint] = [randomAddress(), randomAddress(), randomAddress()];
const authority = await generateKeyPairSigner();
const program = PAYOUT_LEDGER_PROGRAM_ADDRESS;
const pages = Array.from({ length: MAX_PAGES_MADE }, (_, at) => ({
  number: at * 70_000,
  nonce: new Uint8Array(randomBytes(16)),
}));
const input = { authority, config, batch, mint, lifetime, programAddress: program, computeUnitLimit: 1_000_000 };

/** The transaction that makes so many pages, as kit reads it. */
async function made(count: number, isPrivate: boolean) {
  const { wire } = await buildPageTransaction({ ...input, pages: pages.slice(0, count), isPrivate });
  const { message } = decodeTransaction(wire);
  const { header, staticAccounts, instructions } = message;
  const named = instructions.map(({ accountIndices = [], programAddressIndex, data }) => ({
    accounts: accountIndices.map((index) => staticAccounts[index]),
    program: staticAccounts[programAddressIndex],
    data: Uint8Array.from(data ?? []),
    programAddressIndex,
  }));
  const readonly = staticAccounts.slice(staticAccounts.length - header.numReadonlyNonSignerAccounts);
  return { wire, named, readonly, staticAccounts };
}

describe('the making of pages', () => {
  it('costs a batch 326,272 lamports a page', () => {
    expect(PAGE_SLOTS).toBe(240);
    expect([pageRent(0), pageRent(1), pageRent(1_000)]).toEqual([0n, 326_272n, 326_272_000n]);
  });

  it.each([1, MAX_PAGES_MADE])(
    'names the contract’s accounts, and each page’s seeds in their order: %i',
    async (count) => {
      const { named, readonly } = await made(count, false);
      const derived = pages
        .slice(0, count)
        .map((page) => ({ ...page, ...derivePageAddress(mint, page.nonce, program) }));
      expect(named).toHaveLength(2);
      expect(named[1]?.program).toBe(program);
      expect(named[1]?.accounts).toEqual([
        ...[authority.address, config, batch, MAGIC_PROGRAM_ADDRESS, EPHEMERAL_VAULT_ADDRESS],
        ...derived.map(({ address }) => address),
      ]);
      const { seeds } = getOpenPagesInstructionDataDecoder().decode(named[1]?.data ?? new Uint8Array());
      const numberOf = (bytes: Uint8Array) => Buffer.from(bytes).readUInt32LE();
      expect(
        seeds.map(({ nonce, number, bump }) => ({ nonce, number: numberOf(Uint8Array.from(number)), bump })),
      ).toEqual(derived.map(({ nonce, number, bump }) => ({ nonce, number, bump })));
      expect(readonly).toEqual([config, MAGIC_PROGRAM_ADDRESS]);
    },
  );

  it('sets who may read each page in the same transaction, where the layer has read permissions', async () => {
    const { wire, named, readonly, staticAccounts } = await made(MAX_PAGES_MADE, true);
    const addresses = pages.map(({ nonce }) => derivePageAddress(mint, nonce, program).address);
    expect(named).toHaveLength(3);
    expect(named[2]?.program).toBe(program);
    expect([...(named[2]?.data ?? [])]).toEqual([SET_PERMISSIONS_DISCRIMINATOR]);
    expect(named[2]?.accounts).toEqual([
      ...[authority.address, config, batch],
      ...[PERMISSION_PROGRAM_ADDRESS, EPHEMERAL_VAULT_ADDRESS, MAGIC_PROGRAM_ADDRESS],
      ...addresses.flatMap((address) => [address, derivePermissionAddress(address)]),
    ]);
    expect(readonly).toEqual([config, MAGIC_PROGRAM_ADDRESS, PERMISSION_PROGRAM_ADDRESS]);
    for (const { programAddressIndex } of named) expect(programAddressIndex).toBeLessThan(38);
    expect(staticAccounts.length).toBeLessThanOrEqual(128);
    expect(Buffer.from(wire, 'base64').length).toBeLessThan(65_536);
  });
});
