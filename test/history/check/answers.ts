import { type Anomaly, answered, type Facts, isPaidInFull, type Window } from './model.ts';

/** Milliseconds by which two clocks of one machine may differ in what they call now. */
const SLACK_MS = 250;

/** What coordinators say of settled windows is what the base ledger says, at once and for ever. */
export function checkSettled({ operations, windows, healed }: Facts): Anomaly[] {
  const found: Anomaly[] = [];
  const byName = new Map(windows.map((window) => [`${window.schedule}:${window.number}`, window]));
  const wrong = (sentence: string, id: number) =>
    found.push({ kind: 'false-answer', sentence: `${sentence} (operation ${id}).` });
  const told = new Set<string>();
  for (const { asked, answer, began, endedAt, id } of answered(operations, 'runs')) {
    for (const run of answer ?? []) {
      const name = `${asked.schedule}:${run.window}`;
      if (run.state !== 'settled') continue;
      if (healed !== undefined && began > healed) told.add(name);
      const window = byName.get(name);
      if (window === undefined || window.settledAt > endedAt + SLACK_MS) {
        wrong(`${name} is told to be settled and is not`, id);
        continue;
      }
      const { paidAmount, paidCount, recipients } = window;
      if (run.paidAmount !== null && run.paidAmount !== paidAmount)
        wrong(`${name} is told to have paid ${run.paidAmount}, and has paid ${paidAmount}`, id);
      if (run.paid !== paidCount || run.total !== recipients)
        wrong(`${name} is told to have paid ${run.paid} of ${run.total}, and has ${paidCount} of ${recipients}`, id);
    }
  }
  // Asked once all was whole, coordinators know of every window of theirs.
  const asked = new Set(
    answered(operations, 'runs')
      .filter(({ began, answer }) => healed !== undefined && began > healed && answer !== null)
      .map((read) => read.asked.schedule),
  );
  for (const [name, { schedule, settledAt }] of byName) {
    if (asked.has(schedule) && settledAt < Number.POSITIVE_INFINITY && !told.has(name))
      found.push({ kind: 'false-answer', sentence: `${name} is settled, and no coordinator ever says so.` });
  }
  return found;
}

/** Nothing is told to be settled before that is final: whoever looks afterwards finds it final. */
export function checkFinality({ operations }: Facts): Anomaly[] {
  const found: Anomaly[] = [];
  const told = answered(operations, 'runs').flatMap(({ asked, answer, ended }) =>
    (answer ?? []).filter(({ state }) => state === 'settled').map(({ window }) => ({ ...asked, window, ended })),
  );
  for (const { asked, answer, began, id } of answered(operations, 'final')) {
    const early = told.find(
      (one) => one.schedule === asked.schedule && one.ended < began && one.window >= answer.window,
    );
    if (early !== undefined)
      found.push({
        kind: 'reported-before-final',
        sentence: `${asked.schedule}:${early.window} was told to be settled and was not final afterwards (operation ${id}).`,
      });
  }
  return found;
}

const isKnown = (window: Window | undefined): window is Window =>
  window !== undefined && window.settledAt < Number.POSITIVE_INFINITY && isPaidInFull(window);

/** Receipts and histories say of each settled window what the ledger and the list say. */
export function checkReceipts({ operations, windows, lists }: Facts): Anomaly[] {
  const found: Anomaly[] = [];
  const byName = new Map(windows.map((window) => [`${window.schedule}:${window.number}`, window]));
  const wrong = (sentence: string, id: number) =>
    found.push({ kind: 'false-answer', sentence: `${sentence} (operation ${id}).` });
  for (const { asked, answer, id } of answered(operations, 'receipts')) {
    for (const { window: number, root, index, amount, paid } of answer) {
      const name = `${asked.schedule}:${number}`;
      const window = byName.get(name);
      const entry = lists.get(root)?.[index];
      if (window?.root !== root) wrong(`A receipt of ${name} is for another list`, id);
      if (entry?.recipient !== asked.recipient || entry.amount !== amount)
        wrong(`A receipt of ${name} says ${amount}, and the list ${entry?.amount}`, id);
      if (paid !== null && isKnown(window) && paid === window.held.includes(index))
        wrong(`A receipt of ${name} says that ${asked.recipient} ${paid ? 'was' : 'was not'} paid`, id);
    }
  }
  for (const { asked, answer, id } of answered(operations, 'history')) {
    for (const { schedule, window: number, amount, known } of answer) {
      const window = byName.get(`${schedule}:${number}`);
      if (!known || !isKnown(window)) continue;
      const entries = (lists.get(window.root) ?? []).filter(
        ({ recipient, index }) => recipient === asked.recipient && !window.held.includes(index),
      );
      const is = entries.reduce((sum, entry) => sum + entry.amount, 0);
      if (amount !== is)
        wrong(`The history of ${asked.recipient} says ${amount} of ${schedule}:${number}, not ${is}`, id);
    }
  }
  return found;
}
