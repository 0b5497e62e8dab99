import { describe, expect, it } from 'vitest';
import { plots } from './adversaries/plots.ts';
import { powers } from './adversaries/powers.ts';

describe('what adversaries reach', () => {
  it.each([...powers, ...plots])('$role | $attempt | $bound', ({ run }) => {
    expect(run()).toEqual(expect.any(String));
  });
});
