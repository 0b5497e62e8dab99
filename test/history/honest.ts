import type { Random } from '@payouts/testing/random';
import type {
  Answers,
  Entry,
  Event,
  History,
  LedgerChange,
  LedgerPool,
  LedgerSchedule,
  LedgerVault,
  Name,
  Questions,
  Run,
} from './events.ts';

const MINT = 'mint';
const RECIPIENTS = ['ann', 'bob', 'eve'];
const SCHEDULES = 3;
const WINDOWS = 3;
const STEPS = 160;
/** Seconds between two windows. */
const EVERY = 5;
const NOTHING: LedgerChange = { vaults: [], pools: [], schedules: [], tokens: [] };

type Paid = { readonly entries: readonly Entry[]; readonly root: string };
/** A schedule as it really is, and what a coordinator knows of it. */
type Real = {
  ledger: LedgerSchedule;
  readonly list: readonly Entry[];
  exists: boolean;
  isRegistered: boolean;
  readonly runs: Run[];
  readonly settled: Map<number, Paid>;
};

/**
 * Makes histories of a system that does everything right, at random: employers, recipients and readers whose calls overlap, are refused or
 * are never answered. Each call takes effect at one moment between its beginning and its end.
 */
export class Honest {
  readonly events: Event[] = [];
  readonly #real: Real[] = [];
  readonly #balances = new Map(RECIPIENTS.map((name) => [name, 0]));
  readonly #wallets = new Map<string, number>();
  readonly #open: (() => void)[] = [];
  #vault: LedgerVault;
  #pool: LedgerPool;
  #held = { vault: 0, pool: 0 };
  #id = 0;
  #at = 0;

  constructor(private readonly random: Random) {
    const [vault, pool] = [{ address: 'vault' }, { mint: MINT }];
    const sums = { deposited: 0, withdrawn: 0, reserved: 0, open: 0, paid: 0 };
    this.#vault = { ...vault, mint: MINT, tokenAccount: 'vault tokens', ...sums };
    this.#pool = { ...pool, tokenAccount: 'pool tokens', movedIn: 0, returned: 0, paidOut: 0, open: 0 };
    for (let number = 0; number < SCHEDULES; number++) this.#create(number);
    for (let step = 0; step < STEPS; step++) this.#step();
    this.#finish();
  }

  get history(): History {
    return this.events;
  }

  /** Seconds of the ledger's clock. */
  get #time(): number {
    return Math.floor(this.#at / 1_000);
  }

  #note(event: object): void {
    this.#at += this.random.between(1, 900);
    this.events.push({ at: this.#at, ...event } as Event);
  }

  /** A call that takes effect now and was begun before; it ends later, and may be refused or never be answered. */
  #call<F extends Name>(
    f: F,
    asked: Questions[F],
    effect: () => Answers[F],
    ending: 'ok' | 'fail' | 'unknown' = 'ok',
  ): void {
    const id = this.#id++;
    this.#note({ kind: 'invoke', id, process: 'somebody', f, asked });
    if (this.random.chance(0.4)) this.#step();
    const answer = ending === 'fail' ? null : structuredClone(effect());
    const end = () => this.#note(ending === 'ok' ? { kind: 'ok', id, answer } : { kind: ending, id, error: '' });
    if (this.random.chance(0.5)) end();
    else this.#open.push(end);
  }

  #ledger(change: Partial<LedgerChange>): void {
    const own = [
      { address: 'vault tokens', mint: MINT, owner: 'vault', amount: this.#held.vault },
      { address: 'pool tokens', mint: MINT, owner: 'pool', amount: this.#held.pool },
    ];
    const { tokens = [], ...rest } = change;
    const changed = { vaults: [{ ...this.#vault }], pools: [{ ...this.#pool }], tokens: [...own, ...tokens] };
    this.#note({ kind: 'ledger', time: this.#time, ...NOTHING, ...changed, ...rest });
  }

  #create(number: number): void {
    const list = RECIPIENTS.map((recipient, index) => ({ recipient, index, amount: this.random.between(1, 99) }));
    const [schedule, root] = [`schedule ${number}`, `root ${number}`];
    const each = list.reduce((sum, { amount }) => sum + amount, 0);
    const ledger: LedgerSchedule = {
      ...{ address: schedule, mint: MINT, root, status: 'active', isOpen: false, window: 0 },
      ...{ dueAt: this.#time + EVERY, executionsLeft: WINDOWS, held: [] },
      ...{ windowAmount: 0, windowRecipients: 0, windowHeld: 0, lastPaidAmount: 0, lastPaidCount: 0 },
    };
    const real: Real = { ledger, list, exists: false, isRegistered: false, runs: [], settled: new Map() };
    this.#real.push(real);
    const deposited = this.#vault.deposited + each * WINDOWS;
    this.#vault = { ...this.#vault, deposited, reserved: this.#vault.reserved + each * WINDOWS };
    this.#held.vault += each * WINDOWS;
    this.#call('create', { schedule, mint: MINT, root, list }, () => {
      this.#ledger({ schedules: [ledger] });
      real.exists = true;
      return null;
    });
  }

  #step(): void {
    const real = this.random.pick(this.#real);
    const recipient = this.random.pick(RECIPIENTS);
    const act = this.random.weighted<() => void>([
      [2, () => this.#register(real)],
      [4, () => this.#advance(real)],
      [1, () => this.#hold(real)],
      [3, () => this.#withdraw(recipient)],
      [3, () => this.#read(real, recipient)],
      [4, () => this.#open.splice(this.random.below(this.#open.length + 1), 1).forEach((end) => void end())],
    ]);
    act();
  }

  #register(real: Real): void {
    if (!real.exists) return;
    const asked = { schedule: real.ledger.address, root: real.ledger.root };
    const ending = this.random.chance(0.2) ? 'unknown' : 'ok';
    this.#call(
      'register',
      asked,
      () => {
        const created = !real.isRegistered;
        // Of one that is not answered nobody may learn that it was new.
        real.isRegistered = true;
        return { created };
      },
      ending,
    );
  }

  #hold(real: Real): void {
    const index = this.random.below(RECIPIENTS.length);
    const { held, address: schedule, isOpen, executionsLeft } = real.ledger;
    if (!real.exists || held.length > 0 || isOpen || executionsLeft === 0) return;
    this.#call('hold', { schedule, index }, () => {
      if (real.ledger.isOpen || real.ledger.held.length > 0) return null;
      real.ledger = { ...real.ledger, held: [index] };
      this.#ledger({ schedules: [real.ledger] });
      return null;
    });
  }

  /** Opens a window that is due, or settles the open one. */
  #advance(real: Real): void {
    const { ledger, isRegistered, list } = real;
    const amount = list.reduce((sum, entry) => sum + entry.amount, 0);
    if (!ledger.isOpen) {
      if (!isRegistered || ledger.executionsLeft === 0) return;
      this.#at = Math.max(this.#at, ledger.dueAt * 1_000);
      const opened = {
        isOpen: true,
        windowAmount: amount,
        windowRecipients: list.length,
        windowHeld: ledger.held.length,
      };
      real.ledger = { ...ledger, ...opened };
      const { reserved, open } = this.#vault;
      this.#vault = { ...this.#vault, reserved: reserved - amount, open: open + amount };
      this.#pool = { ...this.#pool, movedIn: this.#pool.movedIn + amount, open: this.#pool.open + amount };
      this.#held = { vault: this.#held.vault - amount, pool: this.#held.pool + amount };
      this.#ledger({ schedules: [real.ledger] });
      const counts = { paid: 0, total: list.length, paidAmount: null, unpaid: 0, explained: 0 };
      const attempts = [{ stage: 'claim', number: 1, outcome: null }];
      const run = { window: ledger.window, state: 'running', createdAt: this.#at, finishedAt: null, errorCode: null };
      real.runs.unshift({ ...run, ...counts, attempts });
      return;
    }
    const paid = list.filter(({ index }) => !ledger.held.includes(index));
    const sum = paid.reduce((total, entry) => total + entry.amount, 0);
    for (const entry of paid) this.#add(entry.recipient, entry.amount);
    const next = { window: ledger.window + 1, executionsLeft: ledger.executionsLeft - 1, dueAt: this.#time + EVERY };
    const last = { lastPaidAmount: sum, lastPaidCount: paid.length, windowAmount: 0 };
    real.settled.set(ledger.window, { entries: paid, root: ledger.root });
    real.ledger = { ...ledger, isOpen: false, ...next, ...last };
    const { open, paid: before } = this.#vault;
    this.#vault = { ...this.#vault, open: open - amount, paid: before + sum };
    const returned = this.#pool.returned + amount - sum;
    this.#pool = { ...this.#pool, returned, open: this.#pool.open - amount };
    this.#held = { vault: this.#held.vault + amount - sum, pool: this.#held.pool - amount + sum };
    this.#ledger({ schedules: [real.ledger] });
    const unpaid = list.length - paid.length;
    real.runs[0] = {
      ...(real.runs[0] as Run),
      ...{ state: 'settled', paid: paid.length, paidAmount: sum, unpaid, explained: unpaid, finishedAt: this.#at },
      attempts: [{ stage: 'claim', number: 1, outcome: 'succeeded' }],
    };
  }

  #add(recipient: string, amount: number): void {
    this.#balances.set(recipient, (this.#balances.get(recipient) ?? 0) + amount);
  }

  #withdraw(recipient: string): void {
    const has = this.#balances.get(recipient) ?? 0;
    if (has === 0) return;
    const [amount, wallet] = [this.random.between(1, has), `wallet ${this.#id}`];
    const ending = this.random.weighted([
      [6, 'ok'],
      [1, 'fail'],
      [2, 'unknown'],
    ] as const);
    const isLost = ending === 'unknown' && this.random.chance(0.5);
    const asked = { recipient, mint: MINT, amount, wallet };
    if (ending === 'ok' || isLost === false) this.#balances.set(recipient, has - amount);
    if (ending === 'fail') this.#balances.set(recipient, has);
    this.#call(
      'withdraw',
      asked,
      () => {
        if (isLost) return null;
        this.#pool = { ...this.#pool, paidOut: this.#pool.paidOut + amount };
        this.#held.pool -= amount;
        this.#wallets.set(wallet, amount);
        this.#ledger({ tokens: [{ address: `tokens of ${wallet}`, mint: MINT, owner: wallet, amount }] });
        return null;
      },
      ending,
    );
  }

  #read(real: Real, recipient: string): void {
    const schedule = real.ledger.address;
    const act = this.random.weighted<() => void>([
      [3, () => this.#call('runs', { schedule }, () => (real.isRegistered ? real.runs : null))],
      [2, () => this.#call('schedule', { schedule }, () => this.#view(real))],
      [2, () => this.#call('final', { schedule }, () => ({ window: real.ledger.window }))],
      [2, () => this.#call('receipts', { recipient, schedule }, () => this.#receipts(real, recipient))],
      [
        2,
        () => this.#call('balances', { recipient }, () => [{ mint: MINT, amount: this.#balances.get(recipient) ?? 0 }]),
      ],
      [2, () => this.#call('history', { recipient }, () => this.#payments(recipient))],
    ]);
    act();
  }

  #view({ ledger: { window, root }, isRegistered }: Real): Answers['schedule'] {
    return isRegistered ? { window, root, rootVersion: 1, registered: true } : null;
  }

  #receipts({ list, settled, ledger }: Real, recipient: string): Answers['receipts'] {
    const entry = list.find((each) => each.recipient === recipient) as Entry;
    return [...settled].map(([window, { entries }]) => ({
      ...{ window, root: ledger.root, index: entry.index, amount: entry.amount },
      paid: entries.includes(entry),
    }));
  }

  #payments(recipient: string): Answers['history'] {
    return this.#real.flatMap(({ settled, ledger }) =>
      [...settled].flatMap(([window, { entries }]) =>
        entries
          .filter((entry) => entry.recipient === recipient)
          .map(({ amount }) => ({ schedule: ledger.address, window, amount, known: true })),
      ),
    );
  }

  /** Everything that was begun ends, and everything is read once more. */
  #finish(): void {
    while (this.#open.length > 0) this.#open.pop()?.();
    this.#note({ kind: 'healed' });
    for (const real of this.#real) {
      this.#register(real);
      while (real.isRegistered && (real.ledger.executionsLeft > 0 || real.ledger.isOpen)) this.#advance(real);
    }
    while (this.#open.length > 0) this.#open.pop()?.();
    for (const real of this.#real) for (const recipient of RECIPIENTS) this.#readAll(real, recipient);
    const amountOf = (recipient: string) => this.#balances.get(recipient) ?? 0;
    const layer = RECIPIENTS.map((recipient) => ({ recipient, amount: amountOf(recipient), underWay: [] }));
    this.#ask('layer', { mint: MINT }, layer);
  }

  /** A call that is answered before anything else happens. */
  #ask<F extends Name>(f: F, asked: Questions[F], answer: Answers[F]): void {
    const id = this.#id++;
    this.#note({ kind: 'invoke', id, process: 'last', f, asked });
    this.#note({ kind: 'ok', id, answer: structuredClone(answer) });
  }

  #readAll(real: Real, recipient: string): void {
    const schedule = real.ledger.address;
    this.#ask('runs', { schedule }, real.runs);
    this.#ask('final', { schedule }, { window: real.ledger.window });
    this.#ask('history', { recipient }, this.#payments(recipient));
  }
}
