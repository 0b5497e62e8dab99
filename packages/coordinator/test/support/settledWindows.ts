import { randomBytes } from 'node:crypto';
import { getPayoutEventEncoder, getSettleInstructionDataEncoder, type PayoutEventArgs } from '@payouts/client';
import { type Address, getBase58Decoder, type Signature } from '@solana/kit';
import type { LandedTransaction, LedgerHistory } from '../../src/ledger/history.ts';

/** Unix milliseconds of the first transaction; each further one is a second later. */
export const FIRST_AT = 1_800_000_000_000;

/** A base ledger's history in memory: transactions of schedules, as the program logs them. */
export class MadeHistory implements LedgerHistory {
  readonly #sent: { signature: Signature; schedule: Address; transaction: LandedTransaction | undefined }[] = [];
  /** Questions asked so far. */
  asked = 0;

  constructor(private readonly program: Address) {}

  /** Adds a transaction that logged these events; `isCutShort`: its log is gone, its instructions are not. Returns its signature. */
  add(
    schedule: Address,
    events: readonly PayoutEventArgs[],
    { isCutShort = false, hasFailed = false } = {},
  ): Signature {
    const signature = getBase58Decoder().decode(randomBytes(64)) as Signature;
    const encoder = getPayoutEventEncoder();
    const data = events.map((event) => `Program data: ${Buffer.from(encoder.encode(event)).toString('base64')}`);
    const settles = events.flatMap((event) => (event.__kind === 'WindowSettled' ? [event] : []));
    const transaction: LandedTransaction = {
      time: FIRST_AT + this.#sent.length * 1_000,
      instructions: settles.map(({ schedule: settled, window }) => ({
        program: this.program,
        accounts: [...new Array<Address>(6).fill(this.program), settled, ...new Array<Address>(3).fill(this.program)],
        data: new Uint8Array(getSettleInstructionDataEncoder().encode({ paid: 0n, windows: [window] })),
      })),
      logs: isCutShort
        ? ['Log truncated']
        : [`Program ${this.program} invoke [1]`, ...data, `Program ${this.program} success`],
    };
    this.#sent.push({ signature, schedule, transaction: hasFailed ? undefined : transaction });
    return signature;
  }

  async signatures(address: Address, before?: Signature) {
    this.asked += 1;
    const all = this.#sent.filter(({ schedule }) => schedule === address).toReversed();
    const from = before === undefined ? 0 : all.findIndex(({ signature }) => signature === before) + 1;
    return all.slice(from, from + 1_000).map(({ signature, transaction }) => ({
      signature,
      hasFailed: transaction === undefined,
    }));
  }

  async transaction(signature: Signature) {
    this.asked += 1;
    return this.#sent.find((sent) => sent.signature === signature)?.transaction;
  }
}
