// The same windows where the base ledger takes as long as a real cluster.
import { CLUSTER, payTogether, type Together } from '../parts/together.ts';
import { type Figure, judged, type Measure, type Row } from '../row.ts';
import { middle, payWindows } from './windows.ts';

const late = `landing after ${CLUSTER.landMs} ms, final ${CLUSTER.finalMs / 1_000} s later`;
const CORES = 2;
const RECIPIENTS = 10;
const MANY_TOKENS = 20;

/** Windows a second on two cores that do nothing but what the ledgers do for them. */
const ledgersLimit = ({ processorMs }: Together): NonNullable<Figure['limit']> => ({
  value: (CORES * 1_000) / (processorMs.base + processorMs.layer),
  of: "both ledgers' own processor time on two cores",
});

export const cluster: Measure = {
  name: 'cluster',
  minutes: 10,
  async run(quick, say) {
    const rows: Row[] = [];
    const [sizes, schedules, many] = quick ? [[10], 4, 2] : [[10, 10_000], 2_000, MANY_TOKENS];
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
    for (const [tokens, least] of [
      [many, 25],
      [1, 20],
    ] as const) {
      const of = tokens === 1 ? 'one token' : `${tokens} tokens`;
      say(`${schedules.toLocaleString('en')} windows of ${of} due together`);
      const input = { schedules, tokens, recipients: RECIPIENTS, processes: [1, 1], habits: CLUSTER };
      const known = (await payTogether(input)).at(-1) as Together;
      rows.push(
        judged({
          name: `${schedules.toLocaleString('en')} windows of ${RECIPIENTS} of ${of}, due to all final, 1 coordinator, ${late}`,
          measured: known.rate,
          unit: '/s',
          goal: { least },
          limit: ledgersLimit(known),
        }),
      );
    }
    return rows;
  },
};
