import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { readOrCreateKey, walletTokens } from '@payouts/cli';
import {
  lastRound,
  millisOf,
  RecipientClient,
  ROUND_OPEN_SECONDS,
  ROUND_SECONDS,
  roundBefore,
  systemTime,
} from '@payouts/client';
import { clockAheadAsIn } from '@payouts/testing/clockAhead';
import { serveLoopback } from '@payouts/testing/loopback';
import { commandsBy, payoutHere } from '@payouts/testing/payout';
import { rounds } from '@payouts/testing/rounds';
import { type Employer, inSeconds, until, World } from '@payouts/testing/world';
import type { Address, KeyPairSigner } from '@solana/kit';
import { beforeAll, describe, expect, it } from 'vitest';

const UNIT = 1_000_000n;
/** What is public says that everybody gets 1,000 on average, so a part is 200. */
const PART = 200n * UNIT;
const PAYS = { anna: 1_000n * UNIT, ben: 1_300_500_000n, cleo: 699_500_000n } as const;
const PARTS = { anna: 5, ben: 6, cleo: 3 } as const;
type Who = keyof typeof PAYS;
const PEOPLE = Object.keys(PAYS) as readonly Who[];
/** Releases that the layer is sent before the coordinator dies in the middle of a round. */
const BEFORE_DEATH = 4;
/** In which all parts are asked for. */
const WITHIN_SECONDS = 180n;

const published = fileURLToPath(new URL('../../program/payouts.so', import.meta.url));

/** The program itself, for which a round is open all the time: the layer tells the time by the machine's clock, which can't be turned. */
async function alwaysOpen(folder: string): Promise<string> {
  const program = await readFile(published);
  const [open, always] = [ROUND_OPEN_SECONDS, ROUND_SECONDS].map((seconds) =>
    Buffer.from(Int32Array.of(Number(seconds)).buffer),
  ) as [Buffer, Buffer];
  let found = 0;
  for (let at = program.indexOf(open); at >= 0; at = program.indexOf(open, at + 1)) {
    always.copy(program, at);
    found += 1;
  }
  // The other is what a standing order's release may exceed its range by.
  expect(found).toBe(2);
  const path = join(folder, 'alwaysOpen.so');
  await writeFile(path, program);
  return path;
}

type Part = {
  readonly balance: Address;
  readonly amount: string;
  readonly wallet: Address;
  readonly releaseAt: number;
};
type Planned = {
  readonly withdrawals: readonly Part[];
  readonly stays: string;
  readonly crowd: { readonly people: number; readonly oneIn: number };
  readonly state?: string;
};

describe('parts that leave in rounds', () => {
  let world: World;
  let employer: Employer;
  let keys: readonly KeyPairSigner[];
  let layerUrl: string;
  /** How many releases the layer is still sent; the rest are never answered. */
  let letThrough = Number.POSITIVE_INFINITY;
  let held = 0;
  /** Milliseconds that the coordinator's clock is ahead. */
  let ahead = 0;

  const file = (name: string) => join(world.folder, name);
  const settings = () => ({
    LAYER_RPC_URL: layerUrl,
    METRICS_PUBLIC: 'true',
    NODE_OPTIONS: clockAheadAsIn(file('ahead')),
  });
  /** Turns the coordinator's clock; the layer's and the base ledger's go on. */
  const turn = async (moment: bigint) => {
    ahead = Number(moment) * 1_000 - Date.now();
    await writeFile(file('ahead'), String(ahead));
  };
  const by = (who: Who) =>
    commandsBy((...words) =>
      payoutHere({ PAYOUT_API: world.apiUrl, NO_COLOR: '1' }, ...words, ...['--keypair', file(`${who}.json`)]),
    );
  /** What the API tells each, by the coordinator's clock. */
  const client = (who: Who) => {
    const signer = keys[PEOPLE.indexOf(who)] as KeyPairSigner;
    return new RecipientClient({
      apiUrl: world.apiUrl,
      signer,
      time: { ...systemTime, now: () => Date.now() + ahead },
    });
  };
  const underWay = async (who: Who) =>
    (await client(who).balances()).balances.flatMap(({ withdrawals }) => withdrawals);
  const tokensOf = (wallet: Address) => walletTokens(world.ledgers, wallet, employer.mint);

  /** The parts of each, in the order in which they were asked for. */
  const asked = new Map<Who, readonly Part[]>();
  let round: bigint;

  beforeAll(async () => {
    world = await World.start({ program: alwaysOpen });
    // What is asked for is in one round, whenever this runs.
    const next = roundBefore(inSeconds(0)) + ROUND_SECONDS;
    if (next - inSeconds(0) < WITHIN_SECONDS) await until(async () => inSeconds(0) >= next, 'the round', 240_000);
    await turn(inSeconds(0));
    const { url } = await serveLoopback(async (request, response) => {
      const body = await buffer(request);
      if (body.includes('"sendTransaction"') && letThrough < Number.POSITIVE_INFINITY) {
        if (letThrough <= 0) {
          held += 1;
          return;
        }
        letThrough -= 1;
      }
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(world.urls.layerRpcUrl, { method: 'POST', headers, body });
      response.writeHead(answer.status, headers).end(await answer.text());
    });
    layerUrl = url;
    await world.startCoordinator(settings());
    keys = await Promise.all(PEOPLE.map((who): Promise<KeyPairSigner> => readOrCreateKey(file(`${who}.json`))));
    const payees = PEOPLE.map((who, at) => ({ recipient: (keys[at] as KeyPairSigner).address, amount: PAYS[who] }));
    employer = await world.employer(payees, { executions: 1 });
    await world.registerAndSettle(employer);
  });

  it('are planned alike for everybody, who read before among whom they leave, and when', async () => {
    const shown = await by('ben').done('withdraw', 'all', '--dry-run');
    expect(shown).toMatch(/^Take out 1,200\.00 \S+ in a round with others\n {2}in 6 parts of 200\.00 \S+$/m);
    expect(shown.match(/^ {2}to your fresh wallet \d, \w{32,44}$/gm)).toHaveLength(6);
    expect(shown).toMatch(/^ {2}100\.50 \S+ stay in your private balance$/m);
    expect(shown).toContain("You can't hide now: fewer than 20 people leave in a round.");
    expect(shown).toMatch(/They leave on \d{4}-\d\d-\d\d (00|12):00 UTC, since nobody else is paid before/);
    expect(await by('ben').refused('withdraw', 'all', '--yes', '--least-crowd', '20')).toBe('crowd-too-small');
    expect(await by('ben').refused('withdraw', '150', '--yes')).toBe('below-part');
    expect(await underWay('ben')).toEqual([]);
  });

  it('wait each for a wallet of its own, and the base ledger shows nothing of it', async () => {
    const before = await world.pool(employer);
    round = roundBefore(inSeconds(0)) + ROUND_SECONDS;
    for (const who of PEOPLE) {
      const { withdrawals, stays, state, crowd } = await by(who).json<Planned>('withdraw', 'all', '--yes');
      expect(withdrawals).toHaveLength(PARTS[who]);
      expect({ stays, state, crowd }).toEqual({
        stays: String(PAYS[who] - BigInt(PARTS[who]) * PART),
        state: 'requested',
        crowd: { people: 0, oneIn: 1 },
      });
      asked.set(who, withdrawals);
    }
    const wallets = [...asked.values()].flat().map(({ wallet }) => wallet);
    expect(new Set(wallets).size).toBe(14);
    for (const who of PEOPLE) {
      const all = await underWay(who);
      expect(all.map(({ wallet }) => wallet)).toEqual(asked.get(who)?.map(({ wallet }) => wallet));
      for (const each of all) expect(each).toMatchObject({ number: null, inRound: true });
    }
    expect(await by('anna').done('balance')).toMatch(/waiting for its round\n +on .* at the latest\n/);
    // However often the coordinator looks meanwhile.
    await rounds(world, 'withdrawal', 3);
    expect(await world.pool(employer)).toEqual(before);
    await world.checkMoneyRules(employer);
  });

  it('are cancelled, sent elsewhere and taken out at once by their owner, while the others wait', async () => {
    const [first, second, third] = await underWay('ben');
    await by('ben').done('cancel', '--withdrawal', String(third?.id), '--yes');
    expect(await by('ben').done('redirect', '--withdrawal', String(first?.id), '--now', '--yes')).toContain(
      first?.wallet,
    );
    await world.arrived(first?.wallet as Address, employer, PART);
    await by('ben').done('redirect', '--withdrawal', String(second?.id), '--to', 'fresh', '--yes');
    const left = await until(async () => {
      const all = await underWay('ben');
      return all.length === 4 && all;
    }, 'the one taken out to be cleared');
    expect(left.every(({ inRound, number }) => inRound && number === null)).toBe(true);
    expect(left[0]).toMatchObject({ id: second?.id, releaseAt: millisOf(lastRound(inSeconds(0))) });
    expect(left[0]?.wallet).not.toBe(second?.wallet);
    const wallets = left.map(({ wallet }) => wallet);
    asked.set(
      'ben',
      wallets.map((wallet) => ({ wallet }) as Part),
    );
    await world.checkMoneyRules(employer);
  });

  it('leave together in the round, though the coordinator is killed in the middle of it', async () => {
    const before = await world.pool(employer);
    letThrough = BEFORE_DEATH;
    await turn(round + 1n);
    await until(async () => held > 0, 'the layer to be sent more than it is let');
    await world.killCoordinator();
    letThrough = Number.POSITIVE_INFINITY;
    expect(await world.pool(employer)).toEqual(before);
    await turn(round + 600n);
    await world.startCoordinator(settings());
    const all = [...asked.values()].flat();
    await Promise.all(all.map(({ wallet }) => world.arrived(wallet, employer, PART)));
    for (const who of PEOPLE) {
      await until(async () => (await underWay(who)).length === 0, `${who}'s parts to be cleared`);
    }
    const after = await world.pool(employer);
    expect(after.paidOut - before.paidOut).toBe(BigInt(all.length) * PART);
    // One recording has all of them.
    expect(after.sequence).toBe(before.sequence + 1n);
    await world.checkMoneyRules(employer);
  });

  it('leave in an order that says nothing, and nobody is told more than the parts and the step that people reach', async () => {
    const numbers = new Map<Address, bigint>();
    for (const who of PEOPLE) {
      for (const item of (await client(who).history()).items) {
        if (item.kind === 'withdrawal') numbers.set(item.wallet, item.number);
      }
    }
    const inOrder = [...asked.values()].flat().map(({ wallet }) => numbers.get(wallet) as bigint);
    expect(inOrder).not.toEqual([...inOrder].sort((one, other) => Number(one - other)));
    expect(await tokensOf(asked.get('anna')?.[0]?.wallet as Address)).toBe(PART);
    const { recent, waiting } = (await (await fetch(`${world.apiUrl}/api/rounds/${employer.mint}`)).json()) as {
      readonly recent: unknown;
      readonly waiting: unknown;
    };
    expect({ recent, waiting }).toEqual({ recent: [{ at: millisOf(round), parts: 12, people: 0 }], waiting: null });
  });
});
