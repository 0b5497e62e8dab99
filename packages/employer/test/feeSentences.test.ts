import { MAX_U64 } from '@payouts/client';
import { expect, it } from 'vitest';
import { feeSentences } from '../src/preview.ts';
import type { TokenInfo } from '../src/token.ts';

const TOKEN = { name: 'USDC', decimals: 6 } as TokenInfo;
const FEES = { windowFee: 310_000, recipientFee: 2_047_856, openingFee: 0, leastOpening: 500_000_000n };

it('says what is prepaid and that what is not used comes back, only where fees are asked for', () => {
  expect(feeSentences({ ...FEES, windowFee: 0, recipientFee: 0 }, 0n, TOKEN)).toEqual([]);
  // Nothing is due of what was prepaid before.
  expect(feeSentences(FEES, 0n, TOKEN)).toEqual([]);
  expect(feeSentences(FEES, 11_169_280n, TOKEN)).toEqual([
    'Prepays 0.01116928 SOL to the operator: 0.00031 for each window, 0.002047856 for each recipient who is paid for the first time.',
    'What is not used comes back when the schedule is closed.',
  ]);
});

it('says what new wallets may cost, where the sponsor opens them from some amount on', () => {
  const fees = { ...FEES, openingFee: 2_039_280 };
  expect(feeSentences(fees, 23_404_960n, TOKEN)).toEqual([
    'Prepays 0.02340496 SOL to the operator: 0.00031 for each window, 0.002047856 for each recipient who is paid for the first time, and for new wallets.',
    'For new wallets: 0.00203928 for each 500.00 USDC of a window, as far as emptied wallets have not given enough back.',
    'What is not used comes back when the schedule is closed.',
  ]);
  for (const leastOpening of [0n, MAX_U64]) {
    expect(feeSentences({ ...fees, leastOpening }, 11_169_280n, TOKEN).join(' ')).not.toContain('wallets');
  }
});
