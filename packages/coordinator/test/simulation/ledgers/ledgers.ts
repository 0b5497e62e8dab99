import {
  BALANCE_PAGE_KIND,
  CLAIM_PAYMENT_DISCRIMINATOR,
  DELEGATION_PROGRAM_ADDRESS,
  getInitConfigInstruction,
  type Lifetime,
  PERSONAL_KIND,
  PAYOUT_LEDGER_PROGRAM_ADDRESS as program,
  SCHEDULE_KIND,
  WIPED_PERSONAL_KIND,
} from '@payouts/client';
import { signer } from '@payouts/testing/litesvm/addresses';
import { CONFIG } from '@payouts/testing/litesvm/handles';
import { NotDelegated } from '@payouts/testing/litesvm/layer';
import type { State } from '@payouts/testing/litesvm/ledger';
import type { Outcome } from '@payouts/testing/litesvm/outcome';
import { programDataOf } from '@payouts/testing/litesvm/programs';
import { World as Machines, must } from '@payouts/testing/litesvm/world';
import type { Address, Instruction, Signature } from '@solana/kit';
import type {
  AccountsAtSlot,
  Commitment,
  LedgerAccount,
  MemcmpFilter,
  SendAnswer,
  SignatureStatus,
} from '../../../src/ledger/ledger.ts';
import { blockhashOf } from './blockhash.ts';
import { Chain, type Changes, type Clockwork } from './chain.ts';
import { readTransaction, type SentTransaction, signatureOf } from './message.ts';

/** How long things take between and on the ledgers, in milliseconds. */
export type Delays = {
  /** From a send to its execution on the base; undefined: it is lost on the way. */
  readonly land: () => number | undefined;
  /** The same in the execution layer. */
  readonly execute: () => number | undefined;
  /** From an opening until the layer shows the batch. */
  readonly show: () => number;
  /** From a commit until the batch is back on the base. */
  readonly giveBack: () => number;
  /** From when the layer has a batch until it lets go of it, if nobody commits it before; undefined: never. */
  readonly letGo: () => number | undefined;
  /** Until something is confirmed, and until it is final. */
  readonly confirmMs: number;
  readonly finalMs: number;
};

export type LedgersInput = {
  readonly clockwork: Clockwork;
  /** Who may open, claim and commit. */
  readonly authority: Address;
  readonly delays: Delays;
  /** Hears of every transaction that succeeds, after it; employers' have no signature. */
  readonly onEffect?: (ledger: 'base' | 'layer', changes: Changes, signature?: Signature) => void;
  /** Whether everything stands at once: then nobody asks how it was, nor hears of changes in the layer. */
  readonly isAtOnce?: boolean;
  /** For tests of the simulator: what becomes of a claim's batch and its bitmap in the layer before it. */
  readonly beforeClaim?: (account: State) => State;
};

const BASE_BLOCK_MS = 400;
const LAYER_BLOCK_MS = 50;
/** A minute on either ledger. */
const BASE_GOOD_FOR = 150n;
const LAYER_GOOD_FOR = 1_200n;
/** Kinds of accounts that are looked for by what they hold. */
const SEARCHED = [SCHEDULE_KIND, BALANCE_PAGE_KIND, PERSONAL_KIND, WIPED_PERSONAL_KIND];
const LAMPORTS = 10n ** 15n;
const LIMITS = {
  ...{ maxRecipients: 80_384, minInterval: 1, minBatchTimeout: 1, maxBatchTimeout: 86_400, maxClaims: 250 },
  ...{ windowFee: 0, recipientFee: 0, openingFee: 0 },
};
/** Seconds. */
const LOSS_GRACE = 86_400;
/** Places of the batch and of its bitmap among a claim's accounts. */
const [BATCH, BITMAP] = [2, 3];

/**
 * A base ledger and an execution layer in memory that run the real ledger program, with the delegation between them. Time is the
 * caller's. What can go wrong between them and the service is not their matter.
 */
export class Ledgers {
  readonly base: Chain;
  readonly layer: Chain;
  readonly machines = new Machines();
  /** Bytes that lie between a send and their execution. */
  readonly #underWay = new Set<Signature>();
  /** Batches that the layer has closed and that are not back. */
  readonly #returning = new Set<Address>();
  /** What was first shown as processed on a fork that did not last. */
  readonly #forked = new Map<Signature, number>();
  /** What finality can't pass for a while; unix milliseconds. */
  #finalUpTo = Number.POSITIVE_INFINITY;
  #isLayerDown = false;

  constructor(private readonly input: LedgersInput) {
    const { clockwork, authority, isAtOnce = false } = input;
    const { base, layer, upgradeAuthority, governance, guardian, validator } = this.machines;
    this.base = new Chain({
      ...{ name: 'base', clockwork, ledger: base, blockMs: BASE_BLOCK_MS, blockhashGoodFor: BASE_GOOD_FOR },
      ...{ hasPast: !isAtOnce, isWatched: true },
      execute: (transaction) => base.sendWire(transaction),
    });
    this.layer = new Chain({
      ...{ name: 'layer', clockwork, ledger: layer.ledger, blockMs: LAYER_BLOCK_MS, blockhashGoodFor: LAYER_GOOD_FOR },
      ...{ hasPast: !isAtOnce, isWatched: !isAtOnce },
      execute: (transaction) => this.#executeOnLayer(transaction),
    });
    base.fund(authority, LAMPORTS);
    const config = getInitConfigInstruction({
      upgradeAuthority: signer(upgradeAuthority),
      config: CONFIG,
      programData: programDataOf(program),
      ...{ governance: governance, guardian, executionAuthority: authority, validator },
      ...{ limits: LIMITS, flags: 0, lossGrace: LOSS_GRACE },
    });
    must(base.send(config));
  }

  /** What people do on the base ledger, at once. */
  act(...instructions: readonly Instruction[]): Outcome {
    const { outcome, changes } = this.base.perform(() => this.machines.base.send(...instructions));
    if (outcome.succeeded) this.input.onEffect?.('base', changes);
    return outcome;
  }

  /** The layer takes a delegated account over that the base has. */
  show(account: Address): void {
    this.machines.layer.account(account);
    this.layer.keep([account]);
  }

  /** The moment that a commitment shows, seen by a node that is so many milliseconds behind. */
  momentOf(commitment: Commitment, lagMs = 0): number {
    const { clockwork, delays } = this.input;
    const now = clockwork.now - lagMs;
    return commitment === 'confirmed' ? now - delays.confirmMs : Math.min(now - delays.finalMs, this.#finalUpTo);
  }

  /** Nothing more becomes final, until told otherwise. */
  holdFinality(isHeld: boolean): void {
    this.#finalUpTo = isHeld ? this.momentOf('finalized') : Number.POSITIVE_INFINITY;
  }

  /** The layer's process goes away, or comes back: without what lay on its way there, or the ends of former transactions. */
  setLayerDown(isDown: boolean): void {
    this.#isLayerDown = isDown;
    if (!isDown) this.layer.forgetExecuted();
  }

  /** A transaction is seen as processed on a fork for so many milliseconds, and is not executed because of that. */
  showOnFork(wire: string, forMs: number): void {
    this.#forked.set(signatureOf(wire), this.input.clockwork.now + forMs);
  }

  accounts(
    chain: Chain,
    addresses: readonly Address[],
    { commitment = 'confirmed', lagMs = 0 }: { readonly commitment?: Commitment; readonly lagMs?: number } = {},
  ): AccountsAtSlot {
    const at = chain === this.base ? this.momentOf(commitment, lagMs) : this.input.clockwork.now - lagMs;
    return { slot: chain.heightAt(at), accounts: addresses.map((address) => chain.show(address, at)) };
  }

  programAccounts(chain: Chain, holding: readonly MemcmpFilter[], lagMs = 0): readonly LedgerAccount[] {
    const at = chain === this.base ? this.momentOf('confirmed', lagMs) : this.input.clockwork.now - lagMs;
    const holds = ({ data }: LedgerAccount) =>
      holding.every((held) => held.bytes.every((byte, place) => data[held.at + place] === byte));
    // One that was wiped was of two kinds.
    return [...new Set(SEARCHED.flatMap((kind) => [...chain.ofKind(kind)]))]
      .map((address) => chain.show(address, at))
      .filter((account): account is LedgerAccount => account !== null && holds(account));
  }

  lifetime(chain: Chain, lagMs = 0): Lifetime {
    const height = this.blockHeight(chain, lagMs);
    return { blockhash: blockhashOf(height), lastValidBlockHeight: height + chain.blockhashGoodFor };
  }

  blockHeight(chain: Chain, lagMs = 0): bigint {
    return chain.heightAt(chain === this.base ? this.momentOf('confirmed', lagMs) : this.input.clockwork.now - lagMs);
  }

  status(chain: Chain, signature: Signature, lagMs = 0): SignatureStatus | null {
    const executed = chain.executed(signature);
    const now = this.input.clockwork.now - lagMs;
    if (executed === undefined || executed.at > now) {
      return (this.#forked.get(signature) ?? 0) > now ? { err: null, commitment: 'processed' } : null;
    }
    const { at, err } = executed;
    if (chain === this.layer || at <= this.momentOf('finalized', lagMs)) return { err, commitment: 'finalized' };
    return { err, commitment: at <= this.momentOf('confirmed', lagMs) ? 'confirmed' : 'processed' };
  }

  /** Takes bytes; the base asks itself first what they would come to, as a node of it sees it. */
  send(chain: Chain, wire: string, lagMs = 0): SendAnswer {
    const transaction = readTransaction(wire);
    const { signature } = transaction;
    if (this.status(chain, signature, lagMs) !== null) return { kind: 'duplicate' };
    if (chain === this.base && this.input.isAtOnce) return this.#sendAtOnce(transaction);
    if (chain === this.base) {
      const err = chain.simulate(transaction, this.momentOf('confirmed', lagMs));
      if (err !== null) return { kind: 'refused', err, logs: [] };
    }
    this.#carry(chain, transaction);
    return { kind: 'taken' };
  }

  /** Takes what succeeds: a simulation would be of the accounts on which it is executed in the same moment. */
  #sendAtOnce(transaction: SentTransaction): SendAnswer {
    const { err, changes } = this.base.executeIfGood(transaction);
    if (err !== null) return { kind: 'refused', err, logs: [] };
    this.#onSuccess(this.base, transaction, changes);
    return { kind: 'taken' };
  }

  #carry(chain: Chain, transaction: SentTransaction): void {
    const { clockwork, delays } = this.input;
    const { signature } = transaction;
    if (this.#underWay.has(signature)) return;
    const delay = chain === this.base ? delays.land() : delays.execute();
    if (delay === undefined) return;
    this.#underWay.add(signature);
    clockwork.after(delay, () => {
      this.#underWay.delete(signature);
      if (chain === this.layer && this.#isLayerDown) return;
      const changes = chain.isTimely(transaction, clockwork.now) ? chain.execute(transaction) : undefined;
      if (changes !== undefined) this.#onSuccess(chain, transaction, changes);
    });
  }

  #onSuccess(chain: Chain, { signature }: SentTransaction, changes: Changes): void {
    this.input.onEffect?.(chain.name, changes, signature);
    if (chain === this.layer) return;
    for (const [address, { before, after }] of changes) {
      if (before?.owner === program && after?.owner === DELEGATION_PROGRAM_ADDRESS) this.#lend(address);
    }
  }

  #executeOnLayer({ instructions }: SentTransaction): Outcome | undefined {
    const { layer } = this.machines;
    const claim = instructions.find(({ data }) => data[0] === CLAIM_PAYMENT_DISCRIMINATOR);
    for (const place of [BATCH, BITMAP]) {
      const account = claim && layer.account(claim.accounts?.[place]?.address as Address);
      const { beforeClaim } = this.input;
      if (account && layer.keeps(account.address) && beforeClaim) layer.place(beforeClaim(account));
    }
    try {
      const { outcome, scheduled } = layer.send(...instructions);
      for (const account of scheduled.returns) this.#giveBack(account);
      return outcome;
    } catch (error) {
      if (error instanceof NotDelegated) return undefined;
      throw error;
    }
  }

  #lend(batch: Address): void {
    const { clockwork, delays } = this.input;
    clockwork.after(delays.show(), () => {
      if (this.#isLayerDown) return this.#lend(batch);
      this.show(batch);
      const letGo = delays.letGo();
      if (letGo !== undefined) clockwork.after(letGo, () => this.#letGo(batch));
    });
  }

  /** An open batch goes back to the base, which nobody has asked for. */
  #letGo(batch: Address): void {
    if (this.#isLayerDown || this.#returning.has(batch) || !this.machines.layer.keeps(batch)) return;
    must(this.base.perform(() => this.machines.bringBack(batch)).outcome);
  }

  /** A closed batch goes back to the base; the layer keeps its copy. */
  #giveBack(batch: Address): void {
    const { clockwork, delays } = this.input;
    this.#returning.add(batch);
    clockwork.after(delays.giveBack(), () => {
      if (this.#isLayerDown) return this.#giveBack(batch);
      this.#returning.delete(batch);
      must(this.base.perform(() => this.machines.bringBack(batch)).outcome);
    });
  }
}
