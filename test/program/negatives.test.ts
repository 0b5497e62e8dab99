import { expect, it } from 'vitest';
import { fixtures } from './fixtures/all.ts';
import { negatives } from './negatives/matrix.ts';
import { countOf } from './negatives/print.ts';

it.each(fixtures.map(({ name }) => name))('%s refuses every wrong account', (name) => {
  const { tried, accepted } = countOf(negatives(name));
  expect(accepted).toEqual([]);
  expect(tried).toBeGreaterThan(5);
});
