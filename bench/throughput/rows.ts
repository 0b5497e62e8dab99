import { judged, type Row } from '../runner/measure.ts';
import { fullOf, type Measured, perSecond } from './table.ts';

/** Where nothing is full, so many times the coordinators do at least this part of as many times the windows. */
const SCALES = 0.7;

const isEngine = ({ calls }: Measured): boolean => calls === undefined;
/** The last one measured so: of several processes the one with known balances. */
const lastOf = (measured: readonly Measured[], where: (one: Measured) => boolean): Measured | undefined =>
  measured.filter(where).at(-1);
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
    // On real ledgers it is they who work most.
    ...(id === 'memory' && { goal: { of: 'ratio', least: 0.5 } as const }),
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
    const single = lastOf(of, ({ processes }) => processes === counts[0]) as Measured;
    const engine = lastOf(measured, (one) => isEngine(one) && one.processes === single.processes);
    if (engine !== undefined) {
      rows.push(besideEngine(single, engine, { id, name }));
    }
    for (const many of counts.slice(1)) {
      const several = lastOf(of, ({ processes }) => processes === many) as Measured;
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
      rows.push({ ...row, goalName: 'scales until something is full', verdict: isMet ? 'met' : 'missed' });
    }
    return rows;
  });
}

/** What the model reckons with: milliseconds of processor time a window by part, on real ledgers where they were measured. */
export function costsOfWindow(measured: readonly Measured[]): Record<string, number> {
  const one = lastOf(measured, (each) => !isEngine(each) && each.processes === measured[0]?.processes);
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
