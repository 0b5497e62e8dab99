import * as kit from '@solana/kit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addressFromBytes } from '../src/accounts/base58.ts';
import * as ours from '../src/generatedSupport.ts';

const bytes = (size: number) => fc.uint8Array({ minLength: size, maxLength: size });
const NUMBERS: readonly (readonly [kit.Decoder<number | bigint>, kit.Decoder<number | bigint>])[] = [
  [ours.getU8Decoder(), kit.getU8Decoder()],
  [ours.getU16Decoder(), kit.getU16Decoder()],
  [ours.getU32Decoder(), kit.getU32Decoder()],
  [ours.getU64Decoder(), kit.getU64Decoder()],
  [ours.getI64Decoder(), kit.getI64Decoder()],
];

it('reads numbers and addresses as kit does, wherever they stand', () => {
  fc.assert(
    fc.property(bytes(48), fc.nat(16), (data, offset) => {
      for (const [our, their] of NUMBERS) expect(our.read(data, offset)).toEqual(their.read(data, offset));
      expect(ours.getAddressDecoder().read(data, offset)).toEqual(kit.getAddressDecoder().read(data, offset));
      const address = addressFromBytes(data.subarray(0, 32));
      expect(ours.getAddressEncoder().encode(address)).toEqual(kit.getAddressEncoder().encode(address));
    }),
  );
});

it('reads enums as kit does, and throws for a number that is none of them', () => {
  const members = { Open: 0, 0: 'Open', Closed: 1, 1: 'Closed' };
  const [our, their] = [ours.getEnumDecoder(members), kit.getEnumDecoder(members)];
  for (const byte of [0, 1]) expect(our.read(Uint8Array.of(9, byte), 1)).toEqual(their.read(Uint8Array.of(9, byte), 1));
  for (const decoder of [our, their]) expect(() => decoder.decode(Uint8Array.of(2))).toThrow('Enum discriminator');
  expect(our.fixedSize).toBe(their.fixedSize);
});

it('reads numbers out of whatever bytes it is given, in turn, and throws where they end', () => {
  const data = Uint8Array.from({ length: 12 }, (_, place) => place);
  const parts = [data, data.subarray(3), Uint8Array.of(9, 8, 7, 6, 5)];
  for (const part of [...parts, ...parts]) {
    expect(ours.getU32Decoder().decode(part, 1)).toBe(kit.getU32Decoder().decode(part, 1));
    expect(() => ours.getU64Decoder().decode(part, part.length - 7)).toThrow(RangeError);
  }
});

it('writes words as kit does, the first time and again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      for (const _ of [1, 2]) expect(ours.getUtf8Encoder().encode(text)).toEqual(kit.getUtf8Encoder().encode(text));
    }),
  );
});

it("derives a program's addresses as kit does, the first time and again", async () => {
  await fc.assert(
    fc.asyncProperty(bytes(32), fc.array(bytes(7), { maxLength: 4 }), async (program, seeds) => {
      const input = { programAddress: addressFromBytes(program), seeds };
      const expected = await kit.getProgramDerivedAddress(input);
      expect(await ours.getProgramDerivedAddress(input)).toEqual(expected);
      expect(await ours.getProgramDerivedAddress(input)).toEqual(expected);
    }),
    { numRuns: 50 },
  );
});

it('takes an account in which there are lamports alone for none, and reads any other as kit does', () => {
  const about = {
    ...{ address: addressFromBytes(new Uint8Array(32)), executable: false, space: 0n },
    ...{ lamports: kit.lamports(890_880n), programAddress: addressFromBytes(new Uint8Array(32)) },
  };
  const decoder = kit.getStructDecoder([['kind', kit.getU8Decoder()]]);
  const of = (...data: number[]) => ({ ...about, exists: true as const, data: Uint8Array.from(data) });
  expect(ours.decodeAccount(of(), decoder)).toEqual({ address: about.address, exists: false });
  for (const account of [of(7), { address: about.address, exists: false as const }]) {
    expect(ours.decodeAccount(account, decoder)).toEqual(kit.decodeAccount(account, decoder));
  }
  const { exists: _, ...certain } = of();
  expect(() => ours.decodeAccount(certain, decoder)).toThrow();
});
