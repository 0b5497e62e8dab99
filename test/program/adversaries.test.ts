import { describe, expect, it } from 'vitest';
import { GUARDS, type Mutant } from './adversaries/guards.ts';
import { patched } from './adversaries/mutants.ts';
import { plots } from './adversaries/plots.ts';
import { powers } from './adversaries/powers.ts';

describe('what adversaries reach', () => {
  it.each([...powers, ...plots])('$role | $attempt | $bound', ({ run }) => {
    expect(run()).toEqual(expect.any(String));
  });
});

describe('guards that can be taken out', () => {
  const guards: readonly (readonly [string, Mutant | undefined])[] = Object.entries(GUARDS);
  it.each(guards.flatMap(([name, mutant]) => (mutant === undefined ? [] : [[name, mutant] as const])))(
    '%s is in the source, once',
    (_, mutant) => {
      expect(() => patched(mutant)).not.toThrow();
    },
  );
});
