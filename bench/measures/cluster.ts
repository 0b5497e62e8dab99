// The same windows where the base ledger takes as long as a real cluster.
import { systemTime } from '@payouts/client';
import { startPostgres } from '@payouts/testing/services';
import { CLUSTER, payTogether, startCountingServer } from '../parts/together.ts';
import { judged, type Measure, type Row } from '../row.ts';
import { middle, onLedgers, payWindows } from './windows.ts';

const late = `landing after ${CLUSTER.landMs} ms, final ${CLUSTER.finalMs / 1_000} s later`;

export const cluster: Measure = {
  name: 'cluster',
  minutes: 5,
  async run(quick, say) {
    const rows: Row[] = [];
    const [sizes, schedules] = quick ? [[10], 4] : [[10, 10_000], 200];
    const postgres = await startPostgres(systemTime, { isDurable: true });
    try {
      for (const recipients of sizes) {
        say(`one window of ${recipients.toLocaleString('en')}`);
        const size = await onLedgers((world) =>
          payWindows(world, postgres, { recipients, windows: 2, latency: CLUSTER }),
        );
        rows.push(
          judged({
            name: `${recipients.toLocaleString('en')} known recipients, due to final, ${late}`,
            measured: middle(size, 'known', 'dueToFinal'),
            unit: ' s',
          }),
        );
      }
    } finally {
      await postgres.remove();
    }
    say(`${schedules} windows due together`);
    const server = await startCountingServer();
    try {
      const input = { schedules, recipients: 10, processes: [1, 1], latency: CLUSTER };
      const measured = await onLedgers((world) => payTogether(server, world, input));
      const name = `windows of 10 due together, 1 coordinator, ${late}`;
      return [...rows, judged({ name, measured: measured.at(-1)?.rate ?? Number.NaN, unit: '/s' })];
    } finally {
      await server.postgres.remove();
    }
  },
};
