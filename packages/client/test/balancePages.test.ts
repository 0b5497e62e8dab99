import { randomBytes } from 'node:crypto';
import { generateKeyPairSigner } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import {
  bitmapAddresses,
  buildClaimTransaction,
  claimedLeaves,
  derivePageAddress,
  derivePermissionAddress,
  EPHEMERAL_VAULT_ADDRESS,
  getClosePermissionInstructionAsync,
  getCommitInstructionAsync,
  getOpenPagesInstructionDataDecoder,
  LEAF_TERMS_BYTES,
  MAGIC_PROGRAM_ADDRESS,
  MAX_CLAIMS_PER_TRANSACTION,
  MAX_PAGES_MADE,
  MAX_PAGES_PER_TRANSACTION,
  openBitmapInstruction,
  openPagesInstructions,
  PAGE_SLOTS,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  PERMISSION_PROGRAM_ADDRESS,
  pageRent,
  SET_PERMISSIONS_DISCRIMINATOR,
} from '../src/index.ts';
import { decodeTransaction, lifetime, randomAddress } from './support.ts';

const [config, batch, mint] = [randomAddress(), randomAddress(), randomAddress()];
const signer = await generateKeyPairSigner();
const authority = signer.address;
const program = PAYOUT_LEDGER_PROGRAM_ADDRESS;
const pages = Array.from({ length: MAX_PAGES_MADE }, (_, at) => {
  const nonce = new Uint8Array(randomBytes(16));
  return { number: at * 70_000, nonce, ...derivePageAddress(mint, nonce, program) };
});
const addresses = pages.map(({ address }) => address);
const making = (count: number, isPrivate: boolean) =>
  openPagesInstructions(
    { authority, config, batch },
    { mint, pages: pages.slice(0, count), isPrivate, programAddress: program },
  );

describe('the making of pages', () => {
  it('costs a batch 326,272 lamports a page', () => {
    expect(PAGE_SLOTS).toBe(240);
    expect([pageRent(0), pageRent(1), pageRent(1_000)]).toEqual([0n, 326_272n, 326_272_000n]);
  });

  it.each([1, MAX_PAGES_MADE])('names the contract’s accounts, and each page’s seeds in their order: %i', (count) => {
    const [opening, ...others] = making(count, false);
    expect(others).toEqual([]);
    const named = addresses.slice(0, count);
    expect(opening).toMatchObject({
      program,
      accounts: [authority, config, batch, MAGIC_PROGRAM_ADDRESS, EPHEMERAL_VAULT_ADDRESS, ...named],
      writable: [batch, EPHEMERAL_VAULT_ADDRESS, ...named],
      readonly: [config, MAGIC_PROGRAM_ADDRESS],
    });
    const { seeds } = getOpenPagesInstructionDataDecoder().decode(opening?.data ?? new Uint8Array());
    const numberOf = (bytes: Uint8Array) => Buffer.from(bytes).readUInt32LE();
    expect(
      seeds.map(({ nonce, number, bump }) => ({ nonce, number: numberOf(Uint8Array.from(number)), bump })),
    ).toEqual(pages.slice(0, count).map(({ nonce, number, bump }) => ({ nonce, number, bump })));
  });

  it('is nothing where there are none', () => {
    expect(making(0, true)).toEqual([]);
  });

  it('sets who may read each page before anything else happens, where the layer has read permissions', () => {
    const [, setting, ...others] = making(MAX_PAGES_MADE, true);
    expect(others).toEqual([]);
    expect([...(setting?.data ?? [])]).toEqual([SET_PERMISSIONS_DISCRIMINATOR]);
    expect(setting?.accounts).toEqual([
      ...[authority, config, batch],
      ...[PERMISSION_PROGRAM_ADDRESS, EPHEMERAL_VAULT_ADDRESS, MAGIC_PROGRAM_ADDRESS],
      ...addresses.flatMap((address) => [address, derivePermissionAddress(address)]),
    ]);
  });

  it('fits beside the most claims, the bitmap’s making and the commit', async () => {
    const of = { schedule: randomAddress(), window: 7n, bitmapNonce: 5 };
    const [bitmap = batch] = bitmapAddresses(of, MAX_CLAIMS_PER_TRANSACTION, program);
    const others = Array.from({ length: MAX_PAGES_PER_TRANSACTION - 2 * MAX_PAGES_MADE }, randomAddress);
    const touched = [...addresses, ...others];
    const leaves = claimedLeaves(0, new Uint8Array(MAX_CLAIMS_PER_TRANSACTION * LEAF_TERMS_BYTES), (index) => ({
      page: touched[index % touched.length] ?? batch,
      slot: 0,
    }));
    const opening = { ...of, recipients: MAX_CLAIMS_PER_TRANSACTION, programAddress: program };
    const { wire } = await buildClaimTransaction({
      ...{ authority: signer, config, batch, bitmap, leaves, lifetime, computeUnitLimit: 1_400_000 },
      // The most that a range's proof can have.
      proof: Array.from({ length: 2 * 20 }, () => new Uint8Array(32)),
      preceding: [...making(MAX_PAGES_MADE, true), openBitmapInstruction({ authority, config, batch }, opening)],
      following: [
        await getClosePermissionInstructionAsync({ authority: signer, config, batch }),
        await getCommitInstructionAsync({ authority: signer, config, batch, window: 7n, bitmapPages: [bitmap] }),
      ],
    });
    expect(Buffer.from(wire, 'base64').length).toBeLessThanOrEqual(65_536);
    const { instructions, staticAccounts } = decodeTransaction(wire).message;
    expect(staticAccounts.length).toBeLessThanOrEqual(128);
    for (const { programAddressIndex } of instructions) expect(programAddressIndex).toBeLessThan(38);
  });
});
