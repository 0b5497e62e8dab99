import { randomBytes } from 'node:crypto';
import { generateKeyPairSigner, verifySignature } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import {
  buildClaimTransaction,
  type Claim,
  COMPUTE_BUDGET_PROGRAM_ADDRESS,
  claimData,
  deriveBalanceAddress,
  EPHEMERAL_VAULT_ADDRESS,
  getClaimPaymentInstruction,
  getClaimPaymentInstructionDataEncoder,
  leafHash,
  MerkleTree,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
} from '../src/index.ts';
import { decodeTransaction, lifetime, randomAddress, randomLeaves } from './support.ts';

const mint = randomAddress();
const [config, batch] = [randomAddress(), randomAddress()];
const authority = await generateKeyPairSigner();
const leaves = randomLeaves(300);
const tree = new MerkleTree(leaves.map(leafHash));
const claims: Claim[] = leaves.map((leaf) => {
  const { address, bump } = deriveBalanceAddress(mint, leaf);
  return { ...leaf, balance: address, bump };
});

const inputFor = (start: number, count: number) => ({
  authority,
  config,
  batch,
  claims: claims.slice(start, start + count),
  proof: tree.rangeProof(start, count),
  lifetime,
});

const entriesOf = (range: readonly Claim[]) =>
  range.map(({ recipient, amount, delivery, salt, bump }) => ({
    recipient,
    amount,
    delivery: delivery === 'wallet' ? 1 : 0,
    salt,
    bump,
  }));

describe('claim transactions', () => {
  it.each([1, 2, 62, 122, 250])('of %i claims are read by kit as the generated instruction', async (count) => {
    const input = inputFor(3, count);
    const { wire, signature } = await buildClaimTransaction(input);
    const { transaction, message } = decodeTransaction(wire);
    expect(message.lifetimeToken).toBe(lifetime.blockhash);
    expect(message.staticAccounts[0]).toBe(authority.address);
    const [instruction] = message.instructions;
    expect(message.instructions).toHaveLength(1);
    expect(instruction?.programAddressIndex).toBe(1);
    expect(message.staticAccounts[1]).toBe(PAYOUT_LEDGER_PROGRAM_ADDRESS);

    const expected = getClaimPaymentInstruction({
      authority,
      config,
      batch,
      start: 3,
      entries: entriesOf(input.claims),
      proof: input.proof,
      balances: input.claims.map(({ balance }) => balance),
    });
    const named = instruction?.accountIndices?.map((index) => message.staticAccounts[index]);
    expect(named).toEqual(expected.accounts.map(({ address }) => address));
    expect(Buffer.from(instruction?.data ?? [])).toEqual(Buffer.from(expected.data));

    const own = transaction.signatures[authority.address];
    expect(own).toBeTruthy();
    if (!own) return;
    expect(await verifySignature(authority.keyPair.publicKey, own, transaction.messageBytes)).toBe(true);
    expect(signature.length).toBeGreaterThan(80);
  });

  it('mark exactly the config and the magic program read-only', async () => {
    const { wire } = await buildClaimTransaction(inputFor(0, 10));
    const { header, staticAccounts } = decodeTransaction(wire).message;
    expect(header).toEqual({ numSignerAccounts: 1, numReadonlySignerAccounts: 0, numReadonlyNonSignerAccounts: 2 });
    expect(staticAccounts.slice(-2)).toEqual([config, 'Magic11111111111111111111111111111111111111']);
    expect(staticAccounts.slice(2, 4)).toEqual([batch, EPHEMERAL_VAULT_ADDRESS]);
    expect(staticAccounts).toHaveLength(16);
  });

  it('keep programs below key 38, with a compute limit too', async () => {
    const { wire } = await buildClaimTransaction({ ...inputFor(0, 249), computeUnitLimit: 1_400_000 });
    const { message } = decodeTransaction(wire);
    const programs = message.instructions.map(({ programAddressIndex }) => programAddressIndex);
    expect(Math.max(...programs)).toBeLessThan(38);
    expect(message.staticAccounts[programs[0] as number]).toBe(COMPUTE_BUDGET_PROGRAM_ADDRESS);
    expect(Buffer.from(message.instructions[0]?.data ?? [])).toEqual(Buffer.from([2, 0xc0, 0x5c, 0x15, 0]));
    expect(message.staticAccounts).toHaveLength(256);
  });

  it('give a recipient who stands in the range twice one key', async () => {
    const twice = leaves.map((leaf, index) => ({ ...(claims[index % 20] as Claim), index, amount: leaf.amount }));
    const input = { ...inputFor(0, 1), claims: twice.slice(0, 100), proof: [] };
    const { message } = decodeTransaction((await buildClaimTransaction(input)).wire);
    expect(message.staticAccounts).toHaveLength(26);
    expect(message.instructions[0]?.accountIndices).toHaveLength(105);
  });

  it('address another deployment', async () => {
    const programAddress = randomAddress();
    const { wire } = await buildClaimTransaction({ ...inputFor(0, 1), programAddress });
    expect(decodeTransaction(wire).message.staticAccounts[1]).toBe(programAddress);
  });

  it('refuse too many keys, too many accounts and gaps', async () => {
    const refused = (input: Parameters<typeof buildClaimTransaction>[0]) =>
      expect(buildClaimTransaction(input)).rejects;
    await refused(inputFor(0, 251)).toMatchObject({ code: 'TRANSACTION_TOO_LARGE' });
    await refused({ ...inputFor(0, 250), computeUnitLimit: 1 }).toMatchObject({
      code: 'TRANSACTION_TOO_LARGE',
    });
    const gap = inputFor(0, 3).claims.toSpliced(1, 1);
    await refused({ ...inputFor(0, 3), claims: gap }).toMatchObject({ code: 'INVALID_RANGE' });
    await refused({ ...inputFor(0, 3), claims: [] }).toMatchObject({ code: 'INVALID_RANGE' });
    const same = claims.slice(0, 251).map((claim) => ({ ...claim, balance: randomBalance }));
    await refused({ ...inputFor(0, 251), claims: same }).toMatchObject({ code: 'TRANSACTION_TOO_LARGE' });
  });
  const randomBalance = randomAddress();
});

describe('claim data', () => {
  it('equals that of the generated encoder', () => {
    const proof = [randomBytes(32), randomBytes(32)];
    const range = claims.slice(40, 60);
    const expected = getClaimPaymentInstructionDataEncoder().encode({ start: 40, entries: entriesOf(range), proof });
    expect(Buffer.from(claimData(range, proof))).toEqual(Buffer.from(expected));
  });
});
