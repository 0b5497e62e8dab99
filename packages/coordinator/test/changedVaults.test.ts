import type { Address } from '@solana/kit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ChangedVaults } from '../src/monitoring/changedVaults.ts';

const SETTLE_MS = 1_000;

type Step = { readonly vault: Address } | { readonly wait: number } | { readonly take: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ vault: fc.constantFrom('one', 'two', 'three', 'four').map((name) => name as Address) }),
  fc.record({ wait: fc.integer({ min: 0, max: 1_500 }) }),
  fc.record({ take: fc.integer({ min: 0, max: 3 }) }),
);

it('gives each vault once after its last change, a second later, those that changed first before the others', () => {
  let given = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: 'max' }), (steps) => {
      let now = 0;
      const changes = new ChangedVaults({ now: () => now });
      const lastChange = new Map<Address, number>();
      for (const next of steps) {
        if ('wait' in next) now += next.wait;
        else if ('vault' in next) {
          changes.note(next.vault);
          lastChange.delete(next.vault);
          lastChange.set(next.vault, now);
        } else {
          const due = [...lastChange].filter(([, at]) => at <= now - SETTLE_MS).map(([vault]) => vault);
          const taken = changes.take(next.take);
          expect(taken).toEqual(due.slice(0, next.take));
          for (const vault of taken) lastChange.delete(vault);
          given += taken.length;
        }
      }
    }),
    { seed: 5, numRuns: 500 },
  );
  expect(given).toBeGreaterThan(100);
});

it('keeps no more in mind than it must, whatever others do on the ledger', () => {
  let now = 0;
  const changes = new ChangedVaults({ now: () => now });
  for (let vault = 0; vault < 20_000; vault++) changes.note(`vault ${vault}` as Address);
  now = SETTLE_MS;
  expect(changes.take(20_000)).toHaveLength(10_000);
});
