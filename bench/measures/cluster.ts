// The same windows where the base ledger takes as long as a real cluster.
import { CLUSTER, payTogether } from '../parts/together.ts';
import { judged, type Measure, type Row } from '../row.ts';
import { middle, payWindows } from './windows.ts';

const late = `landing after ${CLUSTER.landMs} ms, final ${CLUSTER.finalMs / 1_000} s later`;

export const cluster: Measure = {
  name: 'cluster',
  minutes: 5,
  async run(quick, say) {
    const rows: Row[] = [];
    const [sizes, schedules] = quick ? [[10], 4] : [[10, 10_000], 200];
    for (const recipients of sizes) {
      say(`one window of ${recipients.toLocaleString('en')}`);
      const size = await payWindows({ recipients, windows: 2, habits: CLUSTER });
      rows.push(
        judged({
          name: `${recipients.toLocaleString('en')} known recipients, due to final, ${late}`,
          measured: middle(size, 'known', 'dueToFinal'),
          unit: ' s',
        }),
      );
    }
    say(`${schedules} windows due together`);
    const input = { schedules, recipients: 10, processes: [1, 1], habits: CLUSTER };
    const measured = await payTogether(input);
    const name = `windows of 10 due together, 1 coordinator, ${late}`;
    return [...rows, judged({ name, measured: measured.at(-1)?.rate ?? Number.NaN, unit: '/s' })];
  },
};
