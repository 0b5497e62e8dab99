// Windows of ten that fall due in the same second, before one coordinator and before several.
import { payTogether, type Together } from '../parts/together.ts';
import { digits, judged, type Measure, type Row } from '../row.ts';

const RECIPIENTS = 10;
const SHOWN_STATEMENTS = 12;
/** Times that coordinators are measured once they have paid as many windows before: the one in the middle counts. */
const TIMES = 3;

/** The middle one by its rate of the last few with so many processes. */
function middleOf(measured: readonly Together[], processes: number): Together {
  const last = measured.filter((one) => one.processes === processes).slice(-TIMES);
  return last.toSorted((a, b) => a.rate - b.rate)[Math.floor(last.length / 2)] as Together;
}

export const throughput: Measure = {
  name: 'throughput',
  minutes: 8,
  async run(quick, say) {
    const [schedules, counts, times] = quick ? [20, [1, 2], 1] : [1_000, [1, 3], TIMES];
    say(`${schedules} windows, ${counts.join(' and ')} coordinators`);
    // Each process has paid as many windows as fall due, before those that count.
    const processes = counts.flatMap((count) => Array<number>(count + times).fill(count));
    const measured = await payTogether({ schedules, recipients: RECIPIENTS, processes });
    const rows = counts.flatMap((count): Row[] => {
      const { rate, processorMs } = middleOf(measured, count);
      const coordinators = `${count} coordinator${count === 1 ? '' : 's'}`;
      const cost = Object.entries(processorMs).map(([part, milliseconds]) => `${part} ${digits(milliseconds)}`);
      return [
        judged({
          name: `windows of ${RECIPIENTS} due together, ${coordinators}`,
          measured: rate,
          unit: '/s',
        }),
        judged({
          name: `processor time of each (${cost.join(', ')})`,
          measured: Object.values(processorMs).reduce((sum, milliseconds) => sum + milliseconds, 0),
          unit: ' ms',
        }),
      ];
    });
    const one = middleOf(measured, counts[0] as number);
    for (const line of one.busiest.slice(0, SHOWN_STATEMENTS)) say(line);
    return [
      ...rows,
      judged({ name: 'statements a window', measured: one.statements, unit: '', goal: { most: 17 } }),
      judged({ name: 'calls to the ledgers a window', measured: one.ledgerCalls, unit: '', goal: { most: 14 } }),
    ];
  },
};
