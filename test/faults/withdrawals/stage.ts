import type { OwnedBalance } from '@payouts/cli';
import { findPoolAddress, type Recipient, sendToBase } from '@payouts/client';
import { fillSponsorInstruction } from '@payouts/employer';
import { Cluster } from '@payouts/testing/cluster';
import { FaultProxy } from '@payouts/testing/faults/proxy';
import { Random } from '@payouts/testing/random';
import { everySeconds, World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { keepLogsOf } from '../keepLogs.ts';

/** Coordinators on one database. */
export const NAMES = ['one', 'two'] as const;
/** Seconds: a dead coordinator's work is taken over after it. */
const LEASE_SECONDS = 5;
/** Seconds between windows; the base ledger's clock is moved on instead of waiting. */
export const EVERY = 3_600;
/** Lamports for a wallet's token account, and some for pages. */
const LAMPORTS_EACH = 2_100_000n;
const LAMPORTS_MORE = 100_000_000n;

/** How somebody's money leaves: they ask, a standing order does, or the employer's list has it delivered. */
export type Way = 'request' | 'order' | 'delivery';
const WAYS: readonly Way[] = ['request', 'request', 'order', 'delivery'];
/** Withdrawals in each window of those who ask; the others' money leaves in one. */
const ASKS = 2;
/** More withdrawals than this take more than one window. */
const ONE_WINDOW = 300;

/** A recipient and what they have asked for so far. */
export type Person = {
  readonly way: Way;
  readonly key: KeyPairSigner;
  readonly wallet: Address;
  readonly balance: OwnedBalance;
  /** Of the balance, in base 58. */
  readonly owner: Address;
  /** Base units in each window. */
  readonly amount: bigint;
  /** Base units that are to have arrived when everything is over. */
  asked: bigint;
};

const wayOf = (line: number): Way => WAYS[line % WAYS.length] as Way;

/**
 * How many people take money out in how many windows, and how often each of them does in each window, so that all of it is so many
 * withdrawals. Those who ask leave one out in the last window where it would be too many.
 */
export function planOf(count: number): { readonly people: number; readonly withdrawals: readonly number[][] } {
  const windows = count <= ONE_WINDOW ? 1 : 2;
  const inWindow = (people: number) =>
    Array.from({ length: people }, (_, line): number => (wayOf(line) === 'request' ? ASKS : 1));
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  let people = 1;
  while (sum(inWindow(people)) * windows < count) people += 1;
  const withdrawals = Array.from({ length: windows }, () => inWindow(people));
  let tooMany = sum(inWindow(people)) * windows - count;
  const last = withdrawals.at(-1) as number[];
  for (let line = 0; line < people && tooMany > 0; line++) {
    if (wayOf(line) !== 'request') continue;
    (last[line] as number) -= 1;
    tooMany -= 1;
  }
  return { people, withdrawals };
}

export type Stage = Awaited<ReturnType<typeof startStage>>;

/** Both ledgers with a proxy between them, two coordinators, and an employer whose token has a freeze authority: the world's admin. */
export async function startStage(count: number, seed: number) {
  const random = new Random(seed);
  const { people: many, withdrawals } = planOf(count);
  let between: FaultProxy | undefined;
  const world = await World.start({
    between: async (base) => {
      between = await FaultProxy.start(base, seed);
      return { rpcUrl: between.rpcUrl, wsUrl: between.subscriptions.url };
    },
  });
  if (between === undefined) throw new Error('Nothing stands between the ledgers.');
  const proxy = between;
  const cluster = await Cluster.start(world, NAMES, { LEASE_SECONDS: String(LEASE_SECONDS) });
  const payer = await world.payer(undefined, world.admin.address);
  const { signer, mint } = payer;
  const lamports = LAMPORTS_EACH * BigInt(many) + LAMPORTS_MORE;
  await sendToBase(world.ledgers, [await fillSponsorInstruction(signer, mint, lamports)], signer);

  const drawn = await Promise.all(
    Array.from({ length: many }, async (_, line) => {
      const way = wayOf(line);
      const key = await generateKeyPairSigner();
      const wallet = way === 'delivery' ? key.address : (await generateKeyPairSigner()).address;
      return { way, key, wallet, amount: BigInt(random.between(1_000, 1_000_000)), asked: 0n };
    }),
  );
  const payees = drawn.map(({ way, key, amount }) => {
    const delivery = way === 'delivery' ? ('wallet' as const) : ('balance' as const);
    return { recipient: key.address, amount, delivery };
  });
  const employer = await world.promise(payer, payees, {
    executions: withdrawals.length,
    calendar: everySeconds(EVERY),
    batchTimeout: EVERY,
  });
  const places = new Map(employer.list.recipients.map(({ recipient }, index) => [recipient, index]));
  const people = drawn.map((person): Person => {
    const index = places.get(person.key.address) as number;
    const balance = { ...(employer.list.recipients[index] as Recipient), mint };
    const owner = employer.balances[index] as Address;
    return { ...person, balance, owner };
  });
  return {
    world,
    /** Stands between the execution layer and the base ledger. */
    between: proxy,
    cluster,
    employer,
    people,
    /** How often each of the people takes money out, by window. */
    withdrawals,
    random,
    pool: await findPoolAddress(mint),
    keepLogs: () => keepLogsOf(world),
    async stop() {
      await world.stop();
      await proxy.stop();
    },
  };
}
