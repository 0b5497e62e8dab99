import { generateKeyPairSigner } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bitmapFromText,
  bitmapToText,
  ClientError,
  payslipFaults,
  payslipFromJson,
  payslipToJson,
  type SignedWindow,
  signWindow,
  windowFaults,
  windowFromJson,
  windowToJson,
} from '../src/index.ts';
import { payslipOf, settledWindow } from './payslips.ts';
import { randomAddress, randomLeaves } from './support.ts';

const NOT_IN_LIST = "The entry and its proof don't lead to the root of the window's list.";
const NOT_SIGNED = "The window's fields are not what the issuer signed.";
const OTHER_BITMAP = 'The bitmap is not the one that the window was settled with.';
const OTHER_WINDOW = "The settlement's transaction does not settle this window.";

/** What is wrong with a text that says it is a payslip: an error's code, or faults. */
async function faultsOfText(text: string): Promise<readonly string[]> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return ['no JSON'];
  }
  try {
    return await payslipFaults(payslipFromJson(json));
  } catch (error) {
    if (error instanceof ClientError && error.code === 'INVALID_PAYSLIP') return [error.message];
    throw error;
  }
}

const made = await settledWindow(randomLeaves(21), { held: [4], unpaid: [17] });
const payslip = payslipOf(made, 9);

describe('a payslip', () => {
  it('is sound for everybody who was paid, whatever the list, and comes back from its JSON', async () => {
    const shape = fc.integer({ min: 1, max: 40 }).chain((count) =>
      fc.record({
        count: fc.constant(count),
        out: fc.uniqueArray(fc.integer({ min: 0, max: count - 1 }), { maxLength: 6 }),
        heldOf: fc.integer({ min: 0, max: 6 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(shape, async ({ count, out, heldOf }) => {
        const [held, unpaid] = [out.slice(0, heldOf), out.slice(heldOf)];
        const window = await settledWindow(randomLeaves(count), { held, unpaid });
        expect(await windowFaults(windowFromJson(JSON.parse(JSON.stringify(windowToJson(window.settled)))))).toEqual(
          [],
        );
        for (let index = 0; index < count; index++) {
          const one = payslipOf(window, index);
          const text = JSON.stringify(payslipToJson(one));
          const read = payslipFromJson(JSON.parse(text));
          expect(JSON.stringify(payslipToJson(read))).toBe(text);
          const faults = await payslipFaults(read);
          if (held.includes(index)) expect(faults).toEqual(['The employer held the entry back.']);
          else if (unpaid.includes(index)) expect(faults).toEqual(['The window did not pay the entry.']);
          else expect(faults).toEqual([]);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('is refused when any single character of it is another', async () => {
    const text = JSON.stringify(payslipToJson(payslip));
    expect(await faultsOfText(text)).toEqual([]);
    const characters = '0123456789abcdefxyzABC"{}[],: -*+/=';
    const missed: number[] = [];
    for (let place = 0; place < text.length; place++) {
      const others = [...characters].filter((character) => character !== text[place]);
      const other = others[(place * 7) % others.length] as string;
      const faults = await faultsOfText(text.slice(0, place) + other + text.slice(place + 1));
      if (faults.length === 0) missed.push(place);
    }
    expect(missed).toEqual([]);
  });

  it('names what is wrong in each field', async () => {
    const hash = new Uint8Array(32).fill(7);
    const leafChanges = {
      index: 10,
      recipient: randomAddress(),
      amount: 11n,
      delivery: payslip.leaf.delivery === 'balance' ? ('wallet' as const) : ('balance' as const),
      salt: new Uint8Array(16),
    };
    for (const [name, value] of Object.entries(leafChanges)) {
      const faults = await payslipFaults({ ...payslip, leaf: { ...payslip.leaf, [name]: value } });
      expect(faults, name).toEqual([NOT_IN_LIST]);
    }
    expect(await payslipFaults({ ...payslip, proof: payslip.proof.slice(1) })).toEqual([NOT_IN_LIST]);
    expect(await payslipFaults({ ...payslip, proof: [...payslip.proof, hash] })).toEqual([NOT_IN_LIST]);
    expect(await payslipFaults({ ...payslip, bitmap: new Uint8Array(3).fill(255) })).toEqual([OTHER_BITMAP]);

    const { settled } = payslip;
    const { settlement } = settled;
    const changed = settlement.transaction.map((byte, at) => (at === 90 ? ~byte : byte));
    const windowChanges: [Partial<SignedWindow>, string[]][] = [
      [{ program: randomAddress() }, [OTHER_WINDOW, NOT_SIGNED]],
      [{ vault: randomAddress() }, [OTHER_WINDOW, NOT_SIGNED]],
      [{ schedule: randomAddress() }, [OTHER_WINDOW, NOT_SIGNED, OTHER_BITMAP]],
      [{ mint: randomAddress() }, [OTHER_WINDOW, NOT_SIGNED]],
      [{ window: 8n }, [OTHER_WINDOW, NOT_SIGNED, OTHER_BITMAP]],
      [{ root: hash }, [NOT_SIGNED, NOT_IN_LIST]],
      [{ recipients: 24 }, [NOT_SIGNED]],
      [{ decimals: 2 }, [NOT_SIGNED]],
      [{ symbol: 'EURC' }, [NOT_SIGNED]],
      [{ promised: settled.promised + 1n }, [NOT_SIGNED]],
      [{ promised: settled.paid }, ["The window's numbers contradict each other.", NOT_SIGNED]],
      [{ paidCount: 20 }, [NOT_SIGNED, OTHER_BITMAP]],
      [{ paid: settled.paid + 1n }, [NOT_SIGNED]],
      [{ held: [5] }, [NOT_SIGNED]],
      [{ bitmapHash: hash }, [NOT_SIGNED, OTHER_BITMAP]],
      [{ settledAt: 1 }, [NOT_SIGNED]],
      [{ settlement: { ...settlement, slot: 1n } }, [NOT_SIGNED]],
      [
        { settlement: { ...settlement, signature: settled.signature } },
        ["The settlement's signature is not that of its transaction.", NOT_SIGNED],
      ],
      [
        { settlement: { ...settlement, transaction: changed } },
        ["The settlement's transaction is not signed as it stands."],
      ],
      [
        { settlement: { ...settlement, transaction: new Uint8Array(9) } },
        ["The settlement's transaction can't be read."],
      ],
    ];
    for (const [change, expected] of windowChanges) {
      const faults = await payslipFaults({ ...payslip, settled: { ...settled, ...change } });
      const name = Object.keys(change).join();
      for (const fault of expected) expect(faults, name).toContain(fault);
    }
  });

  it('counts only from whoever signed the settlement, or from the authority that the verifier names', async () => {
    const stranger = await generateKeyPairSigner();
    const forged = { ...payslip, settled: await signWindow(payslip.settled, stranger) };
    expect(await payslipFaults(forged)).toEqual(['The issuer is not the key that signed the settlement.']);
    // After the authority was changed on the ledger, the new one issues payslips of windows that the former one settled.
    expect(await payslipFaults(forged, stranger.address)).toEqual([]);
    expect(await payslipFaults(payslip, made.authority.address)).toEqual([]);
    expect(await payslipFaults(payslip, stranger.address)).toEqual([
      'The issuer is not the execution authority that was named.',
    ]);
  });

  it('can be read in its one form alone', () => {
    const json = payslipToJson(payslip);
    const { settled } = json;
    for (const [other, field] of [
      [{ ...json, payslip: 2 }, 'payslip'],
      [{ ...json, more: 1 }, 'it has a field that does not belong there'],
      [{ ...json, leaf: { ...json.leaf, amount: '010' } }, 'leaf.amount'],
      [{ ...json, leaf: { ...json.leaf, amount: '18446744073709551616' } }, 'leaf.amount'],
      [{ ...json, leaf: { ...json.leaf, index: -0 } }, 'leaf.index'],
      [{ ...json, leaf: { ...json.leaf, index: 1_048_576 } }, 'leaf.index'],
      [{ ...json, leaf: { ...json.leaf, salt: 'AB'.repeat(16) } }, 'leaf.salt'],
      [{ ...json, proof: ['ab'] }, 'proof'],
      [{ ...json, bitmap: 'ff ff 01' }, 'bitmap'],
      [{ ...json, settled: { ...settled, window: 7 } }, 'settled.window'],
      [{ ...json, settled: { ...settled, symbol: 'A\nB' } }, 'settled.symbol'],
      [{ ...json, settled: { ...settled, settlement: null } }, 'settled.settlement'],
      [[], 'it is no JSON object'],
    ] as const) {
      expect(() => payslipFromJson(other)).toThrow(field);
    }
  });
});

describe("a bitmap's text", () => {
  it('is short where all were paid, and the only one that is read', () => {
    expect(bitmapToText(new Uint8Array(10_048).fill(255))).toBe('ff*10048');
    fc.assert(
      fc.property(fc.array(fc.constantFrom(0, 1, 255), { minLength: 1, maxLength: 300 }), (bytes) => {
        const text = bitmapToText(Uint8Array.from(bytes));
        expect([...(bitmapFromText(text) ?? [])]).toEqual(bytes);
      }),
    );
    for (const text of ['ff ff', 'ff*1', 'ff*131073', 'ff*999999 00', 'FF', ' ff', 'f', '', 'ff*2 ff', 7, null]) {
      expect(bitmapFromText(text), String(text)).toBeUndefined();
    }
  });
});
