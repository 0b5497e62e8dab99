import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { balancePages, requestTransfer, slotsOf, withdraw } from '@payouts/cli';
import {
  addressFromBytes,
  type BalancePlace,
  connect,
  connectPrivately,
  type Ledgers,
  type LiabilityProof,
  ownerOfPaymentCode,
  ownerRecord,
  type PrivateBalance,
  type Recipient,
  systemTime,
} from '@payouts/client';
import { freePorts } from '@payouts/localnet';
import { readLiabilityProofs } from '@payouts/sandbox';
import { alwaysOpen } from '@payouts/testing/alwaysOpen';
import { loopbackCertificate } from '@payouts/testing/certificate';
import { type Postgres, startPostgres } from '@payouts/testing/services';
import { type Gateway, gatewayOf, PERMISSION_PROGRAM } from '@payouts/testing/tee/gateway';
import { until, World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { type Colleague, EvidenceWriter } from '../evidence.ts';
import type { Paid, PaidInside, Taken, Truth } from '../truth.ts';
import { INTERVAL, type Payer, promiseAll, replaceList } from './employers.ts';
import { Host } from './host.ts';
import { InRounds } from './inRounds.ts';
import { CARELESS, drawPeople, employersLine, type People, type Person, random, shuffled } from './people.ts';
import { Stranger, type Victim } from './stranger.ts';
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
/** Balances that a stranger asks the layer for. */
const VICTIMS = 6;
/** The place in the first list of somebody in whose place another comes. */
const LEAVER = 7;

/** Who pays whose payment code: each by employer and place, all in one token. */
const INSIDE = [
  [[0, 5], [1, 5], 120_300_000n],
  [[1, 5], [0, 5], 45_060_000n],
  [[0, 6], [1, 5], 78_900_000n],
] as const;

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

/** Whether employers are due at different times, and whether the layer shows everybody everything. */
type Terms = { readonly isApart: boolean; readonly isOpen: boolean };

/** What happens in the world that the spy looks at. */
export async function live(folder: string, terms: Terms): Promise<Truth> {
  const evidence = new EvidenceWriter(folder);
  const wires = new Wires(evidence);
  const [world, postgres] = await Promise.all([
    World.start({
      between: (base) => wires.read(base),
      programs: [PERMISSION_PROGRAM],
      program: alwaysOpen,
    }),
    startPostgres(systemTime, { withClients: true }),
  ]);
  try {
    return await new Story(world, postgres, wires, evidence, terms).tell();
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

/** Whether an employer pays somebody in the same token as another one. */
const paysBeside = (one: Payer, { mint }: Payer, address: Address): boolean =>
  one.mint === mint && one.people.some(({ signer }) => signer.address === address);

class Story {
  readonly #paid: Paid[] = [];
  readonly #taken: Taken[] = [];
  readonly #inside: PaidInside[] = [];
  /** By their owners: whose the payment codes are. */
  readonly #codes = new Map<Address, Truth['codes'][number]>();
  readonly #readers: Truth['readers'][number][] = [];
  readonly #uploads: Truth['uploads'][number][] = [];
  readonly #own = new Map<string, Omit<Colleague, 'liabilities'>>();
  readonly #lines = new Map<string, Ledgers>();
  /** Entries of all lists that were paid, with whose list it was: by schedule and recipient. */
  readonly #entries = new Map<string, Recipient & { readonly schedule: Address; readonly mint: Address }>();
  readonly #inRounds: InRounds;
  #gateway: Gateway | undefined;
  #payers: Payer[] = [];

  constructor(
    private readonly world: World,
    private readonly postgres: Postgres,
    private readonly wires: Wires,
    private readonly evidence: EvidenceWriter,
    private readonly terms: Terms,
  ) {
    this.#inRounds = new InRounds({
      world,
      lineOf: (person) => this.#lineOf(person),
      balanceOf: (schedule, recipient) => this.#balanceOf(schedule, recipient),
    });
  }

  async tell(): Promise<Truth> {
    const world = this.world;
    const people = await drawPeople();
    const first = Math.floor(Date.now() / 1_000) + LEAD;
    const due = people.lists.map((_, place) => BigInt(first + (this.terms.isApart ? place * APART : 0)));
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
      ...(await this.#inRounds.settings()),
    };
    await world.startCoordinator(settings);
    const host = new Host(world, this.postgres, databaseUrl);
    const environment = await host.environment();
    // Without salts some balances are of two employers' lists, and can't be told apart here.
    if (!this.terms.isOpen) await this.#inRounds.begin(host, this.#payers);
    const visitor = new Visitor({ open, secure, cert: certified.cert }, this.evidence);
    for (const payer of this.#payers) await this.#register(visitor, payer);
    const ended = new AbortController();
    // The layer's own permissions say who sees what.
    if (!this.terms.isOpen) this.#gateway = await gatewayOf(world);
    if (this.#gateway !== undefined) this.#gateway.obeysPermissions = true;
    const key = await generateKeyPairSigner();
    const stranger = new Stranger(this.#layerFor(key, this.#layerUrl), key, this.evidence);
    const looks = this.#lookAround(visitor, stranger, ended.signal);
    // If the story fails, so do the looks, and only why it failed is worth saying.
    looks.catch(() => {});

    await this.#pay(visitor, 0, LEAD);
    await this.#payInside(visitor);
    await this.#inRounds.stand();
    await this.#withdrawAll(this.#carelessOnes());
    await this.#readAll(visitor);
    await this.#pay(visitor, 1, INTERVAL);
    await this.#withdrawAll([...this.#reusingOnes(), ...this.#carefulOnes(3)]);
    await this.#changeLists(visitor, people);
    await this.#pay(visitor, 2, INTERVAL);
    await this.#withdrawAll(this.#carefulOnes(2));
    await this.#inRounds.ask();
    await this.#inRounds.leave();
    this.#taken.push(...this.#inRounds.taken);
    await this.#inRounds.spend(visitor);
    ended.abort();
    await looks;
    const held = await this.#held();
    const places = this.#placesIn(held);
    await stranger.lookAt([...new Set([...places.values()].map(({ page }) => page))]);
    const batches = await Promise.all(this.#payers.map((payer) => world.batch(payer)));
    await stranger.askForHistory([...batches, ...new Set([...places.values()].map(({ page }) => page))]);
    await stranger.askForBalances(this.#victims(places), world.authority.address);

    await world.stopCoordinator();
    const colleague = await this.#colleague(host.settings);
    for await (const transaction of world.localnet.admin.listTransactions()) {
      this.evidence.note('transactions', transaction);
    }
    const [dump, backup] = [host.dump(), await host.backup()];
    const forgotten = (this.#payers[0] as Payer).schedule;
    const later = await host.forget(forgotten);
    const codes = [...this.#codes.values()].map(({ code }) => code);
    this.evidence.finish({
      log: await readFile(world.coordinatorLog),
      dump,
      backup,
      later: host.dump(),
      environment,
      candidates: { addresses: people.addresses, salaries: people.salaries.map(String), codes: shuffled(codes) },
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
      inside: this.#inside,
      codes: [...this.#codes.values()],
      spent: this.#inRounds.spent,
      readers: this.#readers,
      uploads: this.#uploads,
      places: [
        ...[...this.#entries].flatMap(([key, { recipient, schedule, mint }]) => {
          const place = places.get(key);
          return place === undefined ? [] : [{ recipient, schedule, mint, page: place.page, slot: place.slot }];
        }),
        ...[...this.#codes].flatMap(([owner, { recipient, mint }]) => {
          const place = held.get(`${mint} ${owner}`);
          return place === undefined ? [] : [{ recipient, schedule: '', mint, page: place.page, slot: place.slot }];
        }),
      ],
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
      if (this.terms.isApart && place > 0) await admin.advanceClock(APART);
      if (this.terms.isApart || place === this.#payers.length - 1) {
        for (const one of this.terms.isApart ? [payer] : this.#payers) await this.#settled(visitor, one, window);
        // What is delivered to wallets has arrived before the next is due, or anybody takes money out.
        await sleep(untilInstant(BATCH / 2));
        await sleep(untilInstant(0) + RELEASED_WITHIN_MS);
      }
      for (const entry of payer.list.recipients) {
        const { index, recipient, amount, delivery } = entry;
        const { schedule, mint } = payer;
        this.#entries.set(`${schedule} ${recipient}`, { ...entry, schedule, mint });
        const windows = [window];
        this.#paid.push({ schedule, mint, recipient, amount: String(amount), index, delivery, windows });
      }
    }
    if (this.terms.isApart) await admin.advanceClock(-APART * (this.#payers.length - 1));
  }

  #settled(visitor: Visitor, { schedule }: Payer, window: number): Promise<true> {
    return until(
      async () => {
        const { status, body } = await visitor.look(`/api/schedules/${schedule}/executions`);
        // By design where the database stands still for some seconds.
        if (status === 503) return undefined;
        const { executions } = JSON.parse(body) as { executions: { window: string; state: string }[] };
        return executions.some((run) => Number(run.window) === window && run.state === 'settled') || undefined;
      },
      `window ${window} to settle`,
      90_000,
      20,
    );
  }

  /** Looks at all that is public, and as a stranger at the layer, over and over. */
  async #lookAround(visitor: Visitor, stranger: Stranger, ended: AbortSignal): Promise<void> {
    const paths = this.#payers.flatMap(({ schedule }) => [
      `/api/schedules/${schedule}`,
      `/api/schedules/${schedule}/executions`,
      `/api/schedules/${schedule}/recipients/me`,
    ]);
    paths.push(...new Set(this.#payers.map(({ mint }) => `/api/rounds/${mint}`)));
    while (!ended.aborted) {
      for (const path of [...paths, '/api/health', '/api/metrics']) await visitor.look(path);
      await stranger.look();
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
      shuffled(payer.people.slice(CARELESS + 1).filter((person) => !this.#inRounds.isFor(payer, person)))
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

  /** Some pay the payment codes of others, which these have published. */
  async #payInside(visitor: Visitor): Promise<void> {
    // Without salts some balances are of two employers' lists, and can't be told apart here.
    if (this.terms.isOpen) return;
    const personAt = ([employer, place]: readonly [number, number]) => {
      const payer = this.#payers[employer] as Payer;
      return { payer, person: payer.people[place] as Person };
    };
    for (const [from, to, amount] of INSIDE) {
      const { payer, person } = personAt(from);
      const { signer: payee, peer } = personAt(to).person;
      const code = await visitor.code(payee, payer.mint, peer);
      const owner = addressFromBytes(ownerOfPaymentCode(code));
      this.#codes.set(owner, { recipient: payee.address, mint: payer.mint, code });
      const { schedule, mint } = payer;
      const balance = await this.#balanceOf(schedule, person.signer.address);
      const terms = { recipient: person.signer, balance, amount, paymentCode: code };
      await requestTransfer(await this.#lineOf(person), terms);
      this.#inside.push({ recipient: person.signer.address, schedule, mint, code, amount: String(amount) });
      const paid = this.#inside.filter((one) => one.code === code).reduce((sum, one) => sum + BigInt(one.amount), 0n);
      const isMade = async () => (await this.#held()).get(`${mint} ${owner}`)?.amount === paid || undefined;
      await until(isMade, 'a private transfer to be made');
    }
  }

  async #withdrawAll(asked: readonly Withdrawal[]): Promise<void> {
    for (const { payer, person, amounts, isCareless } of shuffled(asked)) {
      const { signer, peer } = person;
      const { schedule } = payer;
      // Without salts whoever two employers pay has two balances of one owner, which are asked for by one account.
      if (this.terms.isOpen && this.#payers.filter((one) => paysBeside(one, payer, signer.address)).length > 1)
        continue;
      const balance = await this.#balanceOf(schedule, signer.address);
      const { address: wallet } = await generateKeyPairSigner();
      for (const wanted of amounts) {
        const has = this.#heldBy(schedule, signer.address);
        const amount = wanted < has || isCareless ? wanted : (ROUND[0] as bigint);
        if (amount > has) continue;
        this.#taken.push({
          recipient: signer.address,
          schedule,
          wallet,
          peer,
          amount: String(amount),
          isCareless,
          inRound: false,
        });
        await withdraw(await this.#lineOf(person), { recipient: signer, balance, wallet, amount });
        await sleep(random.below(PAUSE_MS));
      }
    }
  }

  /** Somebody's own connections to the ledgers. */
  async #lineOf({ signer, peer }: Person): Promise<Ledgers> {
    const { baseRpcUrl } = this.world.localnet;
    const known = this.#lines.get(peer);
    if (known !== undefined) return known;
    const urls = {
      baseRpcUrl: await this.wires.measure('recipients to base ledger', baseRpcUrl, peer),
      layerRpcUrl: await this.wires.measure('recipients to layer', this.#layerUrl, peer),
    };
    const ledgers = this.terms.isOpen ? connect(urls, systemTime) : connectPrivately(urls, signer, systemTime);
    this.#lines.set(peer, ledgers);
    return ledgers;
  }

  /** Base units that a recipient has not taken out yet. */
  #heldBy(schedule: string, address: string): bigint {
    const of = (lines: readonly { schedule: string; recipient: string; amount: string }[]) =>
      lines
        .filter((line) => line.schedule === schedule && line.recipient === address)
        .reduce((sum, { amount }) => sum + BigInt(amount), 0n);
    return of(this.#paid) - of(this.#taken) - of(this.#inside);
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

  /** Somebody of a list that stays, with all that they have of their own. */
  async #colleague(settings: Readonly<Record<string, string>>): Promise<Colleague> {
    const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
    const isBalance = ({ leaf }: LiabilityProof) => leaf.kind === 'balance' && leaf.number === 0n;
    for (const payer of this.#payers.slice(2)) {
      for (const { signer } of payer.people.slice(CARELESS)) {
        const own = this.#own.get(`${payer.schedule} ${signer.address}`);
        const at = payer.list.recipients.findIndex(({ recipient }) => recipient === signer.address);
        if (own === undefined || at < 0) continue;
        const found = (await readLiabilityProofs(settings, [payer.balances[at] as Address])).find(isBalance);
        if (found === undefined) continue;
        const { mint, leaves, leaf, proof } = found;
        const liabilities = { mint, leaves, index: leaf.index, blind: hex(leaf.blind), proof: proof.map(hex) };
        return { ...own, liabilities };
      }
    }
    throw new Error('nobody has a leaf in the liabilities tree');
  }

  get #layerUrl(): string {
    return this.#gateway?.url ?? this.world.localnet.layerRpcUrl;
  }

  /** A connection to the layer at an address, signed in where it lets nobody in otherwise. */
  #layerFor(guest: KeyPairSigner, layerRpcUrl: string): Ledgers {
    const urls = { ...this.world.localnet, layerRpcUrl };
    return this.terms.isOpen ? connect(urls, systemTime) : connectPrivately(urls, guest, systemTime);
  }

  /** Where every balance is and what it holds, by token and owner: as nobody but the authority sees it. */
  async #held(): Promise<Map<string, BalancePlace & { readonly amount: bigint }>> {
    const held = new Map<string, BalancePlace & { readonly amount: bigint }>();
    for (const mint of new Set(this.#payers.map((payer) => payer.mint))) {
      for (const { address: page, bytes } of await balancePages(this.world.ledgers, mint)) {
        for (const { slot, owner, amount } of slotsOf(bytes)) held.set(`${mint} ${owner}`, { page, slot, amount });
      }
    }
    return held;
  }

  /** The same of those whom lists pay, by schedule and recipient. */
  #placesIn(
    held: ReadonlyMap<string, BalancePlace & { readonly amount: bigint }>,
  ): Map<string, BalancePlace & { readonly amount: bigint }> {
    return new Map(
      [...this.#entries].flatMap(([key, entry]) => {
        const found = held.get(`${entry.mint} ${addressFromBytes(ownerRecord(entry).owner)}`);
        return found === undefined ? [] : [[key, found] as const];
      }),
    );
  }

  async #balanceOf(schedule: Address, recipient: Address) {
    const entry = this.#entries.get(`${schedule} ${recipient}`);
    const place = this.#placesIn(await this.#held()).get(`${schedule} ${recipient}`);
    if (entry === undefined || place === undefined) throw new Error('no balance of that recipient');
    const { page, slot } = place;
    return { ...entry, told: { page, slot, isPrivate: !this.terms.isOpen } };
  }

  /** Some whose money is in private balances. */
  #victims(places: ReadonlyMap<string, BalancePlace & { readonly amount: bigint }>): Victim[] {
    const found = this.#payers.flatMap((payer) =>
      payer.people.flatMap(({ signer }): Victim[] => {
        const key = `${payer.schedule} ${signer.address}`;
        const [entry, place] = [this.#entries.get(key), places.get(key)];
        if (entry === undefined || place === undefined || entry.delivery === 'wallet') return [];
        const { amount, ...at } = place;
        const balance: PrivateBalance = { ...entry, ...at };
        return [{ signer, balance, amount }];
      }),
    );
    return shuffled(found).slice(0, VICTIMS);
  }
}
