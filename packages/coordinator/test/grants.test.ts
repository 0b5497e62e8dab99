import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ALL_WINDOWS,
  GRANT_SCOPES,
  type Grant,
  type GrantRequest,
  grantFault,
  MAX_ACTIVE,
  MAX_DURATION_MS,
  permits,
  stateOf,
} from '../src/domain/grant.ts';

const name = fc.constantFrom('one', 'two', 'three');
const time = fc.integer({ min: 0, max: 20 });
const window = fc.bigInt({ min: 0n, max: 5n });
const grant: fc.Arbitrary<Grant> = fc.record({
  id: fc.constant('id'),
  schedule: name,
  auditor: name,
  scope: fc.constantFrom(...GRANT_SCOPES),
  recipients: fc.uniqueArray(name),
  windows: fc.record({ from: fc.option(window), to: fc.option(window) }),
  createdAt: fc.constant(0),
  endsAt: time,
  revokedAt: fc.option(time),
});
const wish: fc.Arbitrary<GrantRequest> = fc.record({
  schedule: name,
  signer: name,
  at: time,
  recipient: name,
  window: fc.option(window, { nil: undefined }),
});

describe('a grant', () => {
  it('permits exactly what it names, of its schedule, to its auditor, until its end, unless it was revoked', () => {
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(grant, wish, (given, wanted) => {
        const isNamed = given.scope === 'recipients' && given.recipients.includes(wanted.recipient);
        const { from, to } = given.windows;
        const isAboutIt =
          wanted.window === undefined
            ? from === null && to === null
            : (from ?? 0n) <= wanted.window && wanted.window <= (to ?? wanted.window);
        const isTheirs = given.auditor === wanted.signer && given.schedule === wanted.schedule;
        const isInTime = given.revokedAt === null && wanted.at < given.endsAt;
        const expected = isNamed && isAboutIt && isTheirs && isInTime;
        seen.add(expected);
        expect(permits(given, wanted)).toBe(expected);
        if (permits(given, wanted)) expect(stateOf(given, wanted.at)).toBe('active');
      }),
      { numRuns: 5_000, seed: 7 },
    );
    expect(seen).toEqual(new Set([true, false]));
  });

  it('permits nothing more when anything of it is taken away', () => {
    fc.assert(
      fc.property(grant, wish, (given, wanted) => {
        if (permits(given, wanted)) return;
        expect(permits({ ...given, revokedAt: 1 }, wanted)).toBe(false);
        expect(permits({ ...given, endsAt: given.endsAt - 1 }, wanted)).toBe(false);
        expect(permits({ ...given, recipients: [] }, wanted)).toBe(false);
        expect(permits({ ...given, windows: { from: 6n, to: null } }, wanted)).toBe(false);
      }),
    );
  });

  it('is given only with an end in time, and names as its scope says', () => {
    const at = 1_000;
    const fault = (change: Partial<Grant>, active = 0) =>
      grantFault(
        { scope: 'recipients', recipients: ['one'], windows: ALL_WINDOWS, endsAt: at + 1, ...change },
        { at, active },
      );
    expect(fault({})).toBeUndefined();
    expect(fault({ scope: 'totals', recipients: [] })).toBeUndefined();
    expect(fault({ endsAt: at })).toContain('has passed');
    expect(fault({ endsAt: at + MAX_DURATION_MS })).toBeUndefined();
    expect(fault({ endsAt: at + MAX_DURATION_MS + 1 })).toContain('five years');
    expect(fault({ scope: 'totals' })).toContain('names no recipients');
    expect(fault({ recipients: [] })).toContain('at least one');
    expect(fault({ recipients: ['one', 'one'] })).toContain('twice');
    expect(fault({ windows: { from: 3n, to: 3n } })).toBeUndefined();
    expect(fault({ windows: { from: 3n, to: 2n } })).toContain('before `fromWindow`');
    expect(fault({}, MAX_ACTIVE - 1)).toBeUndefined();
    expect(fault({}, MAX_ACTIVE)).toContain('revoke one');
  });
});
