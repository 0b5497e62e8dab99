import { randomBytes } from 'node:crypto';
import { Maker } from '@payouts/testing/tee/maker';
import { type Collateral, QuoteVerifier } from '@phala/dcap-qvl';
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
/** Places in a machine's report. */
const [MR_SIGNER_SEAM, SEAM_ATTRIBUTES, TD_ATTRIBUTES] = [64, 112, 120];
/** Where an enclave's report has the hash of the key that it vouches for. */
const VOUCHED_KEY = 320;
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

  type Said = { [name: string]: unknown };
  const nothing = async () => ({});
  /** A quote with one byte changed before it is signed. */
  const changed = (part: 'header' | 'report' | 'qeReport', place: number, value: number) => () =>
    maker.quote({
      reportData,
      mrTd,
      change: {
        [part]: (bytes: Buffer) => {
          expect(bytes[place]).not.toBe(value);
          bytes[place] = value;
        },
      },
    });
  /** A quote whose enclave vouches for another key than the one that signs. */
  const ofAnotherKey = () =>
    maker.quote({
      reportData,
      mrTd,
      change: {
        qeReport: (bytes: Buffer) => {
          bytes[VOUCHED_KEY] = (bytes[VOUCHED_KEY] as number) ^ 1;
        },
      },
    });
  const saying = (tcbInfo: (info: Said) => void) => () => maker.collateral({ tcbInfo });
  const setLevels = (info: Said, levels: readonly object[]) => {
    for (const identity of info.tdxModuleIdentities as { tcbLevels: unknown }[]) identity.tcbLevels = levels;
  };
  const partOf = (said: Collateral, names: readonly (keyof Collateral)[]): Partial<Collateral> =>
    Object.fromEntries(names.map((name) => [name, said[name]]));
  const foreign =
    (...names: (keyof Collateral)[]) =>
    async () =>
      partOf(await other.collateral(), names);
  const old =
    (...names: (keyof Collateral)[]) =>
    async () =>
      partOf(await maker.collateral({ now: now - 10 * DAY_MS }), names);

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

  /** Quotes and what the maker says of them, each wrong in one thing alone. */
  const wrong: Readonly<
    Record<string, [of: () => Promise<Uint8Array>, said: () => Promise<Partial<Collateral>>, code: string]>
  > = {
    noise: [async () => randomBytes(4_000), nothing, 'quote-invalid'],
    nothing: [async () => new Uint8Array(0), nothing, 'quote-invalid'],
    'cut off': [async () => quote.subarray(0, 1_000), nothing, 'quote-invalid'],
    "another maker's": [() => other.quote({ reportData, mrTd }), nothing, 'quote-invalid'],
    'of an unknown version': [changed('header', 0, 9), nothing, 'quote-invalid'],
    'of another kind of enclave': [changed('header', 4, 0), nothing, 'quote-invalid'],
    'with an unknown kind of signature': [changed('header', 2, 3), nothing, 'quote-invalid'],
    'of a machine that can be debugged': [changed('report', TD_ATTRIBUTES, 1), nothing, 'quote-invalid'],
    'of a machine with reserved attributes': [changed('report', TD_ATTRIBUTES + 1, 1), nothing, 'quote-invalid'],
    'of a machine whose host may change its pages': [changed('report', TD_ATTRIBUTES + 3, 0), nothing, 'quote-invalid'],
    'by an enclave of another signer': [changed('qeReport', 128, 0xff), nothing, 'quote-invalid'],
    'by another product of the signer': [changed('qeReport', 256, 7), nothing, 'quote-invalid'],
    'by an enclave that is too old': [changed('qeReport', 258, 1), nothing, 'quote-invalid'],
    'by an enclave that can be debugged': [changed('qeReport', 48, 0x13), nothing, 'quote-invalid'],
    'by an enclave that signs for another key': [ofAnotherKey, nothing, 'quote-invalid'],
    'of a platform older than any that counts': [changed('report', 5, 0), nothing, 'quote-invalid'],
    'measured by a module of another signer': [changed('report', MR_SIGNER_SEAM, 1), nothing, 'module-unknown'],
    'measured by a module with an attribute': [changed('report', SEAM_ATTRIBUTES, 1), nothing, 'module-unknown'],
    'measured by a module that can be debugged': [
      changed('report', SEAM_ATTRIBUTES + 7, 0x80),
      nothing,
      'module-unknown',
    ],
    'measured by a module that nobody vouches for': [changed('report', 1, 9), nothing, 'module-unknown'],
    'measured by a version of the module older than any': [
      async () => quote,
      saying((info) => {
        setLevels(info, [{ tcb: { isvsvn: 6 }, tcbStatus: 'UpToDate' }]);
      }),
      'module-unknown',
    ],
    'measured by a module that was revoked': [
      async () => quote,
      saying((info) => {
        setLevels(info, [{ tcb: { isvsvn: 0 }, tcbStatus: 'Revoked' }]);
      }),
      'platform-revoked',
    ],
    'measured by a module of which the maker says nothing': [
      async () => quote,
      saying((info) => {
        info.tdxModuleIdentities = [];
      }),
      'module-unknown',
    ],
    'of another family of platforms': [
      async () => quote,
      saying((info) => {
        info.fmspc = '00806f000000';
      }),
      'quote-invalid',
    ],
    'of a platform whose firmware is revoked': [
      async () => quote,
      saying((info) => {
        for (const level of info.tcbLevels as { tcbStatus: string }[]) level.tcbStatus = 'Revoked';
      }),
      'quote-invalid',
    ],
    'judged by what is said of another processor': [
      async () => quote,
      saying((info) => {
        info.id = 'SGX';
      }),
      'quote-invalid',
    ],
    'judged by what is said of another enclave': [
      async () => quote,
      () => maker.collateral({ qeIdentity: (said) => Object.assign(said, { id: 'QE' }) }),
      'quote-invalid',
    ],
    'of a platform that the maker has revoked': [
      async () => quote,
      () => maker.collateral({ revoked: true }),
      'platform-revoked',
    ],
    "beside another authority's list of revoked ones": [
      async () => quote,
      () => maker.collateral({ ofOthers: true }),
      'collateral-invalid',
    ],
    'beside a list that is no list': [async () => quote, async () => ({ pck_crl: '00' }), 'collateral-invalid'],
    'beside no list of the root': [async () => quote, async () => ({ root_ca_crl: '' }), 'collateral-invalid'],
    'beside no issuer of the list': [
      async () => quote,
      async () => ({ pck_crl_issuer_chain: '' }),
      'collateral-invalid',
    ],
    "beside another maker's list": [async () => quote, foreign('pck_crl'), 'collateral-invalid'],
    "beside another maker's list of the root": [async () => quote, foreign('root_ca_crl'), 'collateral-invalid'],
    "beside another maker's list with its issuer": [
      async () => quote,
      foreign('pck_crl', 'pck_crl_issuer_chain'),
      'collateral-invalid',
    ],
    'beside an old list': [async () => quote, old('pck_crl'), 'collateral-stale'],
    'beside an old list of the root': [async () => quote, old('root_ca_crl'), 'collateral-stale'],
    'judged by what was said long ago': [async () => quote, old('tcb_info', 'tcb_info_signature'), 'collateral-stale'],
    'judged by what was said of the enclave long ago': [
      async () => quote,
      old('qe_identity', 'qe_identity_signature'),
      'collateral-stale',
    ],
    'judged by another maker': [async () => quote, foreign('tcb_info', 'tcb_info_signature'), 'quote-invalid'],
    'judged by what is signed by nobody': [async () => quote, foreign('tcb_info_signature'), 'quote-invalid'],
  };
  it.each(Object.entries(wrong))('is refused if it is %s', async (_, [of, said, code]) => {
    await expect(verified(await of(), await said())).rejects.toMatchObject({ code });
  });

  it('is refused once what was said of it is old', async () => {
    await expect(verified(quote, {}, now + 3 * DAY_MS)).rejects.toMatchObject({ code: 'collateral-stale' });
  });

  it('is judged here where the library does not: by module, and by whose list of revoked ones it is', async () => {
    const library = new QuoteVerifier(maker.rootDer);
    const names = Object.keys(wrong).filter(
      (name) => name.startsWith('measured by') || name.includes('another authority'),
    );
    expect(names).toHaveLength(8);
    for (const name of names) {
      const [of, said] = wrong[name] as (typeof wrong)[string];
      const { status } = library.verify(
        Buffer.from(await of()),
        { ...collateral, ...(await said()) },
        Math.floor(now / 1_000),
      );
      expect(status, name).toBe('UpToDate');
    }
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['the first version, which has no levels', { svn: [5, 0] }, 'UpToDate'],
    ['a version with a level that counts', { svn: [5, 5] }, 'UpToDate'],
  ])('tells the state of its module: %s', async (_, { svn }, state) => {
    const report = (bytes: Buffer) => bytes.set(svn as number[], 0);
    const components = (info: Said) => {
      for (const { tcb } of info.tcbLevels as { tcb: { tdxtcbcomponents: { svn: number }[] } }[]) {
        for (const each of tcb.tdxtcbcomponents.slice(0, 2)) each.svn = 0;
      }
    };
    const said = await maker.collateral({ tcbInfo: components });
    const { tcbStatus } = await verified(await maker.quote({ reportData, mrTd, change: { report } }), said);
    expect(tcbStatus).toBe(state);
  });

  it('tells the worse state of platform and module', async () => {
    const late = await saying((info) => {
      setLevels(info, [
        { tcb: { isvsvn: 6 }, tcbStatus: 'UpToDate' },
        { tcb: { isvsvn: 5 }, tcbStatus: 'OutOfDate', advisoryIDs: ['INTEL-SA-00000'] },
      ]);
    })();
    expect(await verified(quote, late)).toMatchObject({ tcbStatus: 'OutOfDate', advisories: ['INTEL-SA-00000'] });
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
  const OPEN = { rtMr0: 'unpinned', rtMr1: 'unpinned', rtMr2: 'unpinned', rtMr3: 'unpinned' };
  const digits = fc.uint8Array({ minLength: 48, maxLength: 48 }).map((bytes) => Buffer.from(bytes).toString('hex'));
  const measured = fc.record(
    Object.fromEntries(MEASUREMENTS.map((name) => [name, digits])),
  ) as unknown as fc.Arbitrary<Measurements>;

  it('trust a machine that has all that one of them pins, and no other', () => {
    fc.assert(
      fc.property(measured, measured, fc.subarray([...MEASUREMENTS]), (machine, another, names) => {
        const pinned = { mrTd: machine.mrTd, ...Object.fromEntries(names.map((name) => [name, machine[name]])) };
        const machines = parsePinned(JSON.stringify([another, { ...OPEN, ...pinned }]));
        checkMeasurements(machine, machines);
        for (const name of Object.keys(pinned)) {
          const changed = { ...machine, [name]: randomBytes(48).toString('hex') };
          expect(() => checkMeasurements(changed, machines)).toThrow('Something else runs there');
        }
      }),
    );
  });

  it.each([
    ['[]', 'no machine is pinned'],
    ['{"rtMr0":"00"}', '"rtMr0" of machine 0 is not 96 digits'],
    [`{"rtMr0":"${'00'.repeat(48)}"}`, 'machine 0 does not pin "mrTd"'],
    [JSON.stringify([{ mrTd: '00'.repeat(48), ...OPEN }, { mrtd: 'x' }]), 'machine 1 has "mrtd", which is none of'],
    [`{"mrTd":"${'00'.repeat(48)}"}`, 'machine 0 says nothing of "rtMr0": pin it, or write "unpinned"'],
    [JSON.stringify({ mrTd: '00'.repeat(48), ...OPEN, rtMr2: undefined }), 'machine 0 says nothing of "rtMr2"'],
    [JSON.stringify({ ...OPEN, mrTd: 'unpinned' }), '"mrTd" of machine 0 is not 96 digits'],
    [`{"mrTd":"${'AA'.repeat(48)}"}`, 'is not 96 digits'],
    ['{', 'JSON'],
    ['null', 'does not pin "mrTd"'],
  ])('that are malformed are answered with what is wrong: %s', (text, message) => {
    expect(() => parsePinned(text)).toThrow(message);
  });
});
