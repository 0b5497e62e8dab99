import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addressFromBytes } from '../src/accounts/base58.ts';
import {
  bareProofsToJson,
  type ProvenBalance,
  proofFileFromJson,
  proofFileToJson,
} from '../src/recipients/proofFile.ts';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const address = bytes(32).map(addressFromBytes);
const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const count = fc.nat({ max: 2 ** 31 });

const proof = fc.record({
  mint: address,
  sequence: u64,
  root: bytes(32),
  leaves: count,
  leaf: fc.record({
    kind: fc.constant('balance' as const),
    index: count,
    owner: bytes(32),
    amount: u64,
    number: u64,
    blind: bytes(16),
  }),
  proof: fc.array(bytes(32), { maxLength: 20 }),
});
const balances: fc.Arbitrary<ProvenBalance[]> = fc.array(
  fc.record({
    recipient: address,
    salt: bytes(16),
    delivery: fc.constantFrom('balance' as const, 'wallet' as const),
    proofs: fc.array(proof, { maxLength: 3 }),
  }),
  { maxLength: 3 },
);

it('a proof file comes back from its text as it was', () => {
  fc.assert(
    fc.property(balances, (own) => {
      expect(proofFileFromJson(JSON.parse(JSON.stringify(proofFileToJson(own))))).toEqual({
        balances: own,
        proofs: [],
      });
    }),
  );
});

it('proofs without whose they are come back from a file of the same form', () => {
  fc.assert(
    fc.property(fc.array(proof, { maxLength: 3 }), (proofs) => {
      const text = JSON.stringify(bareProofsToJson(proofs));
      expect(proofFileFromJson(JSON.parse(text))).toEqual({ balances: [], proofs });
    }),
  );
});

it.each<[string, unknown]>([
  ['nothing', null],
  ['a payslip', { payslip: 1 }],
  ['another version', { payoutsProof: 2, balances: [] }],
  ['proofs that are no list', { payoutsProof: 1, balances: [], proofs: 7 }],
  ['balances that are no list', { payoutsProof: 1, balances: {} }],
  [
    'a balance of nobody',
    { payoutsProof: 1, balances: [{ recipient: 'me', salt: '00'.repeat(16), delivery: 'balance', proofs: [] }] },
  ],
])('%s is no proof file', (_, json) => {
  expect(() => proofFileFromJson(json)).toThrow('no proof file');
});
