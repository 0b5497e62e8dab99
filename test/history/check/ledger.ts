import { type Anomaly, apply, emptyState, type LedgerEvent, type LedgerState, sumOf } from './model.ts';

/**
 * After every transaction of the base ledger, of each token that it is about: a vault holds what was paid in and not promised away, the pool
 * holds what came in and did not leave, wallets hold what left, and all of them together hold what was deposited. And no window opens before
 * it is due by the ledger's clock, opens twice, or is left out.
 */
export function checkLedger(events: readonly LedgerEvent[]): Anomaly[] {
  const state = emptyState();
  const found: Anomaly[] = [];
  for (const event of events) {
    found.push(...checkWindows(state, event));
    apply(state, event);
    const mints = new Set([...event.vaults, ...event.pools, ...event.tokens].map(({ mint }) => mint));
    for (const mint of mints) found.push(...checkToken(state, mint));
  }
  return found;
}

const unaccounted = (sentence: string): Anomaly => ({ kind: 'unaccounted', sentence });

function checkToken({ vaults, pools, tokens }: LedgerState, mint: string): Anomaly[] {
  const own = [...vaults.values()].filter((vault) => vault.mint === mint);
  const pool = pools.get(mint);
  if (pool === undefined || own.length === 0) return [];
  const held = (account: string) => tokens.get(account)?.amount ?? 0;
  const inside = new Set([pool.tokenAccount, ...own.map(({ tokenAccount }) => tokenAccount)]);
  const outside = [...tokens.values()].filter((account) => account.mint === mint && !inside.has(account.address));
  const inWallets = sumOf(outside.map(({ amount }) => amount));
  const left = sumOf(own.map(({ deposited, withdrawn }) => deposited - withdrawn));
  const all = sumOf([...inside].map(held)) + inWallets;
  const found: Anomaly[] = [];
  for (const { address, tokenAccount, deposited, withdrawn, reserved, open, paid } of own) {
    const available = deposited - withdrawn - reserved - open - paid;
    if (available < 0) found.push(unaccounted(`Vault ${address} has promised ${-available} more than it was paid.`));
    if (held(tokenAccount) !== available + reserved)
      found.push(unaccounted(`Vault ${address} holds ${held(tokenAccount)}, not ${available + reserved}.`));
  }
  const inPool = pool.movedIn - pool.returned - pool.paidOut;
  if (held(pool.tokenAccount) !== inPool)
    found.push(unaccounted(`The pool of ${mint} holds ${held(pool.tokenAccount)}, not ${inPool}.`));
  if (inWallets !== pool.paidOut)
    found.push(unaccounted(`Wallets hold ${inWallets} of ${mint}; the pool has paid out ${pool.paidOut}.`));
  if (all !== left)
    found.push(unaccounted(`Vaults, pool and wallets hold ${all} of ${mint}, and ${left} were deposited.`));
  return found;
}

function checkWindows({ schedules }: LedgerState, { schedules: written, time }: LedgerEvent): Anomaly[] {
  const found: Anomaly[] = [];
  for (const now of written) {
    const before = schedules.get(now.address);
    if (before === undefined) continue;
    const name = `Window ${now.window} of ${now.address}`;
    const isOpened = now.isOpen && !before.isOpen;
    if (isOpened && time < before.dueAt)
      found.push({ kind: 'early-payment', sentence: `${name} opened ${before.dueAt - time} s before it was due.` });
    const isSettled = before.isOpen && !now.isOpen;
    const expected = before.window + (isSettled ? 1 : 0);
    // Nobody could be paid twice for a number that comes once.
    if (now.window !== expected)
      found.push({ kind: 'double-payment', sentence: `${name} comes where ${expected} should.` });
    if (isSettled && now.lastPaidAmount > before.windowAmount)
      found.push(unaccounted(`${name} has paid ${now.lastPaidAmount} of ${before.windowAmount}.`));
  }
  return found;
}
