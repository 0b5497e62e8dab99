import type { Payment, Run } from '../events.ts';
import { type Anomaly, answered, callsOf, type Facts, grouped, type Operation } from './model.ts';

type Read<A> = Pick<Operation, 'id' | 'began' | 'ended'> & { readonly answer: A };

/**
 * Reads of one thing in the order of real time: each is compared with everything that was answered before it began, whoever asked and
 * whichever coordinator answered. `learn` takes an answer into what is known.
 */
function compareInOrder<A>(
  reads: readonly Read<A>[],
  compare: (answer: A) => string[],
  learn: (answer: A) => void,
): Anomaly[] {
  const byEnd = [...reads].sort((one, other) => one.ended - other.ended);
  const byBegin = [...reads].sort((one, other) => one.began - other.began);
  const found: Anomaly[] = [];
  let learned = 0;
  for (const { answer, began, id } of byBegin) {
    for (let next = byEnd[learned]; next !== undefined && next.ended < began; next = byEnd[learned]) {
      learn(next.answer);
      learned += 1;
    }
    for (const what of compare(answer)) found.push({ kind: 'stale-read', sentence: `${what} (operation ${id}).` });
  }
  return found;
}

/** How a run may not go back. States between its beginning and its end may come again; its end, counts and attempts may not. */
function behind(known: Run, now: Run | undefined): string | undefined {
  if (now === undefined) return 'is gone';
  if (now.createdAt !== known.createdAt) return 'was created again';
  if (known.finishedAt !== null) {
    if (now.state !== known.state) return `was ${known.state} and is ${now.state}`;
    if (now.finishedAt !== known.finishedAt) return 'has ended at another time';
    // Null is not known; it may be found out.
    if (known.paidAmount !== null && now.paidAmount !== known.paidAmount)
      return `had paid ${known.paidAmount} and has ${now.paidAmount}`;
  }
  if (now.paid < known.paid) return `had paid ${known.paid} recipients and has ${now.paid}`;
  for (const { stage, number, outcome } of known.attempts) {
    const same = now.attempts.find((attempt) => attempt.stage === stage && attempt.number === number);
    if (same === undefined) return `has lost attempt ${number} of ${stage}`;
    if (outcome !== null && outcome !== 'running' && same.outcome !== outcome)
      return `had attempt ${number} of ${stage} ${outcome} and has it ${same.outcome}`;
  }
  return undefined;
}

/** Whichever of two looks at a run shows more of it. */
const later = (one: Run | undefined, other: Run): Run => {
  if (one === undefined) return other;
  const ended = ({ finishedAt, attempts }: Run) =>
    (finishedAt === null ? 0 : 1e9) + attempts.length * 1_000 + attempts.filter(({ outcome }) => outcome).length;
  return ended(other) >= ended(one) ? other : one;
};

/** Runs never go back: neither their state once it is over, nor what they have paid, nor the list of windows. */
export function checkRuns({ operations }: Facts): Anomaly[] {
  const found: Anomaly[] = [];
  for (const [schedule, reads] of grouped(answered(operations, 'runs'), ({ asked }) => asked.schedule)) {
    const known = new Map<number, Run>();
    const compare = (runs: readonly Run[] | null) => {
      if (runs === null) return [];
      const wrong = pagesOf(runs);
      for (const [window, run] of known) {
        const now = runs.find((each) => each.window === window);
        const what = behind(run, now);
        if (what !== undefined) wrong.push(`The run ${schedule}:${window} ${what}`);
      }
      return wrong;
    };
    const learn = (runs: readonly Run[] | null) => {
      for (const run of runs ?? []) known.set(run.window, later(known.get(run.window), run));
    };
    const pagesOf = (runs: readonly Run[]) => {
      const isInOrder = runs.every(({ window }, place) => window === runs.length - 1 - place);
      return isInOrder ? [] : [`The runs of ${schedule} are ${runs.map(({ window }) => window).join(', ')}`];
    };
    found.push(...compareInOrder(reads, compare, learn));
  }
  return found;
}

/** A schedule's window and the version of its list never go back. */
export function checkSchedules({ operations }: Facts): Anomaly[] {
  const found: Anomaly[] = [];
  for (const [schedule, reads] of grouped(answered(operations, 'schedule'), ({ asked }) => asked.schedule)) {
    let [window, version] = [0, 0];
    found.push(
      ...compareInOrder(
        reads,
        (now) => {
          if (now === null) return [];
          if (now.window < window) return [`Schedule ${schedule} was at window ${window} and is at ${now.window}`];
          if (now.rootVersion < version) return [`Schedule ${schedule} had list ${version} and has ${now.rootVersion}`];
          return [];
        },
        (seen) => {
          window = Math.max(window, seen?.window ?? 0);
          version = Math.max(version, seen?.rootVersion ?? 0);
        },
      ),
    );
  }
  return found;
}

const nameOf = ({ schedule, window }: Payment) => `${schedule}:${window}`;

/** Nothing leaves a recipient's history, and nothing stands in it twice. */
export function checkHistories({ operations }: Facts): Anomaly[] {
  const found: Anomaly[] = [];
  for (const [recipient, reads] of grouped(answered(operations, 'history'), ({ asked }) => asked.recipient)) {
    const known = new Map<string, Payment>();
    found.push(
      ...compareInOrder(
        reads,
        (payments) => {
          const shown = new Map(payments.map((payment) => [nameOf(payment), payment]));
          const wrong = shown.size < payments.length ? [`A payment stands twice in the history of ${recipient}`] : [];
          for (const [name, { known: wasKnown }] of known) {
            // What nobody knew may turn out not to have been paid.
            if (wasKnown && !shown.has(name)) wrong.push(`${name} is gone from the history of ${recipient}`);
          }
          return wrong;
        },
        (payments) => {
          for (const payment of payments) known.set(nameOf(payment), payment);
        },
      ),
    );
  }
  return found;
}

/** Whoever has registered a list finds the schedule and its list registered, of any coordinator; and it is new once. */
export function checkRegistrations({ operations }: Facts): Anomaly[] {
  const found: Anomaly[] = [];
  const lost = (sentence: string) => found.push({ kind: 'lost-registration', sentence });
  const acknowledged = answered(operations, 'register');
  // Two schedules may have the same list.
  for (const [list, answers] of grouped(acknowledged, ({ asked }) => `${asked.root} of ${asked.schedule}`)) {
    const times = answers.filter(({ answer }) => answer.created).length;
    if (times > 1) lost(`List ${list} was new ${times} times.`);
  }
  const registered = grouped(acknowledged, ({ asked }) => asked.schedule);
  const reads = [...answered(operations, 'schedule'), ...answered(operations, 'runs')];
  for (const { asked, answer, began, id } of reads) {
    const before = (registered.get(asked.schedule) ?? []).filter(({ ended }) => ended < began);
    if (before.length === 0) continue;
    if (answer === null) lost(`Schedule ${asked.schedule} was registered and is not known (operation ${id}).`);
    if (answer === null || !('root' in answer) || answer.registered) continue;
    if (before.some((each) => each.asked.root === answer.root))
      lost(`List ${answer.root} was registered and is missing (operation ${id}).`);
  }
  return found;
}

/** Kinds of faults after which work is taken away from a process. */
const TAKES_WORK = new Set(['kill', 'pause', 'skew', 'cut', 'half-open', 'delay', 'disk', 'database', 'stall']);
/** Milliseconds for which a fault explains what is seen. */
const EXPLAINS_MS = 60_000;

/** A try of a stage is broken off only where something was done to the processes: nobody takes work from one that does it. */
export function checkInterruptions({ operations, faults }: Facts): Anomaly[] {
  const found: Anomaly[] = [];
  const seen = new Set<string>();
  const disturbed = faults.filter(({ fault }) => TAKES_WORK.has(fault));
  const isExplained = (from: number, until: number) =>
    disturbed.some(({ at }) => at > from - EXPLAINS_MS && at < until);
  const firstSeen = new Map<string, number>();
  const lastRead = new Map<string, number>();
  for (const { asked, answer, endedAt } of callsOf(operations, 'runs').sort((one, other) => one.ended - other.ended)) {
    for (const { window, attempts } of answer ?? []) {
      const run = `${asked.schedule}:${window}`;
      // What is broken off when a run is seen for the first time may have been at any time since nobody saw it.
      const since = firstSeen.get(run) ?? lastRead.get(asked.schedule) ?? 0;
      firstSeen.set(run, since);
      for (const { stage, number, outcome } of attempts) {
        const name = `${run} ${stage} ${number}`;
        if (outcome !== 'interrupted' || seen.has(name)) continue;
        seen.add(name);
        if (!isExplained(since, endedAt))
          found.push({ kind: 'work-taken-away', sentence: `Attempt ${number} of ${stage} of ${run} was broken off.` });
      }
    }
    lastRead.set(asked.schedule, endedAt);
  }
  return found;
}
