import { generateKeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addressFromBytes,
  addressToBytes,
  buildPermissionTransaction,
  derivePermissionAddress,
  EPHEMERAL_VAULT_ADDRESS,
  findPermissionPda,
  getClosePermissionInstructionAsync,
  MAGIC_PROGRAM_ADDRESS,
  MAX_PERMISSIONS_PER_TRANSACTION,
  namesReader,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  PERMISSION_PROGRAM_ADDRESS,
  permissionRent,
  readPermission,
  SET_PERMISSIONS_DISCRIMINATOR,
} from '../src/index.ts';
import { decodeTransaction, lifetime, randomAddress } from './support.ts';

const [config, batch] = [randomAddress(), randomAddress()];

const authority = await generateKeyPairSigner();

describe('read permissions', () => {
  it('stand at the permission program’s address of an account', async () => {
    for (let tries = 0; tries < 20; tries++) {
      const permissioned = randomAddress();
      expect(derivePermissionAddress(permissioned)).toBe((await findPermissionPda({ permissioned }))[0]);
    }
  });

  it('cost a batch 5,152 lamports each, its own included', () => {
    expect([permissionRent(0), permissionRent(1), permissionRent(1_000)]).toEqual([5_152n, 10_304n, 5_157_152n]);
  });

  it('name their readers, and nobody else', () => {
    // Up to and with the permission program's own first member.
    const head = fc.uint8Array({ minLength: 68, maxLength: 68 });
    const members = fc.array(
      fc.tuple(fc.oneof(fc.constant(30), fc.nat(255)), fc.uint8Array({ minLength: 32, maxLength: 32 })),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(head, members, fc.nat(3), (start, named, place) => {
        const bytes = Buffer.concat([start, ...named.map(([flags, who]) => Buffer.from([flags, ...who]))]);
        const reader = randomAddress();
        expect(namesReader(bytes, reader)).toBe(false);
        const account = addressFromBytes(start.subarray(2, 34));
        const isOfPayouts = named.length === 1 && named[0]?.[0] === 30;
        expect(readPermission(bytes)).toMatchObject({ account, readers: { length: named.length }, isOfPayouts });
        if (place >= named.length) return;
        bytes.set(addressToBytes(reader), 68 + place * 33 + 1);
        expect(namesReader(bytes, reader)).toBe(true);
        expect(namesReader(bytes.subarray(0, 68 + place * 33 + 32), reader)).toBe(false);
      }),
    );
  });

  it.each([
    [false, 1],
    [true, 0],
    [true, MAX_PERMISSIONS_PER_TRANSACTION - 1],
    [false, MAX_PERMISSIONS_PER_TRANSACTION],
  ])(
    'are set with the contract’s accounts, the programs that are called first: batch %s, %i others',
    async (ofBatch, count) => {
      const others = Array.from({ length: count }, randomAddress);
      const subjects = [...(ofBatch ? [batch] : []), ...others];
      const { wire } = await buildPermissionTransaction({
        authority,
        config,
        batch,
        subjects,
        lifetime,
        programAddress: PAYOUT_LEDGER_PROGRAM_ADDRESS,
        computeUnitLimit: 1_000_000,
      });
      const { message } = decodeTransaction(wire);
      const [, setting] = message.instructions;
      expect(message.staticAccounts[setting?.programAddressIndex ?? 0]).toBe(PAYOUT_LEDGER_PROGRAM_ADDRESS);
      for (const { programAddressIndex } of message.instructions) expect(programAddressIndex).toBeLessThan(38);
      expect(setting?.accountIndices?.map((index) => message.staticAccounts[index])).toEqual([
        authority.address,
        config,
        batch,
        PERMISSION_PROGRAM_ADDRESS,
        EPHEMERAL_VAULT_ADDRESS,
        MAGIC_PROGRAM_ADDRESS,
        ...subjects.flatMap((subject) => [subject, derivePermissionAddress(subject)]),
      ]);
      const [discriminator, ...rest] = setting?.data ?? [];
      expect([discriminator, rest]).toEqual([SET_PERMISSIONS_DISCRIMINATOR, []]);
      const { header, staticAccounts } = message;
      const readonly = staticAccounts.slice(staticAccounts.length - header.numReadonlyNonSignerAccounts);
      expect(readonly).toEqual([config, PERMISSION_PROGRAM_ADDRESS, MAGIC_PROGRAM_ADDRESS, ...others]);
    },
  );

  it('of a batch are closed with the contract’s accounts', async () => {
    const { accounts } = await getClosePermissionInstructionAsync({ authority, config, batch });
    expect(accounts.map(({ address }) => address)).toEqual([
      authority.address,
      config,
      batch,
      derivePermissionAddress(batch),
      PERMISSION_PROGRAM_ADDRESS,
      EPHEMERAL_VAULT_ADDRESS,
      MAGIC_PROGRAM_ADDRESS,
    ]);
  });
});
