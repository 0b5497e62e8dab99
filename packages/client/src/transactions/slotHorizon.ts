import type { Time } from '../time.ts';

/** Methods that take `minContextSlot`, by the place of their configuration among the parameters. */
const CONFIG_AT: Readonly<Record<string, number>> = {
  getAccountInfo: 1,
  getBalance: 1,
  getMultipleAccounts: 1,
  getProgramAccounts: 1,
  sendTransaction: 1,
  simulateTransaction: 1,
  getLatestBlockhash: 0,
  getEpochInfo: 0,
};
/** Milliseconds after which a slot is no longer insisted on: a node that is further behind says so itself. */
const INSISTED_MS = 30_000;

type Level = 'confirmed' | 'finalized';
type Config = { readonly commitment?: unknown; readonly preflightCommitment?: unknown };
type Status = { readonly slot?: unknown; readonly confirmationStatus?: unknown };
type Shown = { readonly slot: number; readonly at: number };

/** The latest slots that a ledger has shown, and when, unix milliseconds: for another program that goes on with the same ledger. */
export type ShownSlots = { readonly [level in Level]?: number | undefined } & { readonly at: number };

/** What a commitment is called; the ledger's default is `finalized`. Nothing is remembered of what is only processed. */
function levelOf({ commitment, preflightCommitment }: Config): Level | undefined {
  const named = commitment ?? preflightCommitment ?? 'finalized';
  return named === 'confirmed' || named === 'finalized' ? named : undefined;
}

/**
 * A call to nodes of which some may be behind what had been shown when it was asked. It stays the same however often it is made: nodes reach
 * that slot in a moment, where they would never reach the newest one that others are shown meanwhile.
 */
export type Question = {
  readonly params: readonly unknown[];
  /**
   * Whether an answer says only that a node is behind: that it has not seen a signature yet, by an older state of the ledger. These statuses
   * alone can't be asked for by a slot.
   */
  readonly isBehind: (answer: unknown) => boolean;
};

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Whether statuses lack a signature by a state of the ledger that is older than a slot. */
function isUnseenBefore(slot: number, answer: unknown): boolean {
  if (!isObject(answer)) return false;
  const { context, value } = answer as { context?: Status; value?: readonly unknown[] };
  return value?.includes(null) === true && Number(context?.slot) < slot;
}

/**
 * How far a ledger has shown itself to be, by any of its nodes. Who has been shown that a transaction landed, or read an account, is not
 * answered from before that by a node that is behind: it is asked by `minContextSlot`, and refuses. For a base ledger alone: an
 * execution layer has one node, and may begin anew.
 */
export class SlotHorizon {
  readonly #shown: { [level in Level]?: Shown } = {};

  /** `before`: what was shown to a program before this one. */
  constructor(
    private readonly time: Pick<Time, 'monotonic' | 'now'>,
    before?: ShownSlots,
  ) {
    if (before === undefined || time.now() - before.at >= INSISTED_MS) return;
    this.#see('confirmed', before.confirmed);
    this.#see('finalized', before.finalized);
  }

  /** What is insisted on now. */
  get shown(): ShownSlots {
    return { confirmed: this.#slot('confirmed'), finalized: this.#slot('finalized'), at: this.time.now() };
  }

  /** A call, with the slot that its answer must not be older than. */
  asking(method: string, params: readonly unknown[]): Question {
    if (method === 'getSignatureStatuses') {
      const shown = this.#slot('confirmed') ?? 0;
      return { params, isBehind: (answer) => isUnseenBefore(shown, answer) };
    }
    return { params: this.#insisting(method, params), isBehind: () => false };
  }

  #insisting(method: string, params: readonly unknown[]): readonly unknown[] {
    const at = CONFIG_AT[method];
    if (at === undefined) return params;
    const config = (params[at] ?? {}) as Config;
    const level = levelOf(config);
    const minContextSlot = level && this.#slot(level);
    if (minContextSlot === undefined) return params;
    return [...params.slice(0, at), { ...config, minContextSlot }, ...params.slice(at + 1)];
  }

  /** Takes note of an answer. */
  learn(method: string, params: readonly unknown[], answer: unknown): void {
    if (!isObject(answer)) return;
    if (method === 'getSignatureStatuses') {
      for (const status of (answer.value as readonly (Status | null)[] | undefined) ?? []) {
        const level = levelOf({ commitment: status?.confirmationStatus ?? 'processed' });
        if (level !== undefined) this.#see(level, status?.slot);
      }
      return;
    }
    const at = CONFIG_AT[method];
    const level = at === undefined ? undefined : levelOf((params[at] ?? {}) as Config);
    if (level === undefined) return;
    this.#see(level, method === 'getEpochInfo' ? answer.absoluteSlot : (answer.context as Status | undefined)?.slot);
  }

  #see(level: Level, slot: unknown): void {
    const seen = Number(slot);
    const levels: readonly Level[] = level === 'finalized' ? ['confirmed', 'finalized'] : ['confirmed'];
    for (const each of Number.isSafeInteger(seen) ? levels : []) {
      if (seen >= (this.#slot(each) ?? 0)) this.#shown[each] = { slot: seen, at: this.time.monotonic() };
    }
  }

  #slot(level: Level): number | undefined {
    const shown = this.#shown[level];
    return shown !== undefined && this.time.monotonic() - shown.at < INSISTED_MS ? shown.slot : undefined;
  }
}
