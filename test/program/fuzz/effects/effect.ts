import { addressFromBytes } from '@payouts/client';
import type { Outcome } from '@payouts/testing/litesvm/outcome';
import type { World } from '@payouts/testing/litesvm/world';
import { type AccountMeta, type Address, type Instruction, isSignerRole } from '@solana/kit';
import { type Model, rule } from '../model.ts';
import type { Call } from '../moves/move.ts';

/** An instruction that succeeded, to be applied to the model. */
export class Done {
  readonly data: DataView;
  readonly bytes: Uint8Array;
  /** What stood right before it in the same transaction. */
  readonly authorisation: Instruction | undefined;
  readonly #accounts: readonly AccountMeta[];

  constructor(
    readonly model: Model,
    readonly world: World,
    { instruction, authorisation }: Call,
    readonly outcome: Outcome,
  ) {
    this.authorisation = authorisation;
    this.bytes = Uint8Array.from(instruction.data ?? []);
    this.data = new DataView(this.bytes.buffer);
    this.#accounts = (instruction.accounts ?? []) as readonly AccountMeta[];
  }

  get now(): bigint {
    return this.world.now;
  }

  at(place: number): Address {
    const account = this.#accounts[place];
    rule(account !== undefined, `the instruction did without its account ${place}`);
    return account.address;
  }

  get accounts(): Address[] {
    return this.#accounts.map(({ address }) => address);
  }

  /** Nobody else than this address must have been able to do it. */
  signedBy(place: number, entitled: Address | undefined, role: string): void {
    const account = this.#accounts[place];
    rule(account?.address === entitled, `done by somebody who is not the ${role}`);
    // Who signs signs for every place in which the call names them.
    const hasSigned = this.#accounts.some((each) => each.address === entitled && isSignerRole(each.role));
    rule(hasSigned, `done without the signature of the ${role}`);
  }

  u8(at: number): number {
    return this.data.getUint8(at);
  }

  u16(at: number): number {
    return this.data.getUint16(at, true);
  }

  u32(at: number): number {
    return this.data.getUint32(at, true);
  }

  u64(at: number): bigint {
    return this.data.getBigUint64(at, true);
  }

  i64(at: number): bigint {
    return this.data.getBigInt64(at, true);
  }

  address(at: number): Address {
    return addressFromBytes(this.bytes.subarray(at, at + 32));
  }

  hex(at: number, size = 32): string {
    return Buffer.from(this.bytes.subarray(at, at + size)).toString('hex');
  }
}

/** Applies one instruction; checks who may do it, when, and within which bounds. */
export type Effect = (done: Done) => void;
/** By the instruction's number. */
export type Effects = Readonly<Record<number, Effect>>;
