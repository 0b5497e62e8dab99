import { type Batch, BatchPhase, DELEGATION_PROGRAM_ADDRESS, type Lifetime } from '@payouts/client';
import type { Address, Base64EncodedWireTransaction, Signature } from '@solana/kit';
import type {
  AccountsAtSlot,
  BaseLedger,
  Commitment,
  ExecutionLayer,
  LedgerAccount,
  MemcmpFilter,
  SendAnswer,
  SignatureStatus,
} from '../../../src/ledger/ledger.ts';
import { contentOf, type Kind } from './accounts.ts';
import { blockhashOf } from './blockhash.ts';
import { Chain, type Clockwork, type Deployed, type Effect } from './chain.ts';
import { readTransaction, type SentTransaction } from './message.ts';

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
  /** Until something is confirmed, and until it is final. */
  readonly confirmMs: number;
  readonly finalMs: number;
};

export type FakeLedgersInput = {
  readonly clockwork: Clockwork;
  readonly deployed: Deployed;
  readonly delays: Delays;
  /** Hears of every transaction that succeeds, after its effect. */
  readonly onEffect?: (ledger: 'base' | 'layer', effect: Effect) => void;
};

const BASE_BLOCK_MS = 400;
const LAYER_BLOCK_MS = 50;
/** A minute on either ledger. */
const BASE_GOOD_FOR = 150n;
const LAYER_GOOD_FOR = 1_200n;
/** Accounts that are looked for by what they hold, by the kind that stands in their first byte. */
const KINDS: readonly Kind[] = ['schedule', 'balance'];

/**
 * A base ledger and an execution layer in memory, with the ledger program's rules: openings, claims, commits, batches that go back,
 * settlements and recordings. Time is the caller's. What can go wrong between them and the service is not their matter.
 */
export class FakeLedgers {
  readonly base: Chain;
  readonly layer: Chain;
  readonly #input: FakeLedgersInput;
  /** Bytes that lie between a send and their execution. */
  readonly #underWay = new Set<Signature>();
  /** What was first shown as processed on a fork that did not last. */
  readonly #forked = new Map<Signature, number>();
  /** What finality can't pass for a while; unix milliseconds. */
  #finalUpTo = Number.POSITIVE_INFINITY;
  #isLayerDown = false;

  constructor(input: FakeLedgersInput) {
    const { clockwork, deployed } = input;
    this.#input = input;
    const chain = { clockwork, deployed };
    this.base = new Chain({ ...chain, name: 'base', blockMs: BASE_BLOCK_MS, blockhashGoodFor: BASE_GOOD_FOR });
    this.layer = new Chain({ ...chain, name: 'layer', blockMs: LAYER_BLOCK_MS, blockhashGoodFor: LAYER_GOOD_FOR });
  }

  /** The moment that a commitment shows, seen by a node that is so many milliseconds behind. */
  momentOf(commitment: Commitment, lagMs = 0): number {
    const { clockwork, delays } = this.#input;
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
    this.#forked.set(readTransaction(wire).signature, this.#input.clockwork.now + forMs);
  }

  accounts(
    chain: Chain,
    addresses: readonly Address[],
    { commitment = 'confirmed', lagMs = 0 }: { readonly commitment?: Commitment; readonly lagMs?: number } = {},
  ): AccountsAtSlot {
    const at = chain === this.base ? this.momentOf(commitment, lagMs) : this.#input.clockwork.now - lagMs;
    return { slot: chain.heightAt(at), accounts: addresses.map((address) => chain.show(address, at)) };
  }

  programAccounts(chain: Chain, holding: readonly MemcmpFilter[], lagMs = 0): readonly LedgerAccount[] {
    const at = chain === this.base ? this.momentOf('confirmed', lagMs) : this.#input.clockwork.now - lagMs;
    const holds = ({ data }: LedgerAccount) =>
      holding.every((held) => held.bytes.every((byte, place) => data[held.at + place] === byte));
    return KINDS.flatMap((kind) => [...chain.accounts.ofKind(kind)])
      .map((address) => chain.show(address, at))
      .filter((account): account is LedgerAccount => account !== null && holds(account));
  }

  lifetime(chain: Chain, lagMs = 0): Lifetime {
    const height = this.blockHeight(chain, lagMs);
    return { blockhash: blockhashOf(height), lastValidBlockHeight: height + chain.blockhashGoodFor };
  }

  blockHeight(chain: Chain, lagMs = 0): bigint {
    return chain.heightAt(chain === this.base ? this.momentOf('confirmed', lagMs) : this.#input.clockwork.now - lagMs);
  }

  status(chain: Chain, signature: Signature, lagMs = 0): SignatureStatus | null {
    const executed = chain.executed(signature);
    const now = this.#input.clockwork.now - lagMs;
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
    if (chain === this.base) {
      const err = chain.simulate(transaction, this.momentOf('confirmed', lagMs));
      if (err !== null) return { kind: 'refused', err, logs: [] };
    }
    this.#carry(chain, transaction);
    return { kind: 'taken' };
  }

  /** Both ledgers as the service sees them, answering at once. */
  ports(): { readonly base: BaseLedger; readonly layer: ExecutionLayer } {
    const port = (chain: Chain) => ({
      accounts: async (addresses: readonly Address[], commitment?: Commitment) =>
        this.accounts(chain, addresses, commitment === undefined ? {} : { commitment }),
      programAccounts: async (_: Address, holding: readonly MemcmpFilter[]) => this.programAccounts(chain, holding),
      lifetime: async () => this.lifetime(chain),
      blockHeight: async () => this.blockHeight(chain),
      send: async (wire: Base64EncodedWireTransaction) => this.send(chain, wire),
      statuses: async (signatures: readonly Signature[]) =>
        signatures.map((signature) => this.status(chain, signature)),
    });
    return { base: { name: 'base', ...port(this.base) }, layer: { name: 'layer', ...port(this.layer) } };
  }

  #carry(chain: Chain, transaction: SentTransaction): void {
    const { clockwork, delays } = this.#input;
    const { signature } = transaction;
    if (this.#underWay.has(signature)) return;
    const delay = chain === this.base ? delays.land() : delays.execute();
    if (delay === undefined) return;
    this.#underWay.add(signature);
    clockwork.after(delay, () => {
      this.#underWay.delete(signature);
      if (chain === this.layer && this.#isLayerDown) return;
      if (chain.isTimely(transaction, clockwork.now)) this.#execute(chain, transaction);
    });
  }

  #execute(chain: Chain, transaction: SentTransaction): void {
    const effect = chain.execute(transaction);
    if (effect === undefined) return;
    this.#input.onEffect?.(chain.name, effect);
    for (const [address, account] of effect.changes) {
      const batch = contentOf(account, 'batch');
      if (batch === undefined) continue;
      if (chain === this.base && account.owner === DELEGATION_PROGRAM_ADDRESS) this.#lend(address, batch);
      if (chain === this.layer && batch.phase === BatchPhase.Closed) this.#giveBack(address);
    }
  }

  /** The layer takes a delegated batch over. */
  #lend(address: Address, batch: Batch): void {
    const { clockwork, delays, deployed } = this.#input;
    clockwork.after(delays.show(), () => {
      if (this.#isLayerDown) return this.#lend(address, batch);
      const { lamports = 0n } = this.base.accounts.get(address) ?? {};
      const account = { owner: deployed.program, lamports, content: { kind: 'batch', value: batch } } as const;
      this.layer.accounts.put(address, account, clockwork.now);
    });
  }

  /** A closed batch goes back to the base; the layer keeps its copy. */
  #giveBack(address: Address): void {
    const { clockwork, delays } = this.#input;
    clockwork.after(delays.giveBack(), () => {
      if (this.#isLayerDown) return this.#giveBack(address);
      const closed = this.layer.accounts.get(address);
      if (closed !== undefined) this.base.accounts.put(address, closed, clockwork.now);
    });
  }
}
