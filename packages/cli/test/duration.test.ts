import { expect, it } from 'vitest';
import { delayOption, durationOf, durationText } from '../src/payout/duration.ts';
import { askedPayDays } from '../src/payout/employer/payDays.ts';
import { WrongUsage } from '../src/payout/failure.ts';

it('takes durations as people write them, and names the options where terms are wrong', async () => {
  expect(durationOf('10m', '--timeout')).toBe(600);
  expect(() => durationOf('1mo', '--timeout')).toThrow(WrongUsage);
  const wrong = askedPayDays({ every: '1d', on: '3', timeout: '1h' }, 1, 0);
  await expect(wrong).rejects.toBeInstanceOf(WrongUsage);
  await expect(wrong).rejects.toThrow(/See --every, --on and --first/);
});

it('takes delays as a range, and says durations in words', () => {
  expect(delayOption('2h..3d')).toEqual({ least: 120, most: 4_320 });
  expect(delayOption('90s')).toEqual({ least: 2, most: 2 });
  expect(delayOption('0m..1h')).toEqual({ least: 0, most: 60 });
  for (const text of ['3d..2h', '1d..46d', '1h..2h..3h', 'soon', '1h..']) expect(() => delayOption(text)).toThrow();
  expect([60, 5_400, 86_400, 1_209_600, 61].map(durationText)).toEqual([
    '1 minute',
    '90 minutes',
    '1 day',
    '2 weeks',
    '61 seconds',
  ]);
});
