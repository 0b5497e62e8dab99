import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ownerOfPaymentCode, paymentCodeOf } from '../src/index.ts';

const owner = fc.uint8Array({ minLength: 32, maxLength: 32 });

it('a payment code names its owner', () => {
  fc.assert(
    fc.property(owner, (bytes) => {
      const code = paymentCodeOf(bytes);
      expect(code).toMatch(/^pay_[1-9A-HJ-NP-Za-km-z]{36,50}$/);
      expect(ownerOfPaymentCode(code)).toEqual(bytes);
    }),
  );
});

it('a letter that is mistyped, or left out, is found', () => {
  fc.assert(
    fc.property(owner, fc.nat(), fc.constantFrom('1', 'A', 'z', ''), (bytes, place, letter) => {
      const code = paymentCodeOf(bytes);
      const at = 4 + (place % (code.length - 4));
      const mistyped = code.slice(0, at) + letter + code.slice(at + 1);
      if (mistyped === code) return;
      expect(() => ownerOfPaymentCode(mistyped)).toThrow(/payment code/);
    }),
  );
});

it.each(['', 'pay_', 'pay_0OIl', 'So11111111111111111111111111111111111111112'])('%s is none', (text) => {
  expect(() => ownerOfPaymentCode(text)).toThrow('A payment code begins with pay_');
});
