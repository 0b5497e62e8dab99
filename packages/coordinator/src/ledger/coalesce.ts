import type { Lifetime, Time } from '@payouts/client';
import { nextTurn } from '@payouts/client';
import type { Address, Signature } from '@solana/kit';
import type { LedgerMethod } from '../platform/metrics/ledgers.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { AccountsAtSlot, Commitment, Ledger, SignatureStatus } from './ledger.ts';

/** What a ledger answers at once. */
const MOST_ADDRESSES = 100;
const MOST_SIGNATURES = 256;
/** Milliseconds that a request waits for more callers while another of its kind is under way; else it waits for the turn's end. */
const JOIN_MS = 2;
/** Milliseconds for which an answer that does no harm when it is a little old serves others too: less than a slot or a few. */
const LIFETIME_MS = { base: 500, layer: 250 } as const;
const HEIGHT_MS = 200;

/** A request that has not been sent yet, and the place of everything asked for in it. */
type Open<Key, Answer> = {
  readonly places: Map<Key, number>;
  readonly answer: Promise<Answer>;
  readonly send: () => void;
};

type MergingInput<Key, Answer> = {
  readonly most: number;
  readonly ask: (keys: readonly Key[]) => Promise<Answer>;
  /** The part of an answer at these places. */
  readonly pick: (answer: Answer, places: readonly number[]) => Answer;
  readonly onJoined: () => void;
  readonly time: Time;
};

function sizeWith<Key>(places: ReadonlyMap<Key, number>, keys: readonly Key[]): number {
  return places.size + new Set(keys.filter((key) => !places.has(key))).size;
}

/**
 * Puts calls made at about the same time into one request. A call never joins a request that has been sent, so what it is
 * answered was read after it was made; and all it asks for is in one request, so that it is of one moment.
 */
class Merging<Key, Answer> {
  #open: Open<Key, Answer> | undefined;
  #underWay = 0;

  constructor(private readonly input: MergingInput<Key, Answer>) {}

  /** Throws what the request throws that it becomes part of. */
  async call(keys: readonly Key[]): Promise<Answer> {
    const { most, pick, onJoined } = this.input;
    const found = this.#open;
    const fits = found !== undefined && sizeWith(found.places, keys) <= most;
    if (fits) onJoined();
    else found?.send();
    const request = fits ? found : this.#begin();
    const places = keys.map((key) => {
      const place = request.places.get(key) ?? request.places.size;
      request.places.set(key, place);
      return place;
    });
    if (request.places.size >= most) request.send();
    return pick(await request.answer, places);
  }

  #begin(): Open<Key, Answer> {
    const places = new Map<Key, number>();
    let leave = (): void => {};
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const request = {
      places,
      answer: left.then(() => this.#ask([...places.keys()])),
      send: () => {
        if (this.#open === request) this.#open = undefined;
        leave();
      },
    };
    this.#open = request;
    if (this.#underWay > 0) this.input.time.after(JOIN_MS, request.send);
    else void nextTurn().then(request.send);
    return request;
  }

  async #ask(keys: readonly Key[]): Promise<Answer> {
    this.#underWay += 1;
    try {
      return await this.input.ask(keys);
    } finally {
      this.#underWay -= 1;
    }
  }
}

/** An answer for everybody who asks within so many milliseconds of its question; a failure is only for those who wait for it. */
function shared<T>(
  milliseconds: number,
  { ask, onJoined, time }: Pick<MergingInput<never, T>, 'onJoined' | 'time'> & { readonly ask: () => Promise<T> },
): () => Promise<T> {
  let last: { readonly askedAt: number; readonly answer: Promise<T> } | undefined;
  return () => {
    const now = time.monotonic();
    if (last !== undefined && now - last.askedAt < milliseconds) {
      onJoined();
      return last.answer;
    }
    const asked = { askedAt: now, answer: ask() };
    last = asked;
    asked.answer.catch(() => {
      if (last === asked) last = undefined;
    });
    return asked.answer;
  };
}

/**
 * The same ledger, asked less often: reads that many runs make at about the same time become one request. Accounts and statuses are
 * never older than the call that asks for them; a lifetime or a block height may be, by a moment.
 */
export function coalesced<Name extends Ledger['name']>(
  ledger: Ledger & { readonly name: Name },
  { time, metrics }: { readonly time: Time; readonly metrics?: Metrics },
): Ledger & { readonly name: Name } {
  const { name } = ledger;
  const joined = (method: LedgerMethod) => () => metrics?.ledgerCallsJoined.inc({ ledger: name, method });
  const reading = (commitment: Commitment) =>
    new Merging<Address, AccountsAtSlot>({
      most: MOST_ADDRESSES,
      ask: (addresses) => ledger.accounts(addresses, commitment),
      pick: ({ slot, accounts }, places) => ({ slot, accounts: places.map((place) => accounts[place] ?? null) }),
      onJoined: joined('getMultipleAccounts'),
      time,
    });
  const readings = { confirmed: reading('confirmed'), finalized: reading('finalized') };
  const statuses = new Merging<Signature, readonly (SignatureStatus | null)[]>({
    most: MOST_SIGNATURES,
    ask: (signatures) => ledger.statuses(signatures),
    pick: (answer, places) => places.map((place) => answer[place] ?? null),
    onJoined: joined('getSignatureStatuses'),
    time,
  });
  const lifetime = shared<Lifetime>(LIFETIME_MS[name], {
    ask: () => ledger.lifetime(),
    onJoined: joined('getLatestBlockhash'),
    time,
  });
  const blockHeight = shared<bigint>(HEIGHT_MS, {
    ask: () => ledger.blockHeight(),
    onJoined: joined('getBlockHeight'),
    time,
  });
  return {
    name,
    accounts: (addresses, commitment = 'confirmed') => readings[commitment].call(addresses),
    statuses: (signatures) => statuses.call(signatures),
    lifetime,
    blockHeight,
    programAccounts: (program, holding) => ledger.programAccounts(program, holding),
    send: (wire) => ledger.send(wire),
  };
}
