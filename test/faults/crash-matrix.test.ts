import { patiently, registerSchedule, type ScheduleTerms } from '@payouts/cli';
import { type Payee, systemTime } from '@payouts/client';
import { claimRange, openWindow } from '@payouts/testing/claims';
import { seed } from '@payouts/testing/seed';
import { variedPayees } from '@payouts/testing/wallets';
import { type Employer, everySeconds, until } from '@payouts/testing/world';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { caseOf, KILLS, POINTS } from './matrix/cases.ts';
import type { Lane } from './matrix/lanes.ts';
import { explain } from './matrix/report.ts';
import { isFine, playRound } from './matrix/round.ts';
import { verdictOf } from './matrix/verdict.ts';
import { MatrixWorld } from './matrix/world.ts';

const RECIPIENTS = 5;
/** Seconds that a window may be open. */
const LONG = 3_600;
const SHORT = 600;

let matrix: MatrixWorld;
beforeAll(async () => {
  matrix = await MatrixWorld.start();
});
afterAll(() => matrix?.stop());

describe('everybody is paid exactly once when, at each point of the workflow, this dies:', () => {
  it.each(KILLS)(
    '%s',
    async (kill) => {
      const results = await playRound(
        matrix,
        POINTS.map((point) => caseOf(seed, point, kill)),
      );
      const failed = results.filter((result) => !isFine(result));
      const logs = failed.length > 0 ? await matrix.keepLogs() : '';
      expect(failed.map((result) => explain(result, logs))).toEqual([]);
      expect(results).toHaveLength(POINTS.length);
    },
    400_000,
  );
});

describe('the matrix finds', () => {
  const promise = (payees: readonly Payee[], terms: Partial<ScheduleTerms>): Promise<Employer> => {
    const lane = matrix.lanes[0] as Lane;
    lane.schedules += 1;
    return matrix.world.promise(lane, payees, {
      id: BigInt(lane.schedules),
      calendar: everySeconds(1),
      batchTimeout: LONG,
      ...terms,
    });
  };
  const settle = async ({ schedule, list }: Employer, windows: number) => {
    await patiently(systemTime, () => registerSchedule(matrix.cluster.apiUrl, schedule, list));
    const query = `select 1 from execution_runs where schedule = '${schedule}' and state = 'settled'`;
    await until(async () => (await matrix.cluster.rows(query)).length === windows, 'the end of the runs');
  };
  beforeAll(() => matrix.staff(['one']));

  it('who was paid twice', async () => {
    const employer = await promise(await variedPayees(RECIPIENTS, 1_000n), { executions: 2 });
    await settle(employer, 2);
    const verdict = await verdictOf(matrix.world, employer);
    expect(verdict).toMatchObject({ double: RECIPIENTS, lost: 0 });
    expect(verdict.problems).toContain("the schedule's window is 2, not 1");
  });

  it('who was not paid', async () => {
    const { admin } = matrix.world.localnet;
    // The layer goes by the machine's clock: a window that was opened by a ledger so far behind it is over there at once.
    const firstExecution = BigInt(await admin.advanceClock(-SHORT - 1));
    const payees = await variedPayees(RECIPIENTS, 1_000n);
    const employer = await promise(payees, { executions: 1, firstExecution, batchTimeout: SHORT });
    // Somebody opens the window, leaves one out and dies; its time is over when the coordinator finds it.
    await openWindow(matrix.world, employer, 0n);
    await claimRange(matrix.world, employer, 0, RECIPIENTS - 1);
    await admin.advanceClock(SHORT + 1);
    await settle(employer, 1);
    const verdict = await verdictOf(matrix.world, employer);
    expect(verdict).toMatchObject({ double: 0, lost: 1 });
    expect(verdict.problems).toContain(`the count of those paid is ${RECIPIENTS - 1}, not ${RECIPIENTS}`);
  });
});
