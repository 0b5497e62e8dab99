import type { Time } from '@payouts/client';
import { loadPayloadKeys } from '../config/keys.ts';
import type { Settings } from '../config/specs.ts';
import { adviceFor } from '../domain/advice.ts';
import { type RunKey, runIdOf } from '../domain/run.ts';
import { runView } from '../http/views.ts';
import { openReason } from '../store/crypto/abandonReason.ts';
import { DecryptionFailed } from '../store/crypto/cipher.ts';
import { WrongPayloadKey } from '../store/crypto/payloadKeys.ts';
import { type AttemptRow, listAttempts } from '../store/queries/attempts.ts';
import { findAbandonment } from '../store/queries/operatorRuns.ts';
import type { RunRow } from '../store/queries/runs.ts';
import type { Db } from '../store/schema.ts';
import { command, show } from './command.ts';
import { withDatabase } from './database.ts';
import { lasting, paragraph, relative, shortened, utc } from './format.ts';
import { fundsOf } from './funds.ts';
import { recordedRun, runKey } from './runArguments.ts';
import { windowOnLedger } from './windowOnLedger.ts';

/** Tries shown; --json shows all. */
const TRIES = 20;

/** What an operator is told of a run beside what the API answers. */
type Shown = {
  readonly run: RunRow;
  readonly attempts: readonly AttemptRow[];
  readonly abandoned: { readonly reason: string; readonly at: number } | null;
  readonly onLedger: string;
  readonly funds: readonly string[];
};

/** Why a run was given up last; null if it never was. */
async function abandonmentOf(
  database: Db,
  settings: Settings,
  run: RunRow,
  key: RunKey,
  time: Time,
): Promise<Shown['abandoned']> {
  const sealed = await findAbandonment(database, run.id);
  if (sealed === undefined) return null;
  const at = Number(sealed.abandoned_at);
  try {
    return { reason: await openReason(await loadPayloadKeys(settings, time), key, sealed), at };
  } catch (error) {
    if (!(error instanceof WrongPayloadKey || error instanceof DecryptionFailed)) throw error;
    return { reason: `(It can't be decrypted: ${error.message})`, at };
  }
}

function whatNow(run: RunRow): string[] {
  const advice = adviceFor(run.error_code, run.state);
  if (run.error_code === null) return run.error_detail === null ? [] : paragraph('Why it waits', run.error_detail);
  return [
    ...paragraph(`What is wrong: ${run.error_code}`, run.error_detail ?? ''),
    ...(advice === undefined ? [] : paragraph('What it means', advice.problem)),
    ...(advice === undefined ? [] : paragraph('What to do', advice.remedy)),
  ];
}

function tryLines(attempt: AttemptRow): string[] {
  const began = Number(attempt.started_at);
  const took = attempt.ended_at === null ? '' : lasting(Number(attempt.ended_at) - began);
  const tried = `${attempt.stage.padEnd(8)}${String(attempt.number).padStart(3)}`;
  const line = `  ${tried}  ${utc(began)} ${took.padStart(8)}  ${attempt.outcome.padEnd(11)} ${attempt.error_code ?? ''}`;
  return [line.trimEnd(), ...attempt.signatures.map((signature) => `    ${shortened(signature)}`)];
}

function text({ run, attempts, abandoned, onLedger, funds }: Shown, key: RunKey, now: number): string[] {
  const times = [`recorded ${utc(Number(run.created_at))} UTC, ${relative(Number(run.created_at), now)}`];
  if (run.resume_at !== null) times.push(`goes on ${relative(Number(run.resume_at), now)}`);
  if (run.finished_at !== null) times.push(`over since ${utc(Number(run.finished_at))} UTC`);
  const unpaid = Object.entries(run.unpaid_reasons).map(([reason, count]) => `${count} ${reason}`);
  const hidden = attempts.length - TRIES;
  return [
    runIdOf(key),
    `  ${run.state}${run.stage === null ? '' : `, in stage ${run.stage}`}; ${run.claims_paid} of ${run.claims_total} paid`,
    ...times.map((time) => `  ${time}`),
    ...(unpaid.length === 0 ? [] : [`  unpaid: ${unpaid.join(', ')}`]),
    ...(abandoned === null
      ? []
      : paragraph(`Given up ${utc(abandoned.at)} UTC, ${relative(abandoned.at, now)}`, abandoned.reason)),
    ...whatNow(run),
    ...paragraph('The window on the base ledger', onLedger),
    ...(funds.length === 0 ? [] : ['Funds', ...funds.flatMap((sentence) => paragraph('', sentence).slice(1))]),
    ...(attempts.length === 0 ? ['There has been no try.'] : ['Tries: stage, number, begun (UTC), took, outcome']),
    ...(hidden > 0 ? [`  … ${hidden} earlier ones: --json has all, and signatures in full`] : []),
    ...attempts.slice(-TRIES).flatMap(tryLines),
  ];
}

/** Everything about one run. */
export const runsShow = command({
  synopsis: 'SCHEDULE:WINDOW [--json]',
  summary: 'shows a run: its tries, what is wrong, what to do, where its window stands on the ledger',
  options: { json: { type: 'boolean', default: false } },
  async run({ json }, names, { time }) {
    const key = runKey(names);
    const shown = await withDatabase(time, async (database, settings): Promise<Shown> => {
      const run = await recordedRun(database, key);
      return {
        run,
        attempts: await listAttempts(database, [run.id]),
        abandoned: await abandonmentOf(database, settings, run, key, time),
        onLedger: (await windowOnLedger(settings, key, time)).sentence,
        funds: await fundsOf(database, settings, key.schedule, time),
      };
    });
    const { run, attempts, abandoned, onLedger, funds } = shown;
    const advice = adviceFor(run.error_code, run.state);
    const view = { schedulePda: run.schedule, ...runView(run, attempts), abandoned, onLedger, funds };
    await show(json, { ...view, advice: advice ?? null }, text(shown, key, time.now()));
    return 0;
  },
});
