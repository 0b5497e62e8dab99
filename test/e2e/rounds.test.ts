import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createSchedule, deposit, readOrCreateKey, walletTokens } from '@payouts/cli';
import {
  lastRound,
  MOST_PARTS,
  millisOf,
  type RecipientBalance,
  RecipientClient,
  ROUND_SECONDS,
  roundBefore,
  systemTime,
} from '@payouts/client';
import { alwaysOpen } from '@payouts/testing/alwaysOpen';
import { clockAheadAsIn } from '@payouts/testing/clockAhead';
import { printedBy } from '@payouts/testing/command';
import { serveLoopback } from '@payouts/testing/loopback';
import { commandsBy, payoutHere } from '@payouts/testing/payout';
import { awayFromRound, rounds } from '@payouts/testing/rounds';
import { freshWallet, somePayees } from '@payouts/testing/wallets';
import { type Employer, everySeconds, HOUR, inSeconds, until, World } from '@payouts/testing/world';
import type { Address, KeyPairSigner } from '@solana/kit';
import { beforeAll, describe, expect, it } from 'vitest';

const UNIT = 1_000_000n;
const PART = 200n * UNIT;
const PAYS = { anna: 1_000n * UNIT, ben: 1_300_500_000n, cleo: 699_500_000n } as const;
const PARTS = { anna: 5, ben: 6, cleo: 3 } as const;
type Who = keyof typeof PAYS;
const PEOPLE = Object.keys(PAYS) as readonly Who[];
/** Releases that the layer is sent before the coordinator dies in the middle of a round. */
const BEFORE_DEATH = 4;
/** In which all parts are asked for. */
const WITHIN_SECONDS = 300;

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
    // The coordinator's clock is this machine's at first, as the operator's command's is.
    await writeFile(file('ahead'), String(ahead));
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
    // What is asked for is in one round, whenever this runs.
    await awayFromRound(WITHIN_SECONDS);
  }, 15 * 60_000);

  it('are of a size that an operator sets, which no promise moves', async () => {
    expect(await by('ben').refused('withdraw', 'all', '--yes')).toBe('no-rounds');
    const operator = (...words: readonly string[]) => printedBy(world.settings, 'rounds', ...words);
    expect(await operator('show')).toMatch(/no size is set: .*\n +nothing is proposed: /);
    expect(await operator('set', employer.mint, '200')).toMatch(/^Parts of 200\.00 \S+ hold now\.\n$/);
    const known = async () => (await fetch(`${world.apiUrl}/api/rounds/${employer.mint}`)).json();
    const before = await known();
    expect(before).toMatchObject({ size: String(PART), nextSize: null, largest: null });
    // Little for each of many people, every hour from tomorrow on: nobody has a part by it.
    const dust = { id: 1n, firstExecution: inSeconds(86_400), executions: 1_000 };
    await world.register(await world.promise(employer, await somePayees(300, 413_597n), dust));
    expect(await known()).toEqual(before);
    expect(await operator('show')).toMatch(/parts of 200\.00 \S+ since .* UTC\n +nothing is proposed: /);
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

  it('tell whoever wants one wallet what everybody sees then, and go to fixed wallets in turn', async () => {
    const wallets = await Promise.all([freshWallet(), freshWallet(), freshWallet()] as const);
    const [one] = wallets;
    const said = async (...to: readonly Address[]) => {
      const words = to.flatMap((wallet) => ['--to', wallet]);
      const { err } = await payoutHere(
        { PAYOUT_API: world.apiUrl, NO_COLOR: '1' },
        ...['withdraw', 'all', '--dry-run', ...words, '--keypair', file('ben.json')],
      );
      return err.replaceAll(/\s+/g, ' ');
    };
    const together = await said(one);
    expect(together).toMatch(
      /Everybody sees that one person gets 1,200\.00 \S+ in this round: 6 parts go to one wallet\./,
    );
    expect(together).toMatch(/take the same on the first of each month and leave the rest inside: 1,000\.00 \S+\./);
    expect(together).toContain('Whoever knows your pay finds one wallet that gets all of it');
    const apart = await by('ben').json<Planned>(
      'withdraw',
      '600',
      '--dry-run',
      ...wallets.flatMap((each) => ['--to', each]),
    );
    expect(apart.withdrawals.map(({ wallet }) => wallet)).toEqual(wallets);
    const twoEach = await said(...wallets);
    expect(twoEach).toMatch(/one person gets 400\.00 \S+ in this round: 2 parts go to one wallet\./);
    for (const wallet of wallets) expect(twoEach).toContain(`to ${wallet}`);
    expect(await by('ben').refused('withdraw', '150', '--now', '--yes', '--to', one, '--to', wallets[1])).toBe(
      'wrong-usage',
    );
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

  it('take nothing along that has another size, which would cost nothing', async () => {
    const [balance] = (await client('ben').balances()).balances;
    const terms = { size: 1n, wallets: [await freshWallet()] };
    await client('ben').withdrawInRound(balance as RecipientBalance, terms);
    // So long that there was a release instant, in the round that is open still.
    await rounds(world, 'withdrawal', 50);
    expect(await underWay('ben')).toMatchObject([{ amount: 1n, number: null, inRound: true }]);
    await world.checkMoneyRules(employer);
  });

  it('are begun out of the next pay by themselves where they stand ready, each for the wallet that was chosen for it', async () => {
    // Those that are begun have the clock of the layer, in whose round nobody is.
    await world.stopCoordinator();
    await turn(inSeconds(0));
    await world.startCoordinator(settings());
    const { wallets } = await by('cleo').json<{ readonly wallets: readonly Address[] }>('order', 'rounds', '--yes');
    expect(new Set(wallets).size).toBe(MOST_PARTS);
    expect(await by('cleo').refused('order', 'rounds', '--yes')).toBe('parts-standing');
    const standing = async () => (await client('cleo').balances()).balances.flatMap((each) => each.standing);
    expect((await standing()).map(({ wallet }) => wallet)).toEqual(wallets);
    // Less than a part is there.
    expect(await underWay('cleo')).toEqual([]);
    const { signer, mint, list } = employer;
    await deposit(world.ledgers, signer, mint, list.total);
    const terms = {
      id: 2n,
      calendar: everySeconds(HOUR),
      firstExecution: inSeconds(0),
      executions: 1,
      batchTimeout: 60,
    };
    const schedule = await createSchedule(world.ledgers, signer, mint, list, terms);
    await world.registerAndSettle({ ...employer, schedule });
    const begun = await until(async () => {
      const all = await underWay('cleo');
      return all.length === PARTS.cleo && all;
    }, 'the parts to be begun');
    expect(begun.map(({ wallet }) => wallet)).toEqual(wallets.slice(0, PARTS.cleo));
    for (const each of begun) expect(each).toMatchObject({ amount: PART, number: null, inRound: true });
    expect(await by('cleo').done('balance')).toMatch(/ 9 parts of 200\.00 \S+ stand ready for your next pay$/m);
    await world.checkMoneyRules(employer);
    await by('cleo').done('order', 'end', '--yes');
    expect(await standing()).toEqual([]);
    expect(await underWay('cleo')).toHaveLength(PARTS.cleo);
    await world.checkMoneyRules(employer);
  });
});
