// Everybody's payday: ten thousand windows of one token due in the same second, on a ledger that takes as long as a real cluster.
import { CLUSTER, payTogether } from '../parts/together.ts';
import { judged, type Measure } from '../row.ts';

const MINUTE = 60;

export const payday: Measure = {
  name: 'payday',
  minutes: 40,
  async run(quick, say) {
    const schedules = quick ? 30 : 10_000;
    const windows = `${schedules.toLocaleString('en')} windows of 10 of one token due together: all final`;
    const minutesOf = async (input: { readonly processes: readonly number[]; readonly killedBySeed?: number }) => {
      const [paid] = await payTogether({ schedules, recipients: 10, habits: CLUSTER, ...input });
      return schedules / (paid?.rate ?? Number.NaN) / MINUTE;
    };
    say('one coordinator');
    const alone = await minutesOf({ processes: [1] });
    say('three coordinators, one of them killed every few seconds');
    const killed = await minutesOf({ processes: [3], killedBySeed: 1 });
    return [
      judged({ name: `${windows}, 1 coordinator`, measured: alone, unit: ' min', goal: { most: 10 } }),
      judged({
        name: `${windows}, 3 coordinators that are killed`,
        measured: killed,
        unit: ' min',
        goal: { most: 15 },
      }),
    ];
  },
};
