import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type OwnedBalance, readOrCreateKey, requestParts, walletTokens } from '@payouts/cli';
import {
  buildRelayedTransfer,
  findTokenAddress,
  type Ledgers,
  type RelayTerms,
  ROUND_SECONDS,
  roundBefore,
  TOKEN_PROGRAM_ADDRESS,
} from '@payouts/client';
import { clockAheadAsIn } from '@payouts/testing/clockAhead';
import { awayFromRound } from '@payouts/testing/rounds';
import { inSeconds, until, type World } from '@payouts/testing/world';
import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import type { Taken, Truth } from '../truth.ts';
import type { Payer } from './employers.ts';
import type { Host } from './host.ts';
import { type Person, shuffled } from './people.ts';
import type { Visitor } from './visitor.ts';

/** A part, whole tokens and base units: nobody takes as much out in another way. */
const [PART, SIZE] = ['200', 200_000_000n];
const DECIMALS = 6;
/** The place in each list of somebody whose parts stand ready, and where there is one of somebody who asks for parts; how many each. */
const [STANDING, ASKING] = [
  { place: 5, parts: 6 },
  { place: 6, parts: 3 },
] as const;
/** Fresh wallets of each that are emptied. */
const EMPTIED = 2;
/** Milliseconds within which the parts of a round arrive, and the relay knows of them. */
const [ARRIVED_MS, RELAYED_MS] = [90_000, 20_000];
/** From the first parts to the last ones. */
const STORY_SECONDS = 300;

/** Somebody who takes parts of what a list pays them out in the round, and their fresh wallets. */
type Member = { readonly payer: Payer; readonly person: Person; readonly wallets: readonly KeyPairSigner[] };

/** Ways into the world that the story has. */
type Ways = {
  readonly world: World;
  lineOf(person: Person): Promise<Ledgers>;
  balanceOf(schedule: Address, recipient: Address): Promise<OwnedBalance>;
};

/** Parts that stand ready or are asked for, the round in which all leave, and what goes on from fresh wallets through the relay. */
export class InRounds {
  readonly taken: Taken[] = [];
  readonly spent: Truth['spent'][number][] = [];
  readonly #members: Member[] = [];
  /** With their lists as they are at first. */
  #payers: readonly Payer[] = [];

  constructor(private readonly ways: Ways) {}

  /** What the coordinator is started with: a clock that can be turned, and the relay's key. */
  async settings(): Promise<Readonly<Record<string, string>>> {
    const { world } = this.ways;
    const relay = join(world.folder, 'relay.json');
    await world.fund((await readOrCreateKey(relay)).address);
    await this.#turn(0);
    // A world without salts has options of its own.
    const { NODE_OPTIONS = '' } = process.env;
    return { NODE_OPTIONS: `${NODE_OPTIONS} ${clockAheadAsIn(this.#clock)}`, RELAY_KEY: relay };
  }

  /** Sets the size of the parts of everybody's tokens, as an operator does. Nobody takes part before. */
  async begin(host: Host, payers: readonly Payer[]): Promise<void> {
    this.#payers = payers;
    for (const mint of new Set(payers.map((payer) => payer.mint))) await host.operate('rounds', 'set', mint, PART);
  }

  /** Some have parts stand ready, which their pay covers in time. The round in which all leave is not before the story has come to it. */
  async stand(): Promise<void> {
    if (this.#payers.length > 0) await awayFromRound(STORY_SECONDS);
    await this.#join(STANDING);
  }

  /** Some ask for parts of what they have. */
  ask(): Promise<void> {
    return this.#join(ASKING);
  }

  /** Whether somebody takes what a list pays them out in rounds. */
  isFor({ schedule }: Payer, person: Person): boolean {
    const payer = this.#payers.find((one) => one.schedule === schedule);
    return [STANDING, ASKING].some(({ place }) => payer?.people[place] === person);
  }

  /** The round: all parts leave together. */
  async leave(): Promise<void> {
    const round = roundBefore(inSeconds(0)) + ROUND_SECONDS;
    await this.#turn(Number(round + 1n) * 1_000 - Date.now());
    const { ledgers } = this.ways.world;
    for (const { payer, wallets } of this.#members) {
      for (const { address } of wallets) {
        const isThere = async () => (await walletTokens(ledgers, address, payer.mint)) === SIZE || undefined;
        await until(isThere, 'a part to arrive', ARRIVED_MS);
      }
    }
  }

  /** Some fresh wallets are emptied, each by itself, from the line of whoever has it; nobody signs who that is. */
  async spend(visitor: Visitor): Promise<void> {
    if (this.#members.length === 0) return;
    const { body } = await visitor.look('/api/deployment');
    const { relay } = JSON.parse(body) as { readonly relay: RelayTerms };
    const terms = { ...relay, computeUnitPrice: BigInt(relay.computeUnitPrice) };
    const emptied = this.#members.flatMap(({ payer, person, wallets }) =>
      wallets.slice(0, EMPTIED).map((wallet) => ({ payer, person, wallet })),
    );
    for (const { payer, person, wallet } of shuffled(emptied)) {
      const { base } = await this.ways.lineOf(person);
      const { value } = await base.getLatestBlockhash({ commitment: 'confirmed' }).send();
      const transfer = await buildRelayedTransfer({
        ...{ wallet, terms, amount: SIZE, holds: SIZE, blockhash: value.blockhash },
        token: { mint: payer.mint, decimals: DECIMALS, program: TOKEN_PROGRAM_ADDRESS },
        destination: await findTokenAddress(payer.shop, payer.mint, TOKEN_PROGRAM_ADDRESS),
      });
      const isSent = async () => (await visitor.relay(transfer, person.peer)) || undefined;
      await until(isSent, 'the relay to pay for a transfer', RELAYED_MS);
      this.spent.push({ wallet: wallet.address, peer: person.peer });
    }
  }

  async #join({ place, parts }: typeof STANDING | typeof ASKING): Promise<void> {
    for (const payer of shuffled(this.#payers.filter(({ people }) => people[place] !== undefined))) {
      const person = payer.people[place] as Person;
      const wallets = await Promise.all(Array.from({ length: parts }, () => generateKeyPairSigner()));
      const { signer, peer } = person;
      const { schedule } = payer;
      const balance = await this.ways.balanceOf(schedule, signer.address);
      const asked = { size: SIZE, wallets: wallets.map(({ address }) => address), stands: place === STANDING.place };
      await requestParts(await this.ways.lineOf(person), { recipient: signer, balance, ...asked });
      this.#members.push({ payer, person, wallets });
      for (const wallet of asked.wallets) {
        const terms = { amount: String(SIZE), isCareless: false, inRound: true };
        this.taken.push({ recipient: signer.address, schedule, wallet, peer, ...terms });
      }
    }
  }

  get #clock(): string {
    return join(this.ways.world.folder, 'ahead');
  }

  /** Turns the coordinator's clock ahead by milliseconds; the ledgers' go on. */
  #turn(ahead: number): Promise<void> {
    return writeFile(this.#clock, String(ahead));
  }
}
