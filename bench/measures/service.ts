// Windows of ten that fall due in the same second, on ledgers that answer at once: what the service itself takes, beside a bare engine.
import { type BareRound, COMMIT, measureBareEngine } from '../parts/bareEngine.ts';
import { type CountingServer, counting } from '../parts/counting.ts';
import { onQuickLedgers } from '../parts/quickLedgers.ts';
import { onPostgres } from '../parts/servers.ts';
import { payTogetherOn, type Together } from '../parts/together.ts';
import { digits, judged, type Measure, type Row } from '../row.ts';

const RECIPIENTS = 10;
const SHOWN_STATEMENTS = 12;

/** The middle one by its rate. */
const middleOf = <T extends { readonly rate: number }>(measured: readonly T[]): T =>
  measured.toSorted((a, b) => a.rate - b.rate)[Math.floor(measured.length / 2)] as T;

function rowsOf({ processes, rate, processorMs, ...each }: Together, bare: BareRound): Row[] {
  const who = `${processes} coordinator${processes === 1 ? '' : 's'}`;
  const limit = `workflows that do nothing on the bare engine of ${COMMIT}, as many processes`;
  const { coordinators, PostgreSQL, base: ledgers } = processorMs;
  const parts = `coordinators ${digits(coordinators)}, PostgreSQL ${digits(PostgreSQL)}, both ledgers ${digits(ledgers)}`;
  return [
    judged({
      name: `windows of ${RECIPIENTS} due together, ledgers that answer at once, ${who}`,
      measured: rate,
      unit: '/s',
      limit: { value: bare.rate, of: limit },
      ratio: { least: 0.5 },
    }),
    judged({
      name: `processor time of each without the ledgers (${parts})`,
      measured: coordinators + PostgreSQL,
      unit: ' ms',
      limit: { value: bare.processorMs, of: 'of each such workflow' },
    }),
    judged({ name: `statements of each, ${who}`, measured: each.statements, unit: '' }),
    judged({ name: `calls to the ledgers of each, ${who}`, measured: each.ledgerCalls, unit: '' }),
  ];
}

async function measureService(server: CountingServer, quick: boolean, say: (text: string) => void): Promise<Row[]> {
  const [schedules, counts, times] = quick ? [20, [1, 2], 1] : [3_000, [1, 3], 3];
  say(`${schedules} windows, ${counts.join(' and ')} coordinators`);
  // Each process has paid as many windows as fall due, before those that count.
  const processes = counts.flatMap((count) => Array<number>(count + times).fill(count));
  const measured = await onQuickLedgers((ledgers) =>
    payTogetherOn(server, ledgers, { schedules, recipients: RECIPIENTS, processes }),
  );
  const rows: Row[] = [];
  for (const count of counts) {
    say(`the bare engine, ${count} process${count === 1 ? '' : 'es'}`);
    const rounds = await measureBareEngine(server, { workflows: schedules, processes: count, rounds: count + times });
    const ours = middleOf(measured.filter((one) => one.processes === count).slice(-times));
    for (const line of ours.busiest.slice(0, SHOWN_STATEMENTS)) say(line);
    rows.push(...rowsOf(ours, middleOf(rounds.slice(-times))));
  }
  return rows;
}

export const service: Measure = {
  name: 'service',
  minutes: 8,
  run: (quick, say) => onPostgres(async (postgres) => measureService(await counting(postgres), quick, say)),
};
