import { randomBytes } from 'node:crypto';
import { Maker } from '@payouts/testing/tee/maker';
import type { Collateral } from '@phala/dcap-qvl';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  checkMeasurements,
  MEASUREMENTS,
  type Measurements,
  parsePinned,
} from '../src/ledger/attestation/measurements.ts';
import { verifyQuote } from '../src/ledger/attestation/quote.ts';

const DAY_MS = 86_400_000;
const now = Date.now();

describe('a quote', () => {
  let maker: Maker;
  let other: Maker;
  let collateral: Collateral;
  let quote: Buffer;
  const reportData = randomBytes(64);
  const mrTd = randomBytes(48);

  beforeAll(async () => {
    [maker, other] = await Promise.all([Maker.found({ now }), Maker.found({ now })]);
    collateral = await maker.collateral();
    quote = await maker.quote({ reportData, mrTd });
  });
  const verified = (of: Uint8Array, said: Partial<Collateral> = {}, at = now) =>
    verifyQuote(of, { ...collateral, ...said }, { root: maker.rootDer, now: at });

  it('says what was measured, and what its maker chose, when its signatures lead to the maker', async () => {
    const { measurements, reportData: read, tcbStatus, hash } = await verified(quote);
    expect(measurements.mrTd).toBe(mrTd.toString('hex'));
    expect(Buffer.from(read)).toEqual(reportData);
    expect(tcbStatus).toBe('UpToDate');
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is not believed with any of its bytes changed that it signs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(48 + 584 - 1), fc.integer({ min: 1, max: 255 }), async (place, change) => {
        const changed = Buffer.from(quote);
        changed[place] = (changed[place] as number) ^ change;
        await expect(verified(changed)).rejects.toMatchObject({ name: 'AttestationError' });
      }),
      { numRuns: 60 },
    );
  });

  it.each<[string, () => Promise<Uint8Array>, string]>([
    ['noise', async () => randomBytes(4_000), 'quote-invalid'],
    ['nothing', async () => new Uint8Array(0), 'quote-invalid'],
    ['cut off', async () => quote.subarray(0, 1_000), 'quote-invalid'],
    ["another maker's", () => other.quote({ reportData, mrTd }), 'quote-invalid'],
    [
      'of a machine that can be debugged',
      () => maker.quote({ reportData, mrTd, tdAttributes: Buffer.from('0100001000000000', 'hex') }),
      'quote-invalid',
    ],
  ])('is refused if it is %s', async (_, made, code) => {
    await expect(verified(await made())).rejects.toMatchObject({ code });
  });

  it('is refused of a platform that the maker has revoked', async () => {
    await expect(verified(quote, await maker.collateral({ revoked: true }))).rejects.toMatchObject({
      code: 'platform-revoked',
    });
  });

  it("is refused where the lists of revoked ones can't be read, are another's, or are out of date", async () => {
    const foreign = await other.collateral();
    const old = await maker.collateral({ now: now - 10 * DAY_MS });
    const cases: [Partial<Collateral>, string][] = [
      [{ pck_crl: '00' }, 'collateral-invalid'],
      [{ root_ca_crl: '' }, 'collateral-invalid'],
      [{ pck_crl: foreign.pck_crl }, 'collateral-invalid'],
      [{ root_ca_crl: foreign.root_ca_crl }, 'collateral-invalid'],
      [{ pck_crl: foreign.pck_crl, pck_crl_issuer_chain: foreign.pck_crl_issuer_chain }, 'collateral-invalid'],
      [{ pck_crl_issuer_chain: '' }, 'collateral-invalid'],
      [{ pck_crl: old.pck_crl }, 'collateral-stale'],
      [{ root_ca_crl: old.root_ca_crl }, 'collateral-stale'],
      [{ tcb_info: old.tcb_info, tcb_info_signature: old.tcb_info_signature }, 'collateral-stale'],
      [{ tcb_info: foreign.tcb_info, tcb_info_signature: foreign.tcb_info_signature }, 'quote-invalid'],
    ];
    for (const [said, code] of cases) await expect(verified(quote, said)).rejects.toMatchObject({ code });
    await expect(verified(quote, {}, now + 3 * DAY_MS)).rejects.toMatchObject({ code: 'collateral-stale' });
  });

  it("tells the state of the platform's firmware, which is for the settings to accept", async () => {
    const late = await Maker.found({ now, tcbStatus: 'OutOfDate' });
    const { tcbStatus } = await verifyQuote(await late.quote({ reportData, mrTd }), await late.collateral(), {
      root: late.rootDer,
      now,
    });
    expect(tcbStatus).toBe('OutOfDate');
  });
});

describe('pinned measurements', () => {
  const digits = fc.uint8Array({ minLength: 48, maxLength: 48 }).map((bytes) => Buffer.from(bytes).toString('hex'));
  const measured = fc.record(
    Object.fromEntries(MEASUREMENTS.map((name) => [name, digits])),
  ) as unknown as fc.Arbitrary<Measurements>;

  it('trust a machine that has all that one of them pins, and no other', () => {
    fc.assert(
      fc.property(measured, measured, fc.subarray([...MEASUREMENTS]), (machine, another, names) => {
        const pinned = { mrTd: machine.mrTd, ...Object.fromEntries(names.map((name) => [name, machine[name]])) };
        const machines = parsePinned(JSON.stringify([{ mrTd: another.mrTd }, pinned]));
        checkMeasurements(machine, machines);
        for (const name of Object.keys(pinned)) {
          const changed = { ...machine, [name]: randomBytes(48).toString('hex') };
          if (changed.mrTd === another.mrTd) continue;
          expect(() => checkMeasurements(changed, machines)).toThrow('Something else runs there');
        }
      }),
    );
  });

  it.each([
    ['[]', 'no machine is pinned'],
    ['{"rtMr0":"00"}', '"rtMr0" of machine 0 is not 96 digits'],
    [`{"rtMr0":"${'00'.repeat(48)}"}`, 'machine 0 does not pin "mrTd"'],
    [`[{"mrTd":"${'00'.repeat(48)}"},{"mrtd":"x"}]`, 'machine 1 has "mrtd", which is none of'],
    [`{"mrTd":"${'AA'.repeat(48)}"}`, 'is not 96 digits'],
    ['{', 'JSON'],
    ['null', 'does not pin "mrTd"'],
  ])('that are malformed are answered with what is wrong: %s', (text, message) => {
    expect(() => parsePinned(text)).toThrow(message);
  });
});
