import { newerDelegationProgram } from '@payouts/testing/litesvm/programs';
import { must } from '@payouts/testing/litesvm/world';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fixtures } from './fixtures/all.ts';
import { send } from './harness/fixture.ts';

/** All other tests have the delegation program of the validator's package. */
describe('with the newer delegation program', () => {
  beforeEach(() => vi.stubEnv('DELEGATION_PROGRAM', newerDelegationProgram));
  afterEach(() => vi.unstubAllEnvs());

  it.each(fixtures)('$name does what it does with the older one', (fixture) => {
    const { scene, instruction } = fixture.prepare();
    expect(must(send(fixture, scene, instruction)).succeeded).toBe(true);
  });
});
