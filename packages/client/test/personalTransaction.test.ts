import { AccountRole, type Address, generateKeyPairSigner } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import {
  buildPersonalTransaction,
  derivePermissionAddress,
  EPHEMERAL_VAULT_ADDRESS,
  findConfigAddress,
  findCounterAddress,
  getOpenPersonalInstructionDataDecoder,
  INSTRUCTIONS_SYSVAR_ADDRESS,
  MAGIC_PROGRAM_ADDRESS,
  MAX_PERSONAL_MADE,
  MOST_WITHDRAWALS,
  openingOf,
  openPersonalInstruction,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  PERMISSION_PROGRAM_ADDRESS,
  type PrivateBalance,
  personalNamed,
} from '../src/index.ts';
import { decodeTransaction, lifetime, randomAddress, randomLeaves } from './support.ts';

const [signer, authority] = [await generateKeyPairSigner(), await generateKeyPairSigner()];
const mint = randomAddress();
const page = randomAddress();
const balances = randomLeaves(MAX_PERSONAL_MADE).map(
  (leaf): PrivateBalance => ({ ...leaf, mint, page, slot: 200 - leaf.index }),
);
const [balance] = balances as [PrivateBalance];

/** An account of a balance that nobody else has. */
const newPersonal = (number = 1) => personalNamed(mint, crypto.getRandomValues(new Uint8Array(16)), number);

/** The accounts of `open_personal` after the key that signs. */
const accountsOf = async (personal: Address) => [
  await findConfigAddress(),
  page,
  personal,
  await findCounterAddress(mint),
  authority.address,
  derivePermissionAddress(personal),
  PERMISSION_PROGRAM_ADDRESS,
  MAGIC_PROGRAM_ADDRESS,
  EPHEMERAL_VAULT_ADDRESS,
  INSTRUCTIONS_SYSVAR_ADDRESS,
];

const dataOf = (data: ArrayLike<number> | undefined) =>
  getOpenPersonalInstructionDataDecoder().decode(Uint8Array.from(data ?? []));

describe('the making of a personal account', () => {
  it.each([false, true])(
    'names the contract’s accounts, and opens the balance’s owner: private %s',
    async (isPrivate) => {
      const executionAuthority = authority.address;
      const named = newPersonal(0x12_34);
      const options = { signer, balance, executionAuthority, isPrivate, personal: named };
      const instruction = await openPersonalInstruction(options);
      const { address: personal, number } = named;
      expect(instruction.accounts?.map(({ address }) => address)).toEqual([
        signer.address,
        ...(await accountsOf(personal)),
      ]);
      // The layer lets nobody name as written what isn't there in the end.
      const permission = instruction.accounts?.find(({ address }) => address === derivePermissionAddress(personal));
      expect(permission?.role).toBe(isPrivate ? AccountRole.WRITABLE : AccountRole.READONLY);
      expect(dataOf(instruction.data)).toMatchObject({
        recipient: balance.recipient,
        opening: openingOf(balance.salt),
        delivery: 1,
        slot: 200,
        number,
        withdrawals: MOST_WITHDRAWALS,
        isPrivate: isPrivate ? 1 : 0,
      });
      expect(Buffer.from(instruction.data ?? []).includes(Buffer.from(balance.salt))).toBe(false);
    },
  );

  it('takes as many withdrawals as it is told', async () => {
    const options = { signer, balance, executionAuthority: authority.address, isPrivate: false };
    const instruction = await openPersonalInstruction({ ...options, personal: newPersonal(), withdrawals: 2 });
    expect(dataOf(instruction.data)).toMatchObject({ withdrawals: 2 });
  });

  it.each([false, true])('of twenty balances is one transaction of the authority: private %s', async (isPrivate) => {
    const wanted = balances.map((each) => ({ ...each, personal: newPersonal() }));
    const { wire } = await buildPersonalTransaction({
      ...{ authority, isPrivate, lifetime, balances: wanted, withdrawals: 2 },
      config: await findConfigAddress(),
      counter: await findCounterAddress(mint),
      programAddress: PAYOUT_LEDGER_PROGRAM_ADDRESS,
      computeUnitLimit: 1_000_000,
    });
    const { header, staticAccounts, instructions } = decodeTransaction(wire).message;
    expect(instructions).toHaveLength(1 + MAX_PERSONAL_MADE);
    const readonly = staticAccounts.slice(staticAccounts.length - header.numReadonlyNonSignerAccounts);
    for (const [at, each] of wanted.entries()) {
      const { accountIndices = [], data, programAddressIndex } = instructions[1 + at] ?? { programAddressIndex: 255 };
      expect(programAddressIndex).toBeLessThan(38);
      expect(accountIndices.map((index) => staticAccounts[index])).toEqual([
        authority.address,
        ...(await accountsOf(each.personal.address)),
      ]);
      expect(dataOf(data)).toMatchObject({
        recipient: each.recipient,
        delivery: each.delivery === 'wallet' ? 1 : 0,
        slot: each.slot,
        number: each.personal.number,
        withdrawals: 2,
      });
      expect(readonly.includes(derivePermissionAddress(each.personal.address))).toBe(!isPrivate);
      expect(readonly.includes(each.personal.address)).toBe(false);
    }
    expect(staticAccounts.length).toBeLessThanOrEqual(128);
  });
});
