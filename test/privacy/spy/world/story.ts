import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { withdraw } from '@payouts/cli';
import { connect, type Ledgers, type LiabilityProof, systemTime } from '@payouts/client';
import { freePorts } from '@payouts/localnet';
import { readLiabilityProofs } from '@payouts/sandbox';
import { loopbackCertificate } from '@payouts/testing/certificate';
import { type Postgres, startPostgres } from '@payouts/testing/services';
import { until, World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner } from '@solana/kit';
import { type Colleague, EvidenceWriter } from '../evidence.ts';
import type { Paid, Taken, Truth } from '../truth.ts';
import { INTERVAL, type Payer, promiseAll, replaceList } from './employers.ts';
import { Host } from './host.ts';
import { CARELESS, drawPeople, employersLine, type People, type Person, random, shuffled } from './people.ts';
import { Visitor } from './visitor.ts';
import { Wires } from './wires.ts';

/** Seconds until the first windows are due, by a clock that is set forward once everything is registered. */
const LEAD = 3_600;
/** With calendars apart, seconds by which each employer is due after the one before. */
const APART = 600;
/** Seconds between two release instants, and milliseconds that a release takes. */
const BATCH = 16;
const RELEASED_WITHIN_MS = 3_000;
const PUBLIC_LOOKS_MS = 150;
/** Whole amounts that people take out, base units; none of them is anybody's salary, or several. */
const ROUND = [500_000_000n, 700_000_000n, 1_000_000_000n];
/** The longest pause between two withdrawals, milliseconds. */
const PAUSE_MS = 150;
/** The place in each list of somebody who takes all of a window in two parts, to one wallet. */
const REUSING = 4;
/** The place in the first list of somebody in whose place another comes. */
const LEAVER = 7;

type OwnEntries = {
  readonly entries: readonly { index: number; amount: string; salt: string; delivery: string; proof: string[] }[];
};

/** Parts of somebody's balance that go to one wallet, one after the other; base units. */
type Withdrawal = {
  readonly payer: Payer;
  readonly person: Person;
  readonly amounts: readonly bigint[];
  readonly isCareless: boolean;
};

/** What happens in the world that the spy looks at: `isApart`: employers are due at different times. */
export async function live(folder: string, { isApart }: { readonly isApart: boolean }): Promise<Truth> {
  const evidence = new EvidenceWriter(folder);
  const wires = new Wires(evidence);
  const [world, postgres] = await Promise.all([
    World.start({ between: (base) => wires.read(base) }),
    startPostgres(systemTime, { withClients: true }),
  ]);
  try {
    return await new Story(world, postgres, wires, evidence, isApart).tell();
  } finally {
    await world.stop();
    await postgres.remove();
    await wires.stop();
  }
}

/** Milliseconds until so many seconds after a release instant. */
const untilInstant = (seconds: number) => {
  const [every, past] = [BATCH * 1_000, Date.now() - seconds * 1_000];
  return every - (past % every);
};

class Story {
  readonly #paid: Paid[] = [];
  readonly #taken: Taken[] = [];
  readonly #readers: Truth['readers'][number][] = [];
  readonly #uploads: Truth['uploads'][number][] = [];
  readonly #own = new Map<string, Omit<Colleague, 'liabilities'>>();
  readonly #lines = new Map<string, Ledgers>();
  #payers: Payer[] = [];

  constructor(
    private readonly world: World,
    private readonly postgres: Postgres,
    private readonly wires: Wires,
    private readonly evidence: EvidenceWriter,
    private readonly isApart: boolean,
  ) {}

  async tell(): Promise<Truth> {
    const world = this.world;
    const people = await drawPeople();
    const first = Math.floor(Date.now() / 1_000) + LEAD;
    const due = people.lists.map((_, place) => BigInt(first + (this.isApart ? place * APART : 0)));
    this.#payers = await promiseAll(world, people, due);

    const { layerRpcUrl, layerWsUrl, baseRpcUrl, baseWsUrl } = world.localnet;
    const databaseUrl = await this.postgres.createDatabase();
    const port = await freePorts(1);
    const api = `http://127.0.0.1:${port}`;
    const certified = await loopbackCertificate(Date.now());
    const open = await this.wires.measure('anybody to API', api);
    const secure = await this.wires.encrypt('whoever is paid or pays to API', api, certified);
    const settings = {
      BASE_RPC_URL: await this.wires.measure('coordinator to base ledger', baseRpcUrl),
      BASE_WS_URL: await this.wires.measure('coordinator to base ledger, subscriptions', baseWsUrl),
      LAYER_RPC_URL: await this.wires.measure('coordinator to layer', layerRpcUrl),
      LAYER_WS_URL: await this.wires.measure('coordinator to layer, subscriptions', layerWsUrl),
      DATABASE_URL: databaseUrl,
      PAYLOAD_KEY: world.payloadKey,
      WITHDRAWAL_BATCH_SECONDS: String(BATCH),
      PORT: String(port),
      PUBLIC_ORIGINS: secure,
      LOG_LEVEL: 'trace',
      METRICS_PUBLIC: 'true',
    };
    await world.startCoordinator(settings);
    const host = new Host(world, this.postgres, databaseUrl);
    const environment = await host.environment();
    const visitor = new Visitor({ open, secure, cert: certified.cert }, this.evidence);
    for (const payer of this.#payers) await this.#register(visitor, payer);
    const ended = new AbortController();
    const looks = this.#lookAround(visitor, ended.signal);
    // If the story fails, so do the looks, and only why it failed is worth saying.
    looks.catch(() => {});

    await this.#pay(visitor, 0, LEAD);
    await this.#withdrawAll(this.#carelessOnes());
    await this.#readAll(visitor);
    await this.#pay(visitor, 1, INTERVAL);
    await this.#withdrawAll([...this.#reusingOnes(), ...this.#carefulOnes(3)]);
    await this.#changeLists(visitor, people);
    await this.#pay(visitor, 2, INTERVAL);
    await this.#withdrawAll(this.#carefulOnes(2));
    ended.abort();
    await looks;

    await world.stopCoordinator();
    const colleague = await this.#colleague(host.settings);
    for await (const transaction of world.localnet.admin.listTransactions()) {
      this.evidence.note('transactions', transaction);
    }
    const [dump, backup] = [host.dump(), await host.backup()];
    const forgotten = (this.#payers[0] as Payer).schedule;
    const later = await host.forget(forgotten);
    this.evidence.finish({
      log: await readFile(world.coordinatorLog),
      dump,
      backup,
      later: host.dump(),
      environment,
      candidates: { addresses: people.addresses, salaries: people.salaries.map(String) },
      colleague,
      staff: this.#paid.map(({ recipient, schedule, amount, delivery }) => ({ recipient, schedule, amount, delivery })),
      keys: {
        payload: await readFile(world.payloadKey, 'utf8'),
        later,
        employers: this.#payers.map(({ secret }) => Buffer.from(secret).toString('hex')),
        tls: certified.key,
      },
    });
    const schedules: Record<string, string[]> = {};
    for (const { mint, schedule } of this.#payers) schedules[mint] = [...(schedules[mint] ?? []), schedule];
    return {
      candidates: people.addresses.length,
      salaries: people.salaries.length,
      schedules,
      paid: this.#paid,
      taken: this.#taken,
      readers: this.#readers,
      uploads: this.#uploads,
      colleague: colleague.address,
      forgotten,
    };
  }

  /** Gives an employer's list to the service. */
  async #register(visitor: Visitor, { schedule, list }: Payer): Promise<void> {
    const peer = employersLine(this.#payers.findIndex((payer) => payer.schedule === schedule));
    this.#uploads.push({ schedule, peer });
    await visitor.register(schedule, list, peer);
  }

  /** Everybody's next window. */
  async #pay(visitor: Visitor, window: number, seconds: number): Promise<void> {
    const { admin } = this.world.localnet;
    // As usual, all are due at a round time.
    await sleep(untilInstant(0));
    await admin.advanceClock(seconds);
    for (const [place, payer] of this.#payers.entries()) {
      if (this.isApart && place > 0) await admin.advanceClock(APART);
      if (this.isApart || place === this.#payers.length - 1) {
        for (const one of this.isApart ? [payer] : this.#payers) await this.#settled(visitor, one, window);
        // What is delivered to wallets has arrived before the next is due, or anybody takes money out.
        await sleep(untilInstant(BATCH / 2));
        await sleep(untilInstant(0) + RELEASED_WITHIN_MS);
      }
      for (const { index, recipient, amount, delivery } of payer.list.recipients) {
        const { schedule, mint } = payer;
        const windows = [window];
        this.#paid.push({ schedule, mint, recipient, amount: String(amount), index, delivery, windows });
      }
    }
    if (this.isApart) await admin.advanceClock(-APART * (this.#payers.length - 1));
  }

  #settled(visitor: Visitor, { schedule }: Payer, window: number): Promise<true> {
    return until(
      async () => {
        const { body } = await visitor.look(`/api/schedules/${schedule}/executions`);
        const { executions } = JSON.parse(body) as { executions: { window: string; state: string }[] };
        return executions.some((run) => Number(run.window) === window && run.state === 'settled') || undefined;
      },
      `window ${window} to settle`,
      90_000,
      20,
    );
  }

  /** Looks at all that is public, over and over. */
  async #lookAround(visitor: Visitor, ended: AbortSignal): Promise<void> {
    const paths = this.#payers.flatMap(({ schedule }) => [
      `/api/schedules/${schedule}`,
      `/api/schedules/${schedule}/executions`,
      `/api/schedules/${schedule}/recipients/me`,
    ]);
    while (!ended.aborted) {
      for (const path of [...paths, '/api/health', '/api/metrics']) await visitor.look(path);
      await sleep(PUBLIC_LOOKS_MS);
    }
  }

  /** Somebody of each list, who takes their whole amount as soon as it is there. */
  #carelessOnes(): Withdrawal[] {
    return this.#payers.map((payer) => {
      const person = payer.people[CARELESS] as Person;
      return { payer, person, amounts: [person.payee.amount], isCareless: true };
    });
  }

  /** So many of each list, who take a round part. */
  #carefulOnes(count: number): Withdrawal[] {
    return this.#payers.flatMap((payer) =>
      shuffled(payer.people.slice(CARELESS + 1))
        .slice(0, count)
        .map((person) => ({ payer, person, amounts: [random.pick(ROUND)], isCareless: false })),
    );
  }

  /** One of each list, who takes their whole amount in two parts to one wallet. */
  #reusingOnes(): Withdrawal[] {
    return this.#payers.map((payer) => {
      const person = payer.people[REUSING] as Person;
      const half = person.payee.amount / 2n;
      return { payer, person, amounts: [half, person.payee.amount - half], isCareless: true };
    });
  }

  async #withdrawAll(asked: readonly Withdrawal[]): Promise<void> {
    for (const { payer, person, amounts, isCareless } of shuffled(asked)) {
      const { signer, peer } = person;
      const { mint, schedule } = payer;
      const balance = this.#balanceOf({ schedule, address: signer.address });
      const { address: wallet } = await generateKeyPairSigner();
      for (const wanted of amounts) {
        const has = this.#heldBy(schedule, signer.address);
        const amount = wanted < has || isCareless ? wanted : (ROUND[0] as bigint);
        if (amount > has) continue;
        this.#taken.push({ recipient: signer.address, schedule, wallet, peer, amount: String(amount), isCareless });
        await withdraw(await this.#lineOf(person), { recipient: signer, balance, mint, wallet, amount });
        await sleep(random.below(PAUSE_MS));
      }
    }
  }

  /** Somebody's own connections to the ledgers. */
  async #lineOf({ peer }: Person): Promise<Ledgers> {
    const { layerRpcUrl, baseRpcUrl } = this.world.localnet;
    const known = this.#lines.get(peer);
    if (known !== undefined) return known;
    const urls = {
      baseRpcUrl: await this.wires.measure('recipients to base ledger', baseRpcUrl, peer),
      layerRpcUrl: await this.wires.measure('recipients to layer', layerRpcUrl, peer),
    };
    const ledgers = connect(urls, systemTime);
    this.#lines.set(peer, ledgers);
    return ledgers;
  }

  /** Base units that a recipient has not taken out yet. */
  #heldBy(schedule: string, address: string): bigint {
    const of = (lines: readonly { schedule: string; recipient: string; amount: string }[]) =>
      lines
        .filter((line) => line.schedule === schedule && line.recipient === address)
        .reduce((sum, { amount }) => sum + BigInt(amount), 0n);
    return of(this.#paid) - of(this.#taken);
  }

  /** Everybody reads what is theirs. */
  async #readAll(visitor: Visitor): Promise<void> {
    for (const [payer, { payee, signer, peer }] of shuffled(
      this.#payers.flatMap((payer) => payer.people.map((person) => [payer, person] as const)),
    )) {
      const { schedule } = payer;
      this.#readers.push({ recipient: signer.address, schedule, amount: String(payee.amount), peer });
      const { body, read } = await visitor.own<OwnEntries>(signer, schedule, peer);
      const [entry] = body.entries;
      if (entry === undefined) throw new Error('a recipient has no entry');
      const { address } = signer;
      this.#own.set(`${schedule} ${address}`, {
        address,
        schedule,
        recipients: payer.list.recipients.length,
        ...entry,
        read,
      });
    }
  }

  /** Somebody comes in another's place; of another list somebody goes. */
  async #changeLists(visitor: Visitor, { joiner }: People): Promise<void> {
    const [first, second, ...others] = this.#payers as [Payer, Payer, ...Payer[]];
    const changed = [
      await replaceList(this.world, first, [...first.people.filter((_, place) => place !== LEAVER), joiner]),
      await replaceList(
        this.world,
        second,
        second.people.filter((_, place) => place !== CARELESS),
      ),
    ];
    this.#payers = [...changed, ...others];
    for (const payer of changed) await this.#register(visitor, payer);
  }

  /**
   * Somebody of a list that stays, whose neighbour in the liabilities tree holds a balance that the spy can guess once there are no salts:
   * one employer pays into it, no withdrawal of it is under way, and two at most were taken from it.
   */
  async #colleague(settings: Readonly<Record<string, string>>): Promise<Colleague> {
    const of = (lines: readonly { recipient: string; schedule: string }[], recipient: string) =>
      lines.filter((line) => line.recipient === recipient).map(({ schedule }) => schedule);
    const isGuessable = (leaf: LiabilityProof['leaf'] | undefined) =>
      leaf?.kind === 'balance' &&
      leaf.pendingNumber === 0n &&
      new Set(of(this.#paid, leaf.recipient)).size === 1 &&
      of(this.#taken, leaf.recipient).length <= 2;
    const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
    for (const payer of this.#payers.slice(2)) {
      const addresses = this.#payers.filter(({ mint }) => mint === payer.mint).flatMap(({ balances }) => balances);
      const leaves = await readLiabilityProofs(settings, [...new Set(addresses)]);
      const at = new Map(leaves.map(({ leaf }) => [leaf.index, leaf]));
      for (const { signer } of payer.people.slice(CARELESS)) {
        const own = this.#own.get(`${payer.schedule} ${signer.address}`);
        const isListed = payer.list.recipients.some(({ recipient }) => recipient === signer.address);
        const found = leaves.find(({ leaf }) => leaf.kind === 'balance' && leaf.recipient === signer.address);
        if (own === undefined || found === undefined || !isListed || !isGuessable(at.get(found.leaf.index ^ 1)))
          continue;
        const { mint, leaves: count, leaf, proof } = found;
        const liabilities = { mint, leaves: count, index: leaf.index, blind: hex(leaf.blind), proof: proof.map(hex) };
        return { ...own, liabilities };
      }
    }
    throw new Error('nobody has a neighbour in the liabilities tree whose balance can be guessed');
  }

  #balanceOf({ schedule, address }: { readonly schedule: string; readonly address: string }): Address {
    const payer = this.#payers.find((one) => one.schedule === schedule) as Payer;
    const place = payer.list.recipients.findIndex(({ recipient }) => recipient === address);
    const balance = payer.balances[place];
    if (balance === undefined) throw new Error('no balance of that recipient');
    return balance;
  }
}
