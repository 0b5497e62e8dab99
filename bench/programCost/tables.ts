import type { ClaimCost } from './claims.ts';
import type { InstructionCost } from './instructions.ts';

/** Most compute units of a claim: in the best batch for a known and for a new recipient, and alone at depth 14. */
export const CLAIM_LIMITS = { known: 700, new: 2_000, single: 5_400 } as const;

const right = (value: string | number, width: number) => String(value).padStart(width);

export function instructionTable(costs: readonly InstructionCost[]): string {
  const rows = costs.map(({ name, ledger, units }) => `${name.padEnd(44)}${ledger.padEnd(7)}${right(units, 8)}`);
  return [`${'instruction'.padEnd(44)}${'ledger'.padEnd(7)}${right('units', 8)}`, ...rows, ''].join('\n');
}

/** The claims' table with the limits and whether they hold. */
export function claimTable(costs: readonly ClaimCost[]): { text: string; isWithinLimits: boolean } {
  const rows = costs.map(
    ({ balances, claims, units }) =>
      `${balances.padEnd(10)}${right(claims, 8)}${right(units, 10)}${right((units / claims).toFixed(0), 12)}`,
  );
  const best = (kind: ClaimCost['balances']) =>
    Math.min(...costs.filter(({ balances }) => balances === kind).map(({ claims, units }) => units / claims));
  const single = costs.find(({ balances, claims }) => balances === 'known' && claims === 1)?.units ?? Number.NaN;
  const verdicts = [
    ['known recipient, best batch', best('known'), CLAIM_LIMITS.known],
    ['new recipient, best batch', best('new'), CLAIM_LIMITS.new],
    ['single claim at depth 14', single, CLAIM_LIMITS.single],
  ] as const;
  const isWithinLimits = verdicts.every(([, units, limit]) => units <= limit);
  const text = [
    `${'balances'.padEnd(10)}${right('claims', 8)}${right('units', 10)}${right('units/claim', 12)}`,
    ...rows,
    '',
    ...verdicts.map(
      ([what, units, limit]) =>
        `${units <= limit ? '✓' : '✖'} ${what.padEnd(30)}${right(units.toFixed(0), 7)} of ${limit} units`,
    ),
  ].join('\n');
  return { text, isWithinLimits };
}

/** Both tables as a page of the documentation. */
export function page(instructions: readonly InstructionCost[], claims: readonly ClaimCost[]): string {
  return [
    '# Compute units',
    '',
    'Measured on both real ledgers by `npm run program:cost -- --markdown docs/reference/compute-units.md`, which the tests run too: it fails',
    'when a claim costs more than its limit. What an instruction calls is included. Deriving an address costs 1,500 units a try, so those',
    'that create accounts vary by some thousands with the keys. Read permissions are set by a stand-in for the permission program, whose',
    'published version is too old (`test/program/permission-program`): what the real one takes may differ.',
    '',
    '```',
    instructionTable(instructions).trimEnd(),
    '```',
    '',
    'Claims of a list of 10,000 (depth 14), by claims in a transaction; limits of the execution layer: 62 new balances or 250 known ones.',
    '',
    '```',
    claimTable(claims).text,
    '```',
    '',
  ].join('\n');
}
