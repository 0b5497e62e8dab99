/** Calls to the ledgers by ledger and method, as coordinators count them. */
export type LedgerCalls = Readonly<Record<string, number>>;

const LINE = /^service_ledger_calls_total\{ledger="(\w+)",method="(\w+)",outcome="\w+"\} (\d+)$/gm;

/** The sum over coordinators. */
export async function readLedgerCalls(urls: readonly string[]): Promise<LedgerCalls> {
  const calls: Record<string, number> = {};
  for (const url of urls) {
    const text = await (await fetch(`${url}/api/metrics`)).text();
    for (const [, ledger, method, count] of text.matchAll(LINE)) {
      const name = `${ledger} ${method}`;
      calls[name] = (calls[name] ?? 0) + Number(count);
    }
  }
  return calls;
}

/** Calls from one reading to a later one. */
export function callsBetween(before: LedgerCalls, after: LedgerCalls): LedgerCalls {
  return Object.fromEntries(Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)]));
}
