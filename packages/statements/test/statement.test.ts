import { ClientError, entryState } from '@payouts/client';
import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { randomAddress } from '../../client/test/support.ts';
import {
  type Evidence,
  evidenceFromJson,
  evidenceToJson,
  findingsOf,
  missingWindows,
  type Statement,
  type StatementKind,
  statementCsv,
  verifyEvidence,
} from '../src/index.ts';
import { made, type Shape, shapes } from './evidences.ts';

const kinds = fc.constantFrom<StatementKind>('totals', 'recipients');

/** Through the file in which evidence is kept. */
const kept = (evidence: Evidence): unknown => JSON.parse(JSON.stringify(evidenceToJson(evidence)));

/** What a token has paid by the ledger's own figures, or for recipients by what each entry came to. */
function paidOf({ kind, payrolls }: Evidence, mint: string): bigint {
  const windows = payrolls.flatMap((payroll) => payroll.windows);
  const settled = windows.flatMap((one) => one.settled ?? []).filter((one) => one.mint === mint);
  if (kind === 'totals') return settled.reduce((sum, { paid }) => sum + paid, 0n);
  return windows
    .flatMap(({ entries }) => entries)
    .filter((one) => one.settled.mint === mint && entryState(one) === 'paid')
    .reduce((sum, { leaf }) => sum + leaf.amount, 0n);
}

const sumOf = ({ sums }: Pick<Statement, 'sums'>, mint: string): bigint =>
  sums.find((sum) => sum.mint === mint)?.paid ?? 0n;

const SIMPLE: Shape = [
  {
    token: 0,
    windows: [
      { count: 4, held: 1, unpaid: 2, named: 4 },
      { count: 3, held: 9, unpaid: 9, named: 2 },
    ],
  },
  { token: 1, windows: [{ count: 2, held: 9, unpaid: 9, named: 1 }] },
];

describe('a statement', () => {
  it('adds up to the ledger’s figures to the unit, by payroll, recipient and token, also out of its file', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, kinds, async (shape, kind) => {
        const { evidence, windows } = await made(shape, kind);
        const statement = await verifyEvidence(evidenceFromJson(kept(evidence)));
        expect(statement.unverified).toBe(0);
        for (const mint of new Set(windows.map(({ settled }) => settled.mint))) {
          const paid = paidOf(evidence, mint);
          expect(sumOf(statement, mint)).toBe(paid);
          expect(statement.payrolls.reduce((sum, payroll) => sum + sumOf(payroll, mint), 0n)).toBe(paid);
          if (kind === 'recipients')
            expect(statement.people.reduce((sum, person) => sum + sumOf(person, mint), 0n)).toBe(paid);
        }
      }),
      { numRuns: 15 },
    );
  });

  it('counts no figure of which anything was changed, and leaves all others as they are', async () => {
    for (const kind of ['totals', 'recipients'] as const) {
      const { evidence } = await made(SIMPLE, kind);
      const whole = await verifyEvidence(evidence);
      const text = JSON.stringify(evidenceToJson(evidence));
      // Numbers and hexadecimal digits, wherever they stand in a proof.
      const places = [...text.matchAll(/[0-9a-f]/g)]
        .map(({ index }) => index)
        .filter((index) => index > text.indexOf('"windows":[{'));
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...places), fc.constantFrom('1', '2', 'a'), async (place, digit) => {
          const other = text.slice(0, place) + digit + text.slice(place + 1);
          if (other === text) return;
          let statement: Statement;
          try {
            statement = await verifyEvidence(evidenceFromJson(JSON.parse(other)));
          } catch (error) {
            expect(error instanceof SyntaxError || error instanceof ClientError).toBe(true);
            return;
          }
          // Whom a grant names, and of when the statement is, nothing proves.
          const isNoted = statement.unverified > 0 || statement.payrolls.some(({ missing }) => missing.length > 0);
          expect(isNoted, other.slice(place - 40, place + 40)).toBe(true);
          for (const { mint, paid } of whole.sums) expect(sumOf(statement, mint)).toBeLessThanOrEqual(paid);
        }),
        { numRuns: 40 },
      );
    }
  });

  it('counts nothing twice, and no proof of another window', async () => {
    for (const kind of ['totals', 'recipients'] as const) {
      const { evidence } = await made(SIMPLE, kind);
      const whole = await verifyEvidence(evidence);
      const [first, ...others] = evidence.payrolls;
      if (first === undefined) throw new Error('no payroll');
      const [one, two] = first.windows as [(typeof first.windows)[0], (typeof first.windows)[0]];
      const twice = { ...evidence, payrolls: [{ ...first, windows: [one, one, two] }, ...others] };
      const swapped = { ...one, settled: two.settled, entries: two.entries };
      const other = { ...evidence, payrolls: [{ ...first, windows: [swapped, two] }, ...others] };
      const elsewhere = { ...evidence, payrolls: [{ ...first, schedule: randomAddress() }, ...others] };
      for (const wrong of [twice, other, elsewhere]) {
        const statement = await verifyEvidence(wrong);
        expect(statement.unverified).toBeGreaterThan(0);
        for (const { mint, paid } of whole.sums) expect(sumOf(statement, mint)).toBeLessThanOrEqual(paid);
      }
      expect((await verifyEvidence(twice)).sums).toEqual(whole.sums);
    }
  });

  it('says what nothing was asked about, what is missing, and what the ledger contradicts', async () => {
    const { evidence, windows } = await made(SIMPLE, 'totals');
    const [first, second] = evidence.payrolls as [Evidence['payrolls'][0], Evidence['payrolls'][0]];
    const offline = findingsOf(await verifyEvidence(evidence));
    expect(offline.open.join('\n')).toMatch(
      /that the settlements are on the base ledger[\s\S]*is the execution authority/,
    );
    const paid = (schedule: string) =>
      windows
        .filter(({ settled }) => settled.schedule === schedule)
        .reduce((sum, { settled }) => sum + settled.paid, 0n);
    const ledger = {
      window: async () => ({ faults: [], isAuthority: true }),
      total: async (schedule: string) => ({
        program: windows[0]?.settled.program as never,
        windows: BigInt(windows.filter(({ settled }) => settled.schedule === schedule).length),
        paid: paid(schedule),
        root: windows.at(-1)?.settled.root as Uint8Array,
      }),
    };
    const asked = await verifyEvidence(evidence, { ledger });
    expect(asked.payrolls.map(({ total }) => total)).toEqual(['same', 'same']);
    // The first payroll's lists were replaced since.
    expect(asked.formerRoots).toBe(2);
    const without = { ...evidence, payrolls: [{ ...first, windows: first.windows.slice(1) }, second] };
    const partial = await verifyEvidence(without, { ledger });
    expect(partial.payrolls[0]).toMatchObject({ total: 'other', missing: [{ first: 0n, last: 0n }] });
    expect(findingsOf(partial).open.join('\n')).toMatch(/don't add up[\s\S]*left out: window 0\./);
    const elsewhere = { ...ledger, total: async () => ({ ...(await ledger.total('')), program: randomAddress() }) };
    expect((await verifyEvidence(evidence, { ledger: elsewhere })).unverified).toBe(3);
  });

  it('is read from its CSV line by line, with a total for each token', async () => {
    await fc.assert(
      fc.asyncProperty(shapes, kinds, async (shape, kind) => {
        const { evidence } = await made(shape, kind);
        const statement = await verifyEvidence(evidence);
        const { data, errors } = Papa.parse<Record<string, string>>(statementCsv(statement).trimEnd(), {
          header: true,
        });
        const lines = statement.payrolls.flatMap((payroll) => payroll.lines);
        const isTotal = ({ payroll }: Record<string, string>) => payroll === 'total';
        if (lines.length === 0) return;
        expect(errors).toEqual([]);
        expect(data.filter((row) => !isTotal(row))).toHaveLength(lines.length);
        for (const { mint, paid } of statement.sums) {
          const own = data.filter((row) => row.mint === mint);
          const sum = own
            .filter((row) => !isTotal(row))
            .reduce((all, row) => all + BigInt(row.paid_base_units ?? ''), 0n);
          expect(sum).toBe(paid);
          expect(own.find(isTotal)?.paid_base_units).toBe(String(paid));
        }
      }),
      { numRuns: 10 },
    );
  });
});

describe('missing windows', () => {
  it('are those of the ranges that were not seen, once each, up to the last that is known of', () => {
    const number = fc.bigInt({ min: 0n, max: 12n });
    const range = fc.record({ from: fc.option(number), to: fc.option(number) });
    fc.assert(
      fc.property(fc.array(range, { maxLength: 3 }), fc.uniqueArray(number), number, (ranges, seen, last) => {
        const wanted: bigint[] = [];
        for (let window = 0n; window <= last; window++) {
          const isIn = ranges.some(({ from, to }) => (from ?? 0n) <= window && window <= (to ?? window));
          if (isIn && !seen.includes(window)) wanted.push(window);
        }
        const found = missingWindows(ranges, seen, last).flatMap((span) =>
          Array.from({ length: Number(span.last - span.first) + 1 }, (_, place) => span.first + BigInt(place)),
        );
        expect(found).toEqual(wanted);
      }),
    );
  });
});
