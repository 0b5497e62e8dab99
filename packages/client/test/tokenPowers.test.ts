import { describe, expect, it } from 'vitest';
import { tokenPowers, whyTokensStay } from '../src/index.ts';

/** A mint of Token-2022 with these extensions; `frozenBy`: whether somebody may freeze accounts. */
function mintWith(extensions: readonly (readonly [type: number, bytes: Uint8Array])[], frozenBy = 0): Uint8Array {
  const base = new Uint8Array(166);
  base[45] = 1;
  base[46] = frozenBy;
  base[165] = 1;
  const parts = extensions.flatMap(([type, bytes]) => [
    ...new Uint8Array(Uint16Array.of(type, bytes.length).buffer),
    ...bytes,
  ]);
  return Uint8Array.from([...base, ...parts]);
}

const zeros = (length: number) => new Uint8Array(length);
const set = (length: number, at: number, value: number) => zeros(length).with(at, value);
const account = (state: number) => set(165, 108, state);
const [FEE, HOOK, PAUSABLE] = [
  [1, 108],
  [14, 64],
  [26, 33],
] as const;

describe('what an issuer can do', () => {
  it('is nothing with a mint that says something about itself alone', () => {
    expect(tokenPowers(zeros(82))).toEqual([]);
    expect(
      tokenPowers(
        mintWith([
          [18, zeros(64)],
          [19, zeros(80)],
        ]),
      ),
    ).toEqual([]);
  });

  it('is told of each power once, whatever stands before it', () => {
    const extensions = [1, 3, 4, 6, 12, 14, 16, 26].map((type) => [type, zeros(8)] as const);
    const powers = tokenPowers(mintWith([[18, zeros(64)], ...extensions], 1));
    expect(powers).toHaveLength(9);
    expect(new Set(powers).size).toBe(9);
    expect(powers[0]).toBe('freeze every account');
  });
});

describe('why tokens stay', () => {
  const open = [['vault', account(1)]] as const;

  it('is nothing while no power is used', () => {
    const mint = mintWith(
      [FEE, HOOK, PAUSABLE].map(([type, length]) => [type, zeros(length)] as const),
      1,
    );
    expect(whyTokensStay(mint, open)).toBeUndefined();
    expect(whyTokensStay(zeros(82), open)).toBeUndefined();
    expect(whyTokensStay(zeros(0), [['vault', zeros(0)]])).toBeUndefined();
  });

  it.each([
    ['a fee, now or from the next epoch on', FEE, 88, 'takes a fee'],
    ['a fee from another epoch on', FEE, 107, 'takes a fee'],
    ['a hook', HOOK, 63, 'has a program of theirs decide'],
    ['a pause', PAUSABLE, 32, 'has stopped all transfers'],
  ] as const)('is %s', (_, [type, length], at, says) => {
    expect(
      whyTokensStay(
        mintWith([
          [18, zeros(64)],
          [type, set(length, at, 1)],
        ]),
        open,
      ),
    ).toContain(says);
  });

  it('names whose account is frozen', () => {
    expect(
      whyTokensStay(zeros(82), [
        ['pool', account(1)],
        ['vault', account(2)],
      ]),
    ).toBe("The token's issuer has frozen the vault's account.");
  });
});
