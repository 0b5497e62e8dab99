import type { Time } from '@payouts/client';
import { loadPayloadKeys } from '../config/keys.ts';
import type { Settings } from '../config/specs.ts';
import { DIFFERENCE_KINDS, type DifferenceKind, KINDS } from '../domain/differences.ts';
import { connectHistory } from '../ledger/history.ts';
import { connectBase, connectLayer } from '../ledger/rpc.ts';
import { createLogger } from '../platform/log/log.ts';
import { createMetrics } from '../platform/metrics.ts';
import type { Difference } from '../reconciliation/compare.ts';
import { type ComparisonResult, compareAll, nameOf, resultJson } from '../reconciliation/compareAll.ts';
import { Healer } from '../reconciliation/heal.ts';
import type { Db } from '../store/schema.ts';
import { command, show, UsageError } from './command.ts';
import { withDatabase } from './database.ts';
import { paragraph } from './format.ts';

/** Something remains that differs. */
const EXIT_DIFFERS = 3;
/** Of one kind shown, without --json. */
const MOST_SHOWN = 20;

/** A running coordinator does the same from time to time; both may do it at once. */
export const reconcile = command({
  synopsis: '[--fix] [--accept-gaps] [--json]',
  summary:
    'compares the database with both ledgers and changes nothing; --fix: brings the database to what the base ledger says; ' +
    '--accept-gaps: and no longer asks for windows that its node does not tell of; ends with 3 if something remains',
  options: {
    fix: { type: 'boolean', default: false },
    'accept-gaps': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  async run({ fix, 'accept-gaps': acceptsGaps, json }, operands, { time }) {
    if (operands.length > 0) throw new UsageError('It takes nothing but options.');
    if (acceptsGaps && !fix) throw new UsageError('--accept-gaps goes with --fix.');
    const found = await withDatabase(time, (database, settings) =>
      compare(database, settings, { fix, acceptsGaps, time }),
    );
    await show(json, resultJson(found), asText(found, fix));
    return found.remaining.length === 0 && found.hasLayer ? 0 : EXIT_DIFFERS;
  },
});

async function compare(
  database: Db,
  settings: Settings,
  { fix, acceptsGaps, time }: { readonly fix: boolean; readonly acceptsGaps: boolean; readonly time: Time },
): Promise<ComparisonResult> {
  const { signal } = new AbortController();
  const program = settings.programAddress;
  const at = { url: settings.baseRpcUrl, time, signal, isPatient: true };
  const payloadKeys = await loadPayloadKeys(settings, time);
  const healing = { database, program, payloadKeys, history: connectHistory(at), time };
  const unseen = { log: createLogger({ level: 'silent', pretty: false, time }), metrics: createMetrics() };
  const healer = fix ? new Healer({ ...healing, ...unseen }) : undefined;
  const base = connectBase(at);
  const layer = connectLayer({ url: settings.layerRpcUrl, time, signal });
  const pause = (milliseconds: number) => time.pause(milliseconds, signal);
  return compareAll({ base, layer, database, program, withEngine: true, healer, pause }, { acceptsGaps });
}

function asText(
  { counts: { schedules, vaults, tokens }, healed, remaining, hasLayer, hasList }: ComparisonResult,
  fix: boolean,
): string[] {
  const lines = [`Compared: schedules ${schedules}, vaults ${vaults}, tokens ${tokens}.`];
  if (!hasLayer) lines.push('! The execution layer did not answer: open batches were not compared with it.');
  if (!hasList) {
    lines.push(
      "! The base ledger's node does not list a program's accounts: schedules that are not registered were not looked for.",
    );
  }
  for (const kind of KINDS) {
    const of = (differences: readonly Difference[]) => differences.filter((difference) => difference.kind === kind);
    const [fixed, left] = [of(healed), of(remaining)];
    if (fixed.length + left.length === 0) continue;
    lines.push('', `${kind}  remaining ${left.length}, healed ${fixed.length}`);
    lines.push(...paragraph('', DIFFERENCE_KINDS[kind].is).slice(1));
    for (const difference of left.slice(0, MOST_SHOWN)) lines.push(...differenceLines(difference));
    if (left.length > MOST_SHOWN) lines.push(`    and ${left.length - MOST_SHOWN} more: --json lists all`);
    if (left.length > 0) lines.push(...paragraph('', `→ ${whatToDo(kind, fix)}`).slice(1));
  }
  if (healed.length + remaining.length === 0) lines.push('Nothing differs.');
  else if (remaining.length > 0) lines.push('', 'What each kind means and asks for: docs/operating/reconciliation.md');
  return lines;
}

const differenceLines = (difference: Difference): string[] => {
  const name = `    ${nameOf(difference)}`;
  const detail = difference.detail === undefined ? [] : paragraph('', difference.detail).slice(1);
  return [name, ...detail.map((line) => `    ${line}`)];
};

const whatToDo = (kind: DifferenceKind, fix: boolean): string => {
  const { heals, remedy } = DIFFERENCE_KINDS[kind];
  return heals && !fix ? 'A running coordinator heals it by itself; --fix does it now.' : remedy;
};
