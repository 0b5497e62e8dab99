import { randomBytes } from 'node:crypto';
import { type Address, type Base64EncodedWireTransaction, generateKeyPairSigner, verifySignature } from '@solana/kit';
import { describe, expect, it } from 'vitest';
import {
  addressToBytes,
  bitmapAddresses,
  buildBitmapTransaction,
  buildClaimTransaction,
  type Claim,
  COMPUTE_BUDGET_PROGRAM_ADDRESS,
  claimData,
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
  pagesOf,
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
const claims: Claim[] = leaves.map((leaf) => {
  const { owner, blind } = ownerRecord(leaf);
  const page = pages[(leaf.index * 7) % pages.length] as Claim['page'];
  return {
    index: leaf.index,
    owner: Buffer.concat([owner, blind]),
    amount: leaf.amount,
    page,
    slot: leaf.index % PAGE_SLOTS,
  };
});

const inputFor = (start: number, count: number) => ({
  authority,
  config,
  batch,
  bitmap,
  claims: claims.slice(start, start + count),
  proof: tree.rangeProof(start, count),
  lifetime,
});

/** What a claim transaction says of its leaves, by the place of each page among those that it names. */
const entriesOf = (range: readonly Claim[]) =>
  range.map(({ owner, amount, page, slot }) => ({
    owner: owner.subarray(0, 32),
    amount,
    blind: owner.subarray(32),
    page: pagesOf(range).indexOf(page),
    slot,
  }));

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
        entries: entriesOf(input.claims),
        proof: input.proof,
        pages: pagesOf(input.claims),
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
    expect(staticAccounts.slice(2, -1)).toEqual([batch, bitmap, ...pagesOf(claims.slice(0, 10))]);
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

  it('refuse too many pages, gaps, and an owner without its blind', async () => {
    const refused = (claims: readonly Claim[]) =>
      expect(buildClaimTransaction({ ...inputFor(0, 1), claims, proof: [] })).rejects;
    const apart = (count: number) => claims.slice(0, count).map((claim) => ({ ...claim, page: randomAddress() }));
    await expect(
      buildClaimTransaction({ ...inputFor(0, 1), claims: apart(MAX_PAGES_PER_TRANSACTION), proof: [] }),
    ).resolves.toBeTruthy();
    await refused(apart(MAX_PAGES_PER_TRANSACTION + 1)).toMatchObject({ code: 'INVALID_RANGE' });
    await refused(claims.slice(0, 3).toSpliced(1, 1)).toMatchObject({ code: 'INVALID_RANGE' });
    await refused([]).toMatchObject({ code: 'INVALID_RANGE' });
    const [first] = claims as [Claim];
    await refused([{ ...first, owner: first.owner.subarray(0, 32) }]).toMatchObject({ code: 'INVALID_LEAF' });
  });
});

describe('claim data', () => {
  it('equals that of the generated encoder', () => {
    const proof = [randomBytes(32), randomBytes(32)];
    const range = claims.slice(40, 60);
    const expected = getClaimPaymentInstructionDataEncoder().encode({ start: 40, entries: entriesOf(range), proof });
    expect(Buffer.from(claimData(range, proof))).toEqual(Buffer.from(expected));
  });
});
