import {
  type AccountMeta,
  AccountRole,
  type Address,
  createNoopSigner,
  decompileTransactionMessage,
  generateKeyPairSigner,
  type Instruction,
  type KeyPairSigner,
  signature as signatureText,
  verifySignature,
} from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildOwnTransaction, buildTransaction, COMPUTE_BUDGET_PROGRAM_ADDRESS } from '../src/index.ts';
import { decodeTransaction, lifetime, randomAddress } from './support.ts';

const addresses = Array.from({ length: 12 }, randomAddress);

const signers = await Promise.all([1, 2, 3].map(() => generateKeyPairSigner()));

describe('ordinary transactions', () => {
  const account = () =>
    fc.oneof(
      fc.record({
        address: fc.constantFrom(...addresses),
        role: fc.constantFrom(AccountRole.READONLY, AccountRole.WRITABLE),
      }),
      fc
        .record({ signer: fc.nat(2), role: fc.constantFrom(AccountRole.READONLY_SIGNER, AccountRole.WRITABLE_SIGNER) })
        .map(({ signer, role }) => {
          const by = signers[signer] as KeyPairSigner;
          return { address: by.address, signer: by, role };
        }),
    );
  const instruction = () =>
    fc.record({
      programAddress: fc.constantFrom(...addresses),
      accounts: fc.array(account(), { maxLength: 8 }),
      data: fc.uint8Array({ maxLength: 300 }),
    });

  it('are read by kit as the instructions that they were made of, each account with all that any of them needs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(instruction(), { minLength: 1, maxLength: 4 }), async (instructions) => {
        const feePayer = signers[0] as KeyPairSigner;
        const { wire, signature } = await buildTransaction({
          feePayer,
          instructions: instructions as unknown as Instruction[],
          lifetime,
        });
        const isOwn = instructions.every(({ accounts }) =>
          accounts.every((each) => !('signer' in each) || each.address === feePayer.address),
        );
        const own = buildOwnTransaction({ feePayer, instructions: instructions as unknown as Instruction[], lifetime });
        if (isOwn) expect(await own).toEqual({ wire, signature });
        else await expect(own).rejects.toMatchObject({ code: 'SIGNATURE_MISSING' });
        const { transaction, message } = decodeTransaction(wire);
        const read = decompileTransactionMessage(message, {
          lastValidBlockHeight: lifetime.lastValidBlockHeight,
        }) as unknown as { readonly feePayer: AccountMeta; readonly instructions: readonly Instruction[] };
        expect(read.feePayer.address).toBe(feePayer.address);
        expect(message.lifetimeToken).toBe(lifetime.blockhash);

        const roles = new Map<Address, AccountRole>([[feePayer.address, AccountRole.WRITABLE_SIGNER]]);
        for (const { address, role } of instructions.flatMap(({ accounts }) => accounts as AccountMeta[])) {
          roles.set(address, ((roles.get(address) ?? 0) | role) as AccountRole);
        }
        expect(
          read.instructions.map(({ programAddress, accounts = [], data }) => ({
            programAddress,
            accounts: accounts.map(({ address, role }) => ({ address, role })),
            data: Buffer.from((data as Uint8Array | undefined) ?? []),
          })),
        ).toEqual(
          instructions.map(({ programAddress, accounts, data }) => ({
            programAddress,
            accounts: accounts.map(({ address }) => ({ address, role: roles.get(address) })),
            data: Buffer.from(data),
          })),
        );
        const signing = [...roles].filter(([, role]) => role >= AccountRole.READONLY_SIGNER);
        expect(Object.keys(transaction.signatures).toSorted()).toEqual(signing.map(([address]) => address).toSorted());
        for (const { address, keyPair } of signers) {
          const own = transaction.signatures[address];
          if (own) expect(await verifySignature(keyPair.publicKey, own, transaction.messageBytes)).toBe(true);
        }
        expect(signature).toBe(signatureText(signature));
      }),
      { numRuns: 200 },
    );
  });

  it('set the compute limit and the price first', async () => {
    const [feePayer] = signers as [KeyPairSigner];
    const programAddress = randomAddress();
    const { wire } = await buildTransaction({
      feePayer,
      instructions: [{ programAddress }],
      lifetime,
      computeUnitLimit: 1_400_000,
      computeUnitPrice: 5n,
    });
    const { staticAccounts, instructions } = decodeTransaction(wire).message;
    expect(staticAccounts).toEqual([feePayer.address, COMPUTE_BUDGET_PROGRAM_ADDRESS, programAddress]);
    expect(instructions.map(({ data }) => [...(data ?? [])])).toEqual([
      [2, 0xc0, 0x5c, 0x15, 0],
      [3, 5, 0, 0, 0, 0, 0, 0, 0],
      [],
    ]);
  });

  it('are not made without a signature that they need', async () => {
    const instruction = {
      programAddress: randomAddress(),
      accounts: [{ address: randomAddress(), role: AccountRole.READONLY_SIGNER }],
    };
    const [feePayer] = signers as [KeyPairSigner];
    await expect(buildTransaction({ feePayer, instructions: [instruction], lifetime })).rejects.toThrow('missing');
    const unable = createNoopSigner(randomAddress());
    await expect(
      buildTransaction({ feePayer: unable, instructions: [{ programAddress: randomAddress() }], lifetime }),
    ).rejects.toThrow('missing');
  });
});
