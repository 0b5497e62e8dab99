import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { RecipientClient, systemTime } from '@payouts/client';
import type { Random } from '@payouts/testing/random';
import { freshWallet } from '@payouts/testing/wallets';
import type { KeyPairSigner } from '@solana/kit';
import { endingOf } from './api.ts';
import { Employers } from './employers.ts';
import { Reader } from './reader.ts';
import type { Recorder } from './record.ts';
import type { Company, Stage } from './stage.ts';

/** Milliseconds between two calls of a client. */
const THINKS = { least: 100, most: 700 };

/** Everybody who uses the system, each one call at a time, until they are told to stop. */
export class Clients {
  readonly employers: Employers;
  readonly reader: Reader;
  readonly #over = new AbortController();
  readonly #working: Promise<void>[];

  constructor(
    stage: Stage,
    private readonly recorder: Recorder,
    private readonly random: Random,
  ) {
    setMaxListeners(0, this.#over.signal);
    this.employers = new Employers(stage, recorder, random, this.#over.signal);
    this.reader = new Reader(stage, recorder, random);
    this.#working = stage.companies.flatMap((company, place) => [
      this.#work(() => this.employers.employ(company, `employer ${place}`)),
      ...company.recipients.map((key, line) =>
        this.#work(() => this.#take(company, key, `recipient ${place}.${line}`)),
      ),
      this.#work(() => this.#look(company, `reader ${place}`)),
    ]);
  }

  async stop(): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#working);
  }

  async #work(act: () => Promise<unknown>): Promise<void> {
    while (!this.#over.signal.aborted) {
      await act();
      await sleep(this.random.between(THINKS.least, THINKS.most), undefined, { signal: this.#over.signal }).catch(
        () => {},
      );
    }
  }

  async #take(company: Company, key: KeyPairSigner, process: string): Promise<unknown> {
    const act = this.random.weighted<() => Promise<unknown>>([
      [3, () => this.#withdraw(company, key, process)],
      [2, () => this.reader.balances(key, process)],
      [2, () => this.reader.history(key, process)],
      [
        2,
        async () => {
          const own = this.employers.latest(company);
          if (own.length > 0) await this.reader.receipts(this.random.pick(own), key, process);
        },
      ],
    ]);
    return act();
  }

  async #withdraw({ mint }: Company, key: KeyPairSigner, process: string): Promise<void> {
    const own = (await this.reader.balances(key, process))?.find((each) => each.mint === mint && each.amount > 0);
    if (own === undefined || this.#over.signal.aborted) return;
    const wallet = await freshWallet();
    const amount = this.random.chance(0.3) ? own.amount : this.random.between(1, own.amount);
    const client = new RecipientClient({ apiUrl: this.reader.anyUrl, signer: key, time: systemTime });
    const withdraw = async () => {
      await client.withdraw({ address: own.address, mint }, { amount: BigInt(amount), wallet });
      return null;
    };
    const asked = { recipient: key.address, mint, amount, wallet };
    await this.recorder.operation(process, 'withdraw', asked, withdraw, endingOf);
  }

  /** Reads what is public. */
  async #look(company: Company, process: string): Promise<void> {
    const own = this.employers.latest(company);
    if (own.length === 0) return;
    const schedule = this.random.pick(own);
    await this.reader.schedule(schedule, process);
    const runs = await this.reader.runs(schedule, process);
    // Whoever is told that something is settled looks whether it is final.
    if (runs?.some(({ state }) => state === 'settled')) await this.reader.final(schedule, process);
  }
}
