import { randomBytes } from 'node:crypto';
import { type Address, type Base64EncodedWireTransaction, generateKeyPairSigner, verifySignature } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import {
  addressToBytes,
  bitmapAddresses,
  buildBitmapTransaction,
  buildClaimTransaction,
  COMPUTE_BUDGET_PROGRAM_ADDRESS,
  claimData,
  claimedLeaves,
  getClaimPaymentInstruction,
  getClaimPaymentInstructionDataEncoder,
  leafHash,
  MAX_CLAIMS_PER_TRANSACTION,
  MAX_PAGES_PER_TRANSACTION,
  MerkleTree,
  openBitmapInstruction,
  openingOf,
  ownerRecord,
  PAGE_SLOTS,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  termsOfLeaf,
} from '../src/index.ts';
import { decodeTransaction, lifetime, randomAddress, randomLeaves } from './support.ts';

/** Bytes of a transaction that the layer takes, in base 64. */
const MOST_BYTES = 65_536;

const [config, batch, bitmap] = [randomAddress(), randomAddress(), randomAddress()];
const authority = await generateKeyPairSigner();
const leaves = randomLeaves(1_100);
const tree = new MerkleTree(leaves.map(leafHash));
const pages = Array.from({ length: 10 }, randomAddress);
/** Balances lie here and there on the pages. */
const placeOf = (index: number) => ({
  page: pages[(index * 7) % pages.length] as Address,
  slot: index % PAGE_SLOTS,
});
const termsOf = (start: number, count: number) => Buffer.concat(leaves.slice(start, start + count).map(termsOfLeaf));
const claimed = (start: number, count: number) => claimedLeaves(start, termsOf(start, count), placeOf);

const inputFor = (start: number, count: number) => ({
  authority,
  config,
  batch,
  bitmap,
  leaves: claimed(start, count),
  proof: tree.rangeProof(start, count),
  lifetime,
});

/** What a claim transaction says of its leaves, by the place of each page among those that it names. */
function entriesOf(start: number, count: number) {
  const named = claimed(start, count).pages;
  return leaves.slice(start, start + count).map((leaf) => {
    const { page, slot } = placeOf(leaf.index);
    return { ...ownerRecord(leaf), amount: leaf.amount, page: named.indexOf(page), slot };
  });
}

describe('claim transactions', () => {
  it.each([1, 2, 62, 250, MAX_CLAIMS_PER_TRANSACTION])(
    'of %i claims are read by kit as the generated instruction',
    async (count) => {
      const input = inputFor(3, count);
      const { wire, signature } = await buildClaimTransaction(input);
      const { transaction, message } = decodeTransaction(wire);
      expect(Buffer.from(wire, 'base64').length).toBeLessThanOrEqual(MOST_BYTES);
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
        bitmap,
        start: 3,
        entries: entriesOf(3, count),
        proof: input.proof,
        pages: [...input.leaves.pages],
      });
      const named = instruction?.accountIndices?.map((index) => message.staticAccounts[index]);
      expect(named).toEqual(expected.accounts.map(({ address }) => address));
      expect(Buffer.from(instruction?.data ?? [])).toEqual(Buffer.from(expected.data));

      const own = transaction.signatures[authority.address];
      expect(own).toBeTruthy();
      if (!own) return;
      expect(await verifySignature(authority.keyPair.publicKey, own, transaction.messageBytes)).toBe(true);
      expect(signature.length).toBeGreaterThan(80);
    },
  );

  it('mark exactly the config read-only', async () => {
    const { wire } = await buildClaimTransaction(inputFor(0, 10));
    const { header, staticAccounts } = decodeTransaction(wire).message;
    expect(header).toEqual({ numSignerAccounts: 1, numReadonlySignerAccounts: 0, numReadonlyNonSignerAccounts: 1 });
    expect(staticAccounts.at(-1)).toBe(config);
    expect(staticAccounts.slice(2, -1)).toEqual([batch, bitmap, ...claimed(0, 10).pages]);
    expect(staticAccounts).toHaveLength(15);
  });

  it('name each page once, and keep programs first, with a compute limit too', async () => {
    const input = { ...inputFor(0, MAX_CLAIMS_PER_TRANSACTION), computeUnitLimit: 1_400_000 };
    const { wire } = await buildClaimTransaction(input);
    const { message } = decodeTransaction(wire);
    const programs = message.instructions.map(({ programAddressIndex }) => programAddressIndex);
    expect(Math.max(...programs)).toBeLessThan(38);
    expect(message.staticAccounts[programs[0] as number]).toBe(COMPUTE_BUDGET_PROGRAM_ADDRESS);
    expect(Buffer.from(message.instructions[0]?.data ?? [])).toEqual(Buffer.from([2, 0xc0, 0x5c, 0x15, 0]));
    expect(message.staticAccounts).toHaveLength(6 + pages.length);
    expect(message.instructions[1]?.accountIndices).toHaveLength(4 + pages.length);
    expect(Buffer.from(wire, 'base64').length).toBeLessThanOrEqual(MOST_BYTES);
  });

  it('make the bitmap first where one is missing, by the same instructions as two transactions', async () => {
    const name = { schedule: randomAddress(), window: 7n, bitmapNonce: 5 };
    const opening = { ...name, recipients: 250 };
    const [page] = bitmapAddresses(name, 250, PAYOUT_LEDGER_PROGRAM_ADDRESS);
    const claiming = { ...inputFor(0, 250), bitmap: page as Address, computeUnitLimit: 1_400_000 };
    const saidBy = ({ wire }: { readonly wire: string }) => {
      const { instructions, staticAccounts } = decodeTransaction(wire as Base64EncodedWireTransaction).message;
      return instructions.map(({ programAddressIndex, accountIndices = [], data = [] }) => ({
        program: staticAccounts[programAddressIndex],
        accounts: accountIndices.map((index) => staticAccounts[index]),
        data: Buffer.from(data).toString('hex'),
      }));
    };
    const programAddress = PAYOUT_LEDGER_PROGRAM_ADDRESS;
    const accounts = { authority: authority.address, config, batch };
    const preceding = [openBitmapInstruction(accounts, { ...opening, programAddress })];
    const [limit, opened, claimed] = saidBy(await buildClaimTransaction({ ...claiming, preceding }));
    const alone = { authority, config, batch, ...opening, lifetime, programAddress, computeUnitLimit: 1_400_000 };
    expect([limit, opened]).toEqual(saidBy(await buildBitmapTransaction(alone)));
    expect([limit, claimed]).toEqual(saidBy(await buildClaimTransaction(claiming)));
  });

  it('show no recipient, and nothing that a salt is', async () => {
    const bytes = Buffer.from((await buildClaimTransaction(inputFor(0, 50))).wire, 'base64');
    for (const { recipient, salt } of leaves.slice(0, 50)) {
      for (const secret of [addressToBytes(recipient), salt, openingOf(salt)]) {
        expect(bytes.includes(Buffer.from(secret))).toBe(false);
      }
    }
  });

  it('address another deployment', async () => {
    const programAddress = randomAddress();
    const { wire } = await buildClaimTransaction({ ...inputFor(0, 1), programAddress });
    expect(decodeTransaction(wire).message.staticAccounts[1]).toBe(programAddress);
  });

  it('refuse too many pages, and no leaf at all', () => {
    const apart = (count: number) => claimedLeaves(0, termsOf(0, count), () => ({ page: randomAddress(), slot: 0 }));
    expect(apart(MAX_PAGES_PER_TRANSACTION).pages).toHaveLength(MAX_PAGES_PER_TRANSACTION);
    for (const count of [MAX_PAGES_PER_TRANSACTION + 1, 0]) {
      expect(() => apart(count)).toThrow(expect.objectContaining({ code: 'INVALID_RANGE' }));
    }
  });
});

describe('claim data', () => {
  it('equals that of the generated encoder', () => {
    const proof = [randomBytes(32), randomBytes(32)];
    const entries = entriesOf(40, 20);
    const expected = getClaimPaymentInstructionDataEncoder().encode({ start: 40, entries, proof });
    expect(Buffer.from(claimData(claimed(40, 20), proof))).toEqual(Buffer.from(expected));
  });
});
