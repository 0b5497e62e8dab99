import { METADATA_PROGRAM, tokenSymbol } from '@payouts/client';
import { address } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

describe('what a token calls itself', () => {
  const account = (data: Uint8Array, owner = METADATA_PROGRAM) => ({ owner, data });
  const counted = (text: string, size = text.length) => {
    const bytes = Buffer.alloc(4 + size);
    bytes.writeUInt32LE(size);
    bytes.write(text, 4);
    return bytes;
  };
  /** A mint of Token-2022: an extension that is passed over, then the token's description. */
  const mint = (symbol: string) => {
    const text = Buffer.concat([Buffer.alloc(64), counted('A token'), counted(symbol), counted('')]);
    const head = (type: number, length: number) => Buffer.from([type, 0, length, 0]);
    return account(Buffer.concat([Buffer.alloc(166), head(18, 64), Buffer.alloc(64), head(19, text.length), text]));
  };
  const description = (symbol: string) =>
    account(Buffer.concat([Buffer.alloc(65), counted('A token', 32), counted(symbol, 10), counted('', 200)]));

  it('is read from the mint or its description', () => {
    expect(tokenSymbol(mint('USDX'), null)).toBe('USDX');
    expect(tokenSymbol(account(new Uint8Array(82)), description('USDC'))).toBe('USDC');
    expect(tokenSymbol(mint('USDX'), description('USDC'))).toBe('USDX');
  });

  it('is nothing where it is nothing to show, or somebody else says it', () => {
    for (const symbol of ['', 'a b', '🦊', 'toolongtobeasymbol', '\u001b[31m', '<b>']) {
      expect(tokenSymbol(mint(symbol), null)).toBeNull();
    }
    expect(
      tokenSymbol(null, { ...description('USDC'), owner: address('11111111111111111111111111111111') }),
    ).toBeNull();
    expect(tokenSymbol(null, null)).toBeNull();
  });

  it('never fails, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.uint8Array({ maxLength: 400 }), (one, other) => {
        expect([null, 'string']).toContain(tokenSymbol(account(one), account(other)) === null ? null : 'string');
      }),
    );
  });
});
