import { generateKeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ClientError,
  ownerRecord,
  payerMark,
  paymentCodeOf,
  signTransfer,
  type TransferReceipt,
  type TransferStatement,
  transferFaults,
  transferReceiptFromJson,
  transferReceiptToJson,
} from '../src/index.ts';
import { randomAddress } from './support.ts';

const NOT_SIGNED = "The receipt's fields are not what the issuer signed.";
const authority = await generateKeyPairSigner();
const [payer, payee] = [randomAddress(), randomAddress()];
const secret = (byte: number) => new Uint8Array(16).fill(byte);
const [PAYERS, SALT] = [secret(1), secret(2)];
const codeOf = (salt: Uint8Array) => paymentCodeOf(ownerRecord({ recipient: payee, salt, delivery: 'balance' }).owner);

const statement: TransferStatement = {
  program: randomAddress(),
  mint: randomAddress(),
  decimals: 6,
  symbol: 'USDC',
  amount: 250_000_000n,
  paymentCode: codeOf(SALT),
  payer: payerMark(payer, PAYERS),
  madeAt: 1_796_025_501_520,
};

/** Both sides' receipts of a transfer. */
async function receipts(changes: Partial<TransferStatement> = {}): Promise<[TransferReceipt, TransferReceipt]> {
  const transfer = await signTransfer({ ...statement, ...changes }, authority);
  return [
    { transfer, opening: { side: 'payer', recipient: payer, secret: PAYERS } },
    { transfer, opening: { side: 'payee', recipient: payee, secret: SALT } },
  ];
}

/** What is wrong with a text that says it is a receipt. */
async function faultsOfText(text: string): Promise<readonly string[]> {
  try {
    return await transferFaults(transferReceiptFromJson(JSON.parse(text)));
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof ClientError && error.code === 'INVALID_RECEIPT'))
      return ['no receipt'];
    throw error;
  }
}

describe('a receipt of a private transfer', () => {
  it('is sound for both sides, whatever was paid, and comes back from its JSON', async () => {
    const terms = fc.record({
      amount: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }),
      decimals: fc.nat(20),
      symbol: fc.constantFrom('USDC', 'a.b', null),
      madeAt: fc.nat(2 ** 41),
    });
    await fc.assert(
      fc.asyncProperty(terms, async (changes) => {
        for (const receipt of await receipts(changes)) {
          const text = JSON.stringify(transferReceiptToJson(receipt));
          expect(transferReceiptFromJson(JSON.parse(text))).toEqual(receipt);
          expect(await transferFaults(receipt, authority.address)).toEqual([]);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('is refused when any single character of it is another', async () => {
    const characters = '0123456789abcdefxyzABC"{}[],: -*+/=';
    for (const receipt of await receipts()) {
      const text = JSON.stringify(transferReceiptToJson(receipt));
      const missed: number[] = [];
      for (let place = 0; place < text.length; place++) {
        const others = [...characters].filter((character) => character !== text[place]);
        const other = others[(place * 7) % others.length] as string;
        const faults = await faultsOfText(text.slice(0, place) + other + text.slice(place + 1));
        if (faults.length === 0) missed.push(place);
      }
      expect(missed).toEqual([]);
    }
  });

  it('says nothing of the other side: what is signed names neither, and no two transfers are seen to be of one payer', async () => {
    const [first, second] = await receipts();
    expect(first.transfer).toEqual(second.transfer);
    const signed = JSON.stringify({ ...first.transfer, amount: String(first.transfer.amount) });
    for (const name of [payer, payee]) expect(signed).not.toContain(name);
    expect(JSON.stringify(transferReceiptToJson(second))).not.toContain(payer);
    expect(JSON.stringify(transferReceiptToJson(first))).not.toContain(payee);
    expect(payerMark(payer, secret(3))).not.toEqual(payerMark(payer, PAYERS));
  });

  it('is nobody else’s: neither whoever has paid nor whoever was paid can be another', async () => {
    const [asPayer, asPayee] = await receipts();
    const claimed = { recipient: randomAddress() };
    expect(await transferFaults({ ...asPayer, opening: { ...asPayer.opening, ...claimed } })).toEqual([
      'Somebody else has paid.',
    ]);
    expect(await transferFaults({ ...asPayee, opening: { ...asPayee.opening, ...claimed } })).toEqual([
      'The payment code is somebody else’s.',
    ]);
    // The payee can't say that they have paid, by what they know.
    expect(await transferFaults({ ...asPayee, opening: { ...asPayee.opening, side: 'payer' } })).not.toEqual([]);
  });

  it('names what is wrong with what was signed, and another key than the one that was named', async () => {
    const [{ transfer, opening }] = await receipts();
    const changes = {
      amount: 1n,
      decimals: 2,
      symbol: null,
      madeAt: 5,
      mint: randomAddress(),
      program: randomAddress(),
    };
    for (const [name, value] of Object.entries(changes)) {
      expect(await transferFaults({ transfer: { ...transfer, [name]: value }, opening }), name).toEqual([NOT_SIGNED]);
    }
    expect(await transferFaults({ transfer: { ...transfer, paymentCode: codeOf(secret(9)) }, opening })).toEqual([
      NOT_SIGNED,
    ]);
    expect(await transferFaults({ transfer, opening }, randomAddress())).toEqual([
      'The issuer is not the execution authority that was named.',
    ]);
    const [{ transfer: none }] = await receipts({ amount: 0n });
    expect(await transferFaults({ transfer: none, opening })).toEqual(['A transfer of nothing is none.']);
  });
});
