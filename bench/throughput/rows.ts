import { judged, type Row } from '../runner/measure.ts';
import { fullOf, type Measured, perSecond } from './table.ts';

/** Times that coordinators are measured once they have paid as many windows before: the one in the middle counts. */
export const TIMES = 3;
/** Where nothing is full, so many times the coordinators do at least this part of as many times the windows. */
const SCALES = 0.7;

const isEngine = ({ calls }: Measured): boolean => calls === undefined;
/**
 * Of those measured so, in processes that have done as much before, the middle one of the last few by its rate; the last one where a
 * process was killed in it.
 */
function middleOf(measured: readonly Measured[], where: (one: Measured) => boolean): Measured | undefined {
  const isWarm = ({ before, processes }: Measured) => before >= processes;
  const last = measured.filter((one) => where(one) && isWarm(one)).slice(-TIMES);
  if (last.at(-1)?.killed !== undefined) return last.at(-1);
  return last.toSorted((a, b) => perSecond(a) - perSecond(b))[Math.floor(last.length / 2)];
}
const kindOf = ({ what }: Measured): string => what.split(',')[0] ?? '';

/** A rate beside that of the engine alone. */
function besideEngine(
  ours: Measured,
  engine: Measured,
  { id, name }: { readonly id: string; readonly name: string },
): Row {
  return judged({
    id: ours.processes === engine.processes ? `throughput.${id}` : `throughput.${id}.${ours.processes}.engine`,
    measure: name,
    figure: perSecond(ours),
    unit: '/s',
    limit: perSecond(engine),
    limitName: `workflows that do nothing, the engine alone, ${engine.processes} process${engine.processes === 1 ? '' : 'es'}`,
    // On real ledgers it is they who work most, and a killed process's lease has to expire.
    ...(id === 'memory' && ours.killed === undefined && { goal: { of: 'ratio', least: 0.5 } as const }),
  });
}

/** Of each kind of ledgers: the rate beside the engine's own, and how more processes scale until something is full. */
export function throughputRows(measured: readonly Measured[], recipients: number): Row[] {
  const ours = measured.filter((one) => !isEngine(one));
  return [...new Set(ours.map(kindOf))].flatMap((kind) => {
    const id = kind.startsWith('real') ? 'real' : 'memory';
    const of = ours.filter((one) => kindOf(one) === kind);
    const counts = [...new Set(of.map(({ processes }) => processes))];
    const name = `windows of ${recipients} on ${kind}`;
    const rows: Row[] = [];
    const single = middleOf(of, ({ processes }) => processes === counts[0]) as Measured;
    const engine = middleOf(measured, (one) => isEngine(one) && one.processes === single.processes);
    if (engine !== undefined) {
      rows.push(besideEngine(single, engine, { id, name }));
    }
    for (const many of counts.slice(1)) {
      const several = middleOf(of, ({ processes }) => processes === many) as Measured;
      if (engine !== undefined) rows.push(besideEngine(several, engine, { id, name: `${name}, ${many} coordinators` }));
      const full = fullOf(several) ?? fullOf(single);
      const scaled = perSecond(several) / perSecond(single);
      const row = judged({
        id: `throughput.${id}.${many}`,
        measure: `${name}, ${many} coordinators; full: ${full ?? 'nothing'}`,
        figure: perSecond(several),
        unit: '/s',
        limit: perSecond(single),
        limitName: `${single.processes} coordinator${single.processes === 1 ? '' : 's'}`,
      });
      const isMet = full !== undefined || scaled >= (many / single.processes) * SCALES;
      const goal = { goalName: 'scales until something is full', verdict: isMet ? 'met' : 'missed' } as const;
      rows.push(several.killed === undefined ? { ...row, ...goal } : row);
    }
    return rows;
  });
}

/** What the model reckons with: milliseconds of processor time a window by part, on real ledgers where they were measured. */
export function costsOfWindow(measured: readonly Measured[]): Record<string, number> {
  const one = middleOf(measured, (each) => !isEngine(each) && each.processes === measured[0]?.processes);
  if (one === undefined) return {};
  const each = (part: string) => ((one.processors[part] ?? 0) / one.windows) * 1_000;
  return {
    smallWindowsASecond: perSecond(one),
    coordinatorMsAWindow: each('coordinators'),
    postgresMsAWindow: each('PostgreSQL'),
    layerMsAWindow: each('validator'),
    coordinatorMb: one.memory ?? Number.NaN,
  };
}
