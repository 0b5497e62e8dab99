import { expect, it } from 'vitest';
import { feeSentences } from '../src/preview.ts';

it('says what is prepaid and that what is not used comes back, only where fees are asked for', () => {
  expect(feeSentences({ windowFee: 0, recipientFee: 0 }, 0n)).toEqual([]);
  // Nothing is due of what was prepaid before.
  expect(feeSentences({ windowFee: 310_000, recipientFee: 2_047_856 }, 0n)).toEqual([]);
  expect(feeSentences({ windowFee: 310_000, recipientFee: 2_047_856 }, 11_169_280n).join(' ')).toBe(
    'Prepays 0.01116928 SOL to the operator: 0.00031 for each window, 0.002047856 for each recipient who is paid for ' +
      'the first time. What is not used comes back when the schedule is closed.',
  );
});
