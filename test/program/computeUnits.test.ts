import { MAGIC_PROGRAM_ADDRESS, PERMISSION_PROGRAM_ADDRESS } from '@payouts/client';
import type { Outcome } from '@payouts/testing/litesvm/outcome';
import { must } from '@payouts/testing/litesvm/world';
import { describe, expect, it } from 'vitest';
import { fixtures } from './fixtures/all.ts';
import * as build from './fixtures/build.ts';
import { send } from './harness/fixture.ts';
import { rangeOf } from './harness/list.ts';
import { addSchedule, crowd, scheduled } from './instructions/support/scenes.ts';
import { open, pay } from './instructions/support/window.ts';

/** Leaves of a tree of depth 14. */
const RECIPIENTS = 10_000;
/** Claims in a transaction. */
const SIZES = [1, 8, 50, 250, 1_000] as const;

/** Units of the ledger program and what it calls, without the execution layer's own programs: those are doubles here. */
const unitsOf = (outcome: Outcome): number =>
  outcome.computeUnits - outcome.unitsOf(MAGIC_PROGRAM_ADDRESS) - outcome.unitsOf(PERMISSION_PROGRAM_ADDRESS);

function instructionUnits(): [name: string, ledger: string, units: number][] {
  return fixtures.map((fixture) => {
    const { scene, instruction } = fixture.prepare();
    return [fixture.name, fixture.place, unitsOf(must(send(fixture, scene, instruction)))];
  });
}

/** Units by claims in a transaction that credits balances which are there: a first list of the same people has taken their slots. */
function claimUnits(): [claims: number, units: number][] {
  const people = crowd(RECIPIENTS, 1n);
  const creating = scheduled(people, { executions: 1 });
  const scene = addSchedule(creating, 2n, people, { executions: 1 });
  const all = SIZES.reduce((sum, claims) => sum + claims, 0);
  open(creating);
  pay(creating, 0, all);
  open(scene);
  const { world, schedule, list } = scene;
  let start = 0;
  return SIZES.map((claims) => {
    const call = build.claimPayment(world, schedule, rangeOf(list, start, claims));
    start += claims;
    return [claims, unitsOf(must(world.sendToLayer(call)))];
  });
}

const table = (heads: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

function page(claims: ReturnType<typeof claimUnits>): string {
  return `# Compute units

What each instruction takes of the ledger program and of what it calls, in the scene that the tests have for it. The execution layer's own
programs are left out, for litesvm has only doubles of them. \`npm run program:cost\` writes this page; \`npm test\` fails when it is not current.

${table(['instruction', 'ledger', 'units'], instructionUnits())}

## Claims

Of a list of ${RECIPIENTS.toLocaleString('en')} (depth 14), to balances that exist, by claims in a transaction. A new balance takes as much: it takes a free slot of
a page that exists.

${table(
  ['claims', 'units', 'units a claim'],
  claims.map(([claims, units]) => [claims, units, Math.round(units / claims)]),
)}
`;
}

describe('compute units', () => {
  const claims = claimUnits();

  it('of a claim stay within 4,500 alone and 520 in a batch', () => {
    expect(claims[0]?.[1]).toBeLessThan(4_500);
    const [count, units] = claims.at(-1) as [number, number];
    expect(units / count).toBeLessThan(520);
  });

  it('stand in the reference as they are', async () => {
    await expect(page(claims)).toMatchFileSnapshot('../../docs/reference/compute-units.md');
  });
});
