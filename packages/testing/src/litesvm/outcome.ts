import { getPayoutEventDecoder, type PayoutEvent, programError } from '@payouts/client';
import { type TransactionErrorJson, toTransactionErrorJson } from '@payouts/localnet';
import type { Address } from '@solana/kit';
import { FailedTransactionMetadata, type TransactionMetadata } from 'litesvm/dist/internal.js';
import type { Wire } from './message.ts';
import { LEDGER_PROGRAM } from './programs.ts';

const eventDecoder = getPayoutEventDecoder();

/** What a program was called with. */
export interface Called {
  readonly accounts: readonly Address[];
  readonly data: Uint8Array;
}

/** What a transaction came to. */
export class Outcome {
  constructor(
    private readonly result: TransactionMetadata | FailedTransactionMetadata,
    private readonly wire: Wire,
    /** Why a ledger took back what the machine had done. */
    private readonly takenBack?: string,
  ) {}

  /** The same, after the ledger took everything back. */
  undone(reason: string): Outcome {
    return new Outcome(this.result, this.wire, reason);
  }

  get succeeded(): boolean {
    return this.takenBack === undefined && !(this.result instanceof FailedTransactionMetadata);
  }

  /** The program's own name of its error, else the runtime's; undefined: it succeeded. */
  get failure(): string | undefined {
    if (this.takenBack !== undefined) return this.takenBack;
    if (!(this.result instanceof FailedTransactionMetadata)) return undefined;
    const said = /err: (.*), meta: TransactionMetadata/s.exec(this.result.toString())?.[1] ?? 'unknown';
    const [, inner = said] = /^InstructionError\(\d+, (.*)\)$/.exec(said) ?? [];
    const code = /^Custom\((\d+)\)$/.exec(inner)?.[1];
    return code === undefined ? inner : (programError(Number(code))?.name ?? `Custom ${code}`);
  }

  /** The error as RPC answers it; null for success. */
  get err(): TransactionErrorJson | null {
    if (this.takenBack !== undefined) return { InstructionError: [0, this.takenBack] };
    return this.result instanceof FailedTransactionMetadata ? toTransactionErrorJson(this.result) : null;
  }

  /** Accounts that the transaction might write. */
  get writable(): readonly Address[] {
    return this.wire.writable;
  }

  get logs(): string[] {
    return this.#meta.logs();
  }

  /** Compute units that the ledger program took, with what it called but without what called it. */
  get computeUnits(): number {
    const line = this.logs.findLast((each) => each.startsWith(`Program ${LEDGER_PROGRAM} consumed `));
    return Number(line?.split(' ')[3] ?? 0);
  }

  /** Compute units that all calls of a program took. */
  unitsOf(program: Address): number {
    const consumed = this.logs.filter((each) => each.startsWith(`Program ${program} consumed `));
    return consumed.reduce((sum, line) => sum + Number(line.split(' ')[3]), 0);
  }

  /** The ledger program's events, in order. */
  get events(): PayoutEvent[] {
    const events: PayoutEvent[] = [];
    for (const line of this.logs) {
      const data = /^Program data: (\S+)$/.exec(line)?.[1];
      if (data !== undefined) events.push(eventDecoder.decode(Buffer.from(data, 'base64')));
    }
    return events;
  }

  /** What the last program that returned something has returned; empty: none did. */
  get returned(): Uint8Array {
    return this.#meta.returnData().data();
  }

  /** Every instruction of a program that programs called, in order. */
  callsOf(program: Address): Called[] {
    const { keys } = this.wire;
    const place = keys.indexOf(program);
    return this.#meta
      .innerInstructions()
      .flat()
      .map((inner) => inner.instruction())
      .filter((instruction) => instruction.programIdIndex() === place)
      .map((instruction) => ({
        accounts: Array.from(instruction.accounts(), (at) => keys[at] as Address),
        data: instruction.data(),
      }));
  }

  get #meta(): TransactionMetadata {
    return this.result instanceof FailedTransactionMetadata ? this.result.meta() : this.result;
  }
}
