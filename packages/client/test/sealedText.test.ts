import fc from 'fast-check';
import { compactDecrypt, exportJWK, generateKeyPair } from 'jose';
import { beforeAll, expect, it } from 'vitest';
import { sealText } from '../src/http/sealedText.ts';

type Pair = Awaited<ReturnType<typeof generateKeyPair>>;
let [own, other]: Pair[] = [];
beforeAll(async () => {
  [own, other] = await Promise.all([1, 2].map(() => generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true })));
});

const seal = async (text: string) => sealText(text, { ...(await exportJWK((own as Pair).publicKey)), kid: 'own' });

async function opened(sealed: string, pair: Pair | undefined = own): Promise<string> {
  const lines = sealed.trimEnd().split('\n');
  const pieces = await Promise.all(lines.map((line) => compactDecrypt(line, (pair as Pair).privateKey)));
  expect(pieces.every(({ protectedHeader }) => protectedHeader.kid === 'own')).toBe(true);
  return Buffer.concat(pieces.map(({ plaintext }) => plaintext)).toString();
}

it('a sealed text comes back whole, whatever it says and however long it is', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1 }), fc.constantFrom(1, 20_000), async (text, times) => {
      const long = text.repeat(times);
      expect(await opened(await seal(long))).toBe(Buffer.from(long).toString());
    }),
    { numRuns: 25 },
  );
});

it('is sealed in pieces, anew each time, and opened by no other key', async () => {
  const text = 'ten thousand to nobody '.repeat(30_000);
  const [first, second] = await Promise.all([seal(text), seal(text)]);
  expect(first.trimEnd().split('\n').length).toBeGreaterThan(2);
  expect(first).not.toBe(second);
  await expect(opened(first, other)).rejects.toThrow();
});
