import {
  type Anomaly,
  answered,
  callsOf,
  entriesIn,
  type Facts,
  grouped,
  isPaidInFull,
  sumOf,
  type Window,
} from './model.ts';

/** Milliseconds by which two clocks of one machine may differ in what they call now. */
const SLACK_MS = 250;
/** Seconds after which a due window must have been opened, once all is whole. */
const OPENED_WITHIN = 30;

const nameOf = ({ schedule, number }: Window) => `${schedule}:${number}`;

/** What windows owe to a recipient: at least, by those that are settled, and at most, base units. */
function owed({ lists }: Facts, windows: readonly Window[], recipient: string): { least: number; most: number } {
  const amounts = (some: readonly Window[]) =>
    sumOf(some.flatMap((window) => entriesIn(lists, window, recipient)).map(({ amount }) => amount));
  return { least: amounts(windows.filter(isPaidInFull)), most: amounts(windows) };
}

/** In the end each recipient has what the windows owed them, no more and no less, and nothing is left undone. */
export function checkPayments(facts: Facts): Anomaly[] {
  const { operations, windows } = facts;
  const found: Anomaly[] = [...checkDue(facts)];
  for (const [mint, looks] of grouped(answered(operations, 'layer'), ({ asked }) => asked.mint)) {
    const last = looks.at(-1);
    if (last === undefined) continue;
    const own = windows.filter((window) => window.mint === mint);
    for (const { recipient, amount, underWay } of last.answer) {
      const { least, most } = owed(facts, own, recipient);
      const has = amount + sumOf(underWay.map((each) => each.amount)) + inWallets(facts, recipient, mint);
      const sentence = `${recipient} has ${has} of ${mint}, and was to be paid ${least === most ? most : `${least} to ${most}`}.`;
      if (has > most) found.push({ kind: 'double-payment', sentence });
      if (has < least) found.push({ kind: 'lost-payment', sentence });
    }
  }
  return found;
}

/** What a recipient's withdrawals have brought to the wallets that are for them alone. */
function inWallets({ operations, state }: Facts, recipient: string, mint: string): number {
  const own = callsOf(operations, 'withdraw').filter(
    ({ asked }) => asked.recipient === recipient && asked.mint === mint,
  );
  const wallets = new Set(own.map(({ asked }) => asked.wallet));
  return sumOf([...state.tokens.values()].filter(({ owner }) => wallets.has(owner)).map(({ amount }) => amount));
}

/** Once all is whole, a list that was acknowledged is paid when it is due, and an open window is settled. */
function checkDue({ operations, state, windows, lists, ledger, healed }: Facts): Anomaly[] {
  const now = ledger.at(-1)?.time ?? 0;
  if (healed === undefined) return [];
  const found: Anomaly[] = [];
  const lost = (sentence: string) => found.push({ kind: 'lost-payment', sentence });
  const registered = new Set(answered(operations, 'register').map(({ asked }) => asked.root));
  for (const window of windows) {
    if (window.settledAt === Number.POSITIVE_INFINITY) lost(`${nameOf(window)} was opened and never settled.`);
  }
  for (const { address, root, status, isOpen, dueAt, executionsLeft, window } of state.schedules.values()) {
    const isDue = status === 'active' && !isOpen && executionsLeft > 0 && lists.has(root);
    if (isDue && registered.has(root) && now > dueAt + OPENED_WITHIN)
      lost(`${address}:${window} was due ${now - dueAt} s before the end and never opened.`);
  }
  return found;
}

/** Whoever was not paid in a settled window was held back, or the run says why. */
export function checkReasons({ operations, windows }: Facts): Anomaly[] {
  const found: Anomaly[] = [];
  const settled = new Map(windows.map((window) => [nameOf(window), window]));
  for (const { asked, answer, id } of answered(operations, 'runs')) {
    for (const run of answer ?? []) {
      if (run.state !== 'settled') continue;
      const window = settled.get(`${asked.schedule}:${run.window}`);
      if (window === undefined) continue;
      const unpaid = window.recipients - window.paidCount;
      const name = `${asked.schedule}:${run.window}`;
      if (run.explained < unpaid)
        found.push({
          kind: 'lost-payment',
          sentence: `${unpaid} of ${name} are not paid, and reasons are told for ${run.explained} (operation ${id}).`,
        });
    }
  }
  return found;
}

/** What a recipient is shown to have is what they can have at that moment. */
export function checkBalances(facts: Facts): Anomaly[] {
  const { operations, windows } = facts;
  const found: Anomaly[] = [];
  const withdrawals = callsOf(operations, 'withdraw');
  for (const { asked, answer, began, ended, beganAt, endedAt, id } of answered(operations, 'balances')) {
    const { recipient } = asked;
    for (const { mint, amount } of answer) {
      const ofMint = windows.filter((window) => window.mint === mint);
      const opened = ofMint.filter(({ openedAt }) => openedAt < endedAt + SLACK_MS);
      const over = ofMint.filter(({ settledAt }) => settledAt < beganAt - SLACK_MS);
      const own = withdrawals.filter((each) => each.asked.recipient === recipient && each.asked.mint === mint);
      const gone = own.filter((each) => each.outcome === 'ok' && each.ended < began);
      const asking = own.filter((each) => each.outcome !== 'fail' && each.began < ended);
      const sum = (some: typeof own) => sumOf(some.map((each) => each.asked.amount));
      const most = owed(facts, opened, recipient).most - sum(gone);
      const least = owed(facts, over, recipient).least - sum(asking);
      const sentence = `${recipient} is shown ${amount} of ${mint}, which is between ${least} and ${most} (operation ${id}).`;
      if (amount > most || amount < least) found.push({ kind: 'stale-read', sentence });
    }
  }
  return found;
}
