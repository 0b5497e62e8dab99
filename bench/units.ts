import { type ClaimCost, measureClaims } from './programCost/claims.ts';
import { CLAIM_LIMITS } from './programCost/tables.ts';
import { judged, type Measure } from './runner/measure.ts';

/** Compute units a claim of a trial without any checks. */
const TRIAL = { known: 575, new: 1_709 } as const;

const each = ({ units, claims }: ClaimCost): number => units / claims;

export const units: Measure = {
  name: 'units',
  what: 'Compute units of a claim in the execution layer, in the best batch, beside a trial without all checks.',
  minutes: 0.7,
  options: (command) => command,
  async run() {
    const costs = await measureClaims();
    const best = (balances: ClaimCost['balances']): number =>
      Math.min(...costs.filter((cost) => cost.balances === balances).map(each));
    const rows = (['known', 'new'] as const).map((balances) =>
      judged({
        id: `units.${balances}`,
        measure: `compute units a claim, best batch, ${balances} recipients`,
        figure: best(balances),
        unit: '',
        limit: TRIAL[balances],
        limitName: 'trial without all checks',
        goal: { of: 'figure', most: CLAIM_LIMITS[balances] },
      }),
    );
    const lines = costs.map((cost) => ({ ...cost, 'units a claim': Math.round(each(cost)) }));
    const facts = { unitsKnown: best('known'), unitsNew: best('new') };
    return { rows, details: [{ title: 'Claim transactions', rows: lines }], facts };
  },
};
