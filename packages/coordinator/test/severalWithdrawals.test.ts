import {
  addressToBytes,
  EXIT_LIMIT_SECONDS,
  FIRST_LIMIT_SECONDS,
  lastRound,
  MOST_PARTS,
  PAYOUT_LEDGER_ERROR__ORDER_NOT_DUE,
  PAYOUT_LEDGER_ERROR__TOO_MANY_WITHDRAWALS,
  PAYOUT_LEDGER_PROGRAM_ADDRESS,
  type PersonalArgs,
  ROUND_SECONDS,
  roundBefore,
  type WithdrawingArgs,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { beforeEach, describe, expect, it } from 'vitest';
import { lastDecided } from '../src/store/queries/rounds.ts';
import { setPartSize } from '../src/withdrawals/partSizes.ts';
import { addSchedule, changeSchedule } from './support/addSchedule.ts';
import { FakeBalances, placeAt } from './support/fakeBalances.ts';
import { personalAccount, underWay } from './support/personal.ts';
import { randomAddress } from './support/promised.ts';
import { putRun } from './support/runs.ts';
import { useStore } from './support/stores.ts';
import { type Asked, RELEASE_SECONDS, START, type WorkerOver, workerOver } from './support/withdrawalWorker.ts';

const store = useStore();
const NOW = BigInt(START / 1_000);
const PAGE = 5;
/** A place that no withdrawal has. */
const FREE = underWay({ amount: 0n });

let mint: Address;
let schedule: string;
let pages: FakeBalances;
let personal: Map<Address, Partial<PersonalArgs>>;
beforeEach(async () => {
  mint = randomAddress();
  schedule = await addSchedule(store.query, { mint });
  pages = new FakeBalances(mint, PAYOUT_LEDGER_PROGRAM_ADDRESS);
  pages.makePage(PAGE);
  personal = new Map();
});

/** A balance of so many base units, and what its recipient has asked; returns the address of the account that holds it. */
function ask(amount: bigint, fields: Partial<PersonalArgs>): Address {
  const [owner, address] = [randomAddress(), randomAddress()];
  const slot = personal.size;
  pages.add({ owner, place: placeAt(PAGE, slot) }, amount);
  const page = pages.addressOf(PAGE);
  personal.set(address, { mint, owner: addressToBytes(owner), page, slot, withdrawals: [FREE], ...fields });
  return address;
}

const accounts = () => [
  ...pages.accounts(),
  ...[...personal].map(([address, fields]) => personalAccount(fields, { address })),
];
const worker = (more: Partial<WorkerOver> = {}) => workerOver({ database: store.query, mint, accounts, ...more });
const change = (address: Address, fields: Partial<PersonalArgs>) =>
  personal.set(address, { ...personal.get(address), ...fields });

describe('several withdrawals of one balance', () => {
  const wallets = Array.from({ length: 4 }, randomAddress) as [Address, Address, Address, Address];
  const withdrawals: WithdrawingArgs[] = [
    underWay({ id: 3, number: 11n, amount: 5n, wallet: wallets[0] }),
    underWay({ id: 4, amount: 6n, wallet: wallets[1], dueAt: NOW - 1n }),
    FREE,
    underWay({ id: 6, amount: 7n, wallet: wallets[2], dueAt: NOW + 3_600n }),
    underWay({ id: 9, number: 12n, amount: 8n, wallet: wallets[3] }),
    // Put off by its recipient.
    underWay({ id: 10, number: 13n, amount: 8n, wallet: wallets[3], dueAt: NOW + 60n }),
  ];
  const payable = [11n, 12n, 13n].map((number) => {
    const { amount, wallet } = withdrawals.find((each) => each.number === number) as WithdrawingArgs;
    return { number, amount: BigInt(amount), wallet };
  });

  it('are released each at its own time, and issued each with its own number', async () => {
    const address = ask(100n, { waiting: 13n, withdrawals });
    const asked = await (await worker({ payable })).poll();
    const acts = asked.map(({ act, id }) => `${act} ${id}`);
    expect(acts[0]).toBe('execute 4');
    // In chance's order.
    expect(acts.slice(1).sort()).toEqual(['confirm 3', 'confirm 9']);
    for (const each of asked) expect(each.personal).toBe(address);
  });

  it('are cleared each when it is paid, and the account stays for whoever may still read it', async () => {
    const address = ask(100n, { withdrawals: withdrawals.filter(({ number }) => number !== 0n) });
    const paid = new Set([12n]);
    const clear = (id: number | undefined) =>
      change(address, { withdrawals: (personal.get(address)?.withdrawals ?? []).filter((each) => each.id !== id) });
    const { poll, counted } = await worker({
      payable,
      isPaid: (number) => paid.has(number),
      execute: ({ act, id }) => {
        const number = personal.get(address)?.withdrawals?.find((each) => each.id === id)?.number;
        if (act === 'confirm' && paid.has(BigInt(number ?? 0))) clear(id);
        return undefined;
      },
    });
    const first = await poll();
    expect(first.filter(({ act }) => act !== 'confirm')).toEqual([]);
    expect(personal.get(address)?.withdrawals?.map(({ id }) => id)).toEqual([3, 10]);
    expect(await counted('paid')).toBe(1);
    for (const number of [11n, 13n]) paid.add(number);
    const last = await poll();
    expect(last.map(({ act }) => act)).toEqual(['confirm', 'confirm']);
    expect(await counted('paid')).toBe(3);
  });
});

describe('a standing order', () => {
  const wallet = randomAddress();
  const order = { orderThreshold: 50n, orderWallet: wallet };

  it('takes tokens out when what nothing waits for reaches it', async () => {
    const [below, reached] = [ask(49n, order), ask(50n, order)];
    // Ten of sixty wait.
    const waits = ask(60n, {
      ...order,
      waiting: 11n,
      withdrawals: [underWay({ amount: 11n, dueAt: NOW + 60n }), FREE],
    });
    const asked = await (await worker()).poll();
    expect(asked).toEqual([{ act: 'execute', personal: reached, id: 0, dueAt: 0n }]);
    expect([below, waits]).not.toContain(reached);
  });

  it('is released at an instant that is drawn between its delays', async () => {
    ask(50n, { ...order, orderDelayMin: 10, orderDelayMax: 20 });
    const [asked] = await (await worker()).poll();
    const seconds = Number((asked?.dueAt ?? 0n) - NOW);
    expect(seconds).toBeGreaterThanOrEqual(600);
    expect(seconds).toBeLessThanOrEqual(1_200 + RELEASE_SECONDS);
  });

  it('waits for the part before it, and where there is no place for another withdrawal', async () => {
    ask(500n, { ...order, withdrawals: [underWay({ number: 9n, wallet, dueAt: NOW + 99n }), FREE] });
    const full = ask(500n, { ...order, withdrawals: [underWay({ dueAt: NOW + 99n }), underWay({ dueAt: NOW + 99n })] });
    const { poll } = await worker({ execute: () => PAYOUT_LEDGER_ERROR__TOO_MANY_WITHDRAWALS });
    expect(await poll()).toEqual([]);
    change(full, { withdrawals: [underWay({ dueAt: NOW + 99n }), FREE] });
    expect(await poll()).toHaveLength(1);
  });
});

describe('a delivery to a wallet', () => {
  /** Polls halfway to the next release instant, and then at it. */
  async function atNextInstant({ time, poll }: Awaited<ReturnType<typeof worker>>) {
    await time.advance((RELEASE_SECONDS * 1_000) / 2);
    const before = await poll();
    await time.advance((RELEASE_SECONDS * 1_000) / 2);
    return [before, await poll()];
  }

  it('leaves at a release instant, with what is there then, if there is anything', async () => {
    const [address, nothing] = [ask(7n, { delivery: 1 }), ask(0n, { delivery: 1 })];
    const made = await worker();
    expect(await made.poll()).toEqual([]);
    expect(await atNextInstant(made)).toEqual([[], [{ act: 'execute', personal: address, id: 0, dueAt: 0n }]]);
    expect(nothing).not.toBe(address);
  });

  it('is not read between the instants, however many there are', async () => {
    for (let each = 0; each < 5; each++) ask(7n, { delivery: 1 });
    const made = await worker();
    await made.time.advance(1_000);
    await made.poll();
    const before = made.looks();
    for (let look = 0; look < 20; look++) {
      await made.time.advance(500);
      await made.poll();
    }
    expect(made.looks()).toBe(before);
  });

  it('of which a standing order takes what is there is released at an instant that is drawn', async () => {
    // As after a recovery, which has everything go to another wallet.
    const wallet = randomAddress();
    ask(70n, { delivery: 1, orderThreshold: 1n, orderWallet: wallet, orderDelayMin: 10, orderDelayMax: 20 });
    const [asked] = await (await worker()).poll();
    expect(asked?.id).toBe(0);
    expect(Number((asked?.dueAt ?? 0n) - NOW)).toBeGreaterThanOrEqual(600);
  });
});

describe('parts that leave in a round', () => {
  const ROUND = roundBefore(NOW) + ROUND_SECONDS;
  const partsOf = (asked: bigint, count = 2) => ({
    waiting: BigInt(count),
    withdrawals: Array.from({ length: count }, (_, place) =>
      underWay({ id: place + 1, inRound: 1, dueAt: lastRound(asked) }),
    ),
  });
  const until = (made: Awaited<ReturnType<typeof worker>>, seconds: bigint) =>
    made.time.advance(Number(seconds) * 1_000 - made.time.now());
  const idsOf = (acts: readonly { readonly act: string; readonly id?: number | undefined }[]) =>
    acts.map(({ act, id }) => `${act} ${id}`).sort();
  const nextWindow = (due: bigint) => changeSchedule(store.query, schedule, { next_execution: String(due) });
  const ALL = ['execute 1', 'execute 1', 'execute 2', 'execute 2'];
  beforeEach(() => setPartSize(store.query, mint, 1n, START));

  it('do so together, all of a token, at the first one where no window would add to them', async () => {
    ask(9n, partsOf(NOW));
    ask(9n, partsOf(NOW));
    const made = await worker();
    expect(await made.poll()).toEqual([]);
    await until(made, ROUND);
    expect(idsOf(await made.poll())).toEqual(ALL);
  });

  it('wait for those whom a window pays, and leave with the oldest, which has its limit', async () => {
    ask(9n, partsOf(NOW));
    await nextWindow(ROUND + 3_600n);
    const made = await worker();
    await until(made, ROUND);
    expect(await made.poll()).toEqual([]);
    ask(9n, partsOf(ROUND + 3_700n));
    // Another one falls due in each half day.
    for (let round = ROUND + ROUND_SECONDS; round < lastRound(NOW); round += ROUND_SECONDS) {
      await nextWindow(round + 60n);
      await until(made, round);
      expect(await made.poll()).toEqual([]);
    }
    await nextWindow(lastRound(NOW) + 60n);
    await until(made, lastRound(NOW));
    expect(idsOf(await made.poll())).toEqual(ALL);
  });

  it('are left behind beyond the first ones of a balance, and leave in the next round after a crowd was paid', async () => {
    const beyond = { inRound: 1, dueAt: lastRound(NOW, EXIT_LIMIT_SECONDS) };
    const wellPaid = ask(9n, {
      waiting: 3n,
      withdrawals: [...partsOf(NOW).withdrawals, underWay({ id: 3, ...beyond })],
    });
    await changeSchedule(store.query, schedule, { recipients: 20, amount: '20' });
    const made = await worker();
    const leftAt = async (round: bigint) => {
      // A crowd is paid before the others must leave, and nobody before the first parts must.
      await nextWindow(round + FIRST_LIMIT_SECONDS + 60n);
      await until(made, round);
      return idsOf(await made.poll());
    };
    expect(await leftAt(ROUND)).toEqual(['execute 1', 'execute 2']);
    expect(await lastDecided(store.query, mint, { limit: 1 })).toMatchObject([{ leaves: true, parts: 2 }]);
    // Somebody has a part leave out of turn: who is paid well would leave with them alone.
    change(wellPaid, { waiting: 1n, withdrawals: [underWay({ id: 3, ...beyond })] });
    const other = ask(9n, {
      waiting: 1n,
      withdrawals: [underWay({ id: 8, inRound: 1, dueAt: lastRound(ROUND + 60n) })],
    });
    expect(await leftAt(ROUND + ROUND_SECONDS)).toEqual(['execute 8']);
    change(other, { waiting: 1n, withdrawals: [underWay({ id: 9, inRound: 1, dueAt: lastRound(ROUND + 43_260n) })] });
    const finished = Number(ROUND + ROUND_SECONDS + 3_600n) * 1_000;
    const run = { schedule, state: 'settled', finished } as const;
    // An employer pays themselves alone.
    await putRun(store.query, { ...run, recipients: 1, amount: '99' });
    await putRun(store.query, { ...run, window: 1, recipients: 99, amount: '19' });
    expect(await leftAt(ROUND + 2n * ROUND_SECONDS)).toEqual(['execute 9']);
    await putRun(store.query, {
      ...run,
      window: 2,
      finished: Number(ROUND + 2n * ROUND_SECONDS) * 1_000 + 1,
      recipients: 20,
      amount: '20',
    });
    change(other, { waiting: 1n, withdrawals: [underWay({ id: 10, inRound: 1, dueAt: lastRound(ROUND + 86_460n) })] });
    expect(await leftAt(ROUND + 3n * ROUND_SECONDS)).toEqual(['execute 10', 'execute 3']);
  });

  it('leave all together where nobody would join those beyond', async () => {
    const later = underWay({ id: 3, inRound: 1, dueAt: lastRound(NOW, EXIT_LIMIT_SECONDS) });
    ask(9n, { waiting: 3n, withdrawals: [...partsOf(NOW).withdrawals, later] });
    await nextWindow(4_000_000_000n);
    const made = await worker();
    await until(made, ROUND);
    expect(idsOf(await made.poll())).toEqual(['execute 1', 'execute 2', 'execute 3']);
  });

  it('are decided about once: a window that is paid in the meantime changes nothing', async () => {
    ask(9n, partsOf(NOW));
    await nextWindow(ROUND + 30n);
    const made = await worker();
    await until(made, ROUND);
    expect(await made.poll()).toEqual([]);
    await nextWindow(4_000_000_000n);
    await made.time.advance(RELEASE_SECONDS * 1_000);
    expect(await made.poll()).toEqual([]);
  });

  it('leave in the round that was begun, though the process ended in the middle of it', async () => {
    ask(9n, partsOf(NOW));
    const first = await worker();
    await until(first, ROUND);
    expect(await first.poll()).toHaveLength(2);
    await nextWindow(ROUND + 600n);
    const second = await worker();
    await until(second, ROUND + 120n);
    expect(idsOf(await second.poll())).toEqual(['execute 1', 'execute 2']);
  });

  it('are neither made to leave by what has another size, nor seem to be more by it', async () => {
    ask(9n, partsOf(NOW));
    const dust = ask(9n, {
      waiting: 4n,
      withdrawals: [1, 2].map((id) => underWay({ id, amount: 2n, inRound: 1, dueAt: ROUND })),
    });
    await nextWindow(ROUND + 3_600n);
    const made = await worker();
    await until(made, ROUND);
    const asked = await made.poll();
    expect(asked.map(({ personal }) => personal)).toEqual([dust, dust]);
    expect(await lastDecided(store.query, mint, { limit: 1 })).toMatchObject([{ leaves: false, parts: 2, people: 1 }]);
  });

  it('are not held back by windows that pay less than a part', async () => {
    await setPartSize(store.query, mint, 10n, START + 1_000);
    ask(99n, {
      waiting: 10n,
      withdrawals: [underWay({ id: 1, amount: 10n, inRound: 1, dueAt: lastRound(NOW) })],
    });
    // The schedule pays nine base units.
    await nextWindow(ROUND + 3_600n);
    const made = await worker();
    await until(made, ROUND);
    expect(idsOf(await made.poll())).toEqual(['execute 1']);
  });

  it('leave by the size that they were asked for in, though another one holds by now', async () => {
    ask(9n, partsOf(NOW));
    await setPartSize(store.query, mint, 2n, Number(ROUND - 60n) * 1_000);
    const made = await worker();
    await until(made, ROUND);
    expect(idsOf(await made.poll())).toEqual(['execute 1', 'execute 2']);
  });

  it('stand ready until there is the money, and are begun then, as many as leave at a time', async () => {
    const standing = Array.from({ length: 14 }, (_, place) => underWay({ id: place + 1, inRound: 2 }));
    const [none, three, all] = [ask(0n, { withdrawals: standing }), ask(3n, { withdrawals: standing }), ask(99n, {})];
    change(all, { withdrawals: [...standing, underWay({ id: 20, inRound: 1, dueAt: lastRound(NOW) })], waiting: 1n });
    // Of a size that the token does not have.
    ask(99n, { withdrawals: [underWay({ id: 1, amount: 7n, inRound: 2 })] });
    const asked = await (await worker()).poll();
    const idsOfOne = (address: Address) => asked.filter(({ personal }) => personal === address).map(({ id }) => id);
    expect(idsOfOne(none)).toEqual([]);
    expect(idsOfOne(three).sort()).toEqual([1, 2, 3]);
    expect(idsOfOne(all)).toHaveLength(MOST_PARTS - 1);
    expect(asked.every(({ act, dueAt }) => act === 'execute' && dueAt === 0n)).toBe(true);
    expect(asked).toHaveLength(3 + MOST_PARTS - 1);
  });

  it('that stand ready run out once the last of the size is begun, which is told then and not before', async () => {
    const [ada, bob, cleo] = [randomAddress(), randomAddress(), randomAddress()];
    const standing = [underWay({ id: 1, inRound: 2 }), underWay({ id: 2, inRound: 2 })];
    ask(1n, { recipient: bob, withdrawals: standing });
    const all = ask(2n, { recipient: ada, withdrawals: [...standing, underWay({ id: 3, amount: 7n, inRound: 2 })] });
    // The layer takes one of them at the second look.
    const late = ask(2n, { recipient: cleo, withdrawals: standing });
    let isTaken = false;
    const isLate = ({ personal: of, id }: Asked) => of === late && id === 2 && !isTaken;
    const made = await worker({ execute: (asked) => (isLate(asked) ? PAYOUT_LEDGER_ERROR__ORDER_NOT_DUE : undefined) });
    await made.poll();
    expect(made.ended).toEqual([ada]);
    change(all, { withdrawals: [] });
    change(late, { withdrawals: [FREE, underWay({ id: 2, inRound: 2 })] });
    isTaken = true;
    await made.poll();
    expect(made.ended).toEqual([ada, cleo]);
  });

  it('are not in a round that had begun when they were asked for', async () => {
    ask(9n, partsOf(NOW));
    const made = await worker();
    await until(made, ROUND);
    const late = ask(9n, partsOf(ROUND));
    const asked = await made.poll();
    expect(asked).toHaveLength(2);
    expect(asked.map(({ personal }) => personal)).not.toContain(late);
  });
});
