import type { Address } from '@solana/kit';
import type { WebSocket } from 'ws';
import type { AccountState } from './account.ts';
import { isObject, type Json, stringifyJson } from './json.ts';
import type { LedgerListener, LocalLedger } from './ledger.ts';
import type { TransactionRecord } from './records.ts';
import { type AccountFilter, accountFilter } from './rpc/accountFilters.ts';
import { withContext } from './rpc/context.ts';
import { failure } from './rpc/dispatch.ts';
import { type AccountFormat, accountFormat, encodeAccount } from './rpc/encodeAccount.ts';
import { addressParam, integerParam, optionsParam, type Params, stringParam, toAddressParam } from './rpc/params.ts';
import { invalidParams, RPC_CODE, RpcError } from './rpc/rpcError.ts';

/** A client that reads so slowly that more than this waits for it is cut off; bytes. */
const MAX_BACKLOG_BYTES = 64 << 20;

type Topic =
  | { readonly kind: 'account'; readonly address: Address; readonly format: AccountFormat }
  | {
      readonly kind: 'program';
      readonly program: Address;
      readonly format: AccountFormat;
      readonly passes: AccountFilter;
    }
  | { readonly kind: 'signature'; readonly signature: string }
  | { readonly kind: 'logs'; readonly mentions: Address | null }
  | { readonly kind: 'slot' }
  | { readonly kind: 'root' };

interface Subscription {
  readonly id: number;
  readonly socket: WebSocket;
  readonly topic: Topic;
}

const TOPICS: Readonly<Record<string, (params: Params) => Topic>> = {
  accountSubscribe: (params) => ({
    kind: 'account',
    address: addressParam(params, 0),
    format: accountFormat(optionsParam(params, 1)),
  }),
  programSubscribe: (params) => {
    const options = optionsParam(params, 1);
    return {
      kind: 'program',
      program: addressParam(params, 0),
      format: accountFormat(options),
      passes: accountFilter(options.filters),
    };
  },
  signatureSubscribe: (params) => ({ kind: 'signature', signature: stringParam(params, 0) }),
  logsSubscribe: (params) => ({ kind: 'logs', mentions: mentionsOf(params[0]) }),
  slotSubscribe: () => ({ kind: 'slot' }),
  rootSubscribe: () => ({ kind: 'root' }),
};

const UNSUBSCRIBE = /^(account|program|signature|logs|slot|root)Unsubscribe$/;

/** Solana's PubSub: tells websocket clients what changes on the ledger. */
export class PubSub implements LedgerListener {
  /** By what they wait for, so that a change touches only those it concerns. */
  readonly #byKey = new Map<string, Map<number, Subscription>>();
  readonly #bySocket = new Map<WebSocket, Map<number, Subscription>>();
  #lastId = 0;

  constructor(private readonly ledger: LocalLedger) {
    ledger.subscribe(this);
  }

  /** Serves one client until it goes. */
  serve(socket: WebSocket): void {
    this.#bySocket.set(socket, new Map());
    socket.on('message', (message) => this.#receive(socket, String(message)));
    socket.on('pong', (id) => this.#tellLanded(socket, Number(id)));
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      for (const subscription of this.#bySocket.get(socket)?.values() ?? []) this.#drop(subscription);
      this.#bySocket.delete(socket);
    });
  }

  onSlot(slot: number, parent: number): void {
    for (const subscription of this.#waiting('slot')) {
      this.#notify(subscription, { parent, root: slot, slot });
    }
    for (const subscription of this.#waiting('root')) this.#notify(subscription, slot);
  }

  onAccount(account: AccountState): void {
    for (const subscription of this.#waiting(`account:${account.address}`)) {
      if (subscription.topic.kind !== 'account') continue;
      this.#notifyValue(subscription, this.#encode(account, subscription.topic.format));
    }
    for (const subscription of this.#waiting(`program:${account.owner}`)) {
      if (subscription.topic.kind !== 'program' || !subscription.topic.passes(account)) continue;
      const encoded = this.#encode(account, subscription.topic.format);
      this.#notifyValue(subscription, { pubkey: account.address, account: encoded });
    }
  }

  onTransaction(record: TransactionRecord): void {
    const err = record.err as Json;
    for (const subscription of this.#waiting(`signature:${record.signature}`)) this.#confirm(subscription, err);
    if (!this.#byKey.has('logs')) return;
    const mentioned = new Set(record.accountKeys);
    for (const subscription of this.#waiting('logs')) {
      if (subscription.topic.kind !== 'logs') continue;
      const { mentions } = subscription.topic;
      if (mentions !== null && !mentioned.has(mentions)) continue;
      this.#notifyValue(subscription, { signature: record.signature, err, logs: record.logMessages });
    }
  }

  #receive(socket: WebSocket, text: string): void {
    let request: unknown;
    try {
      request = JSON.parse(text);
    } catch {
      socket.send(stringifyJson(failure(null, new RpcError(RPC_CODE.parseError, 'Parse error'))));
      return;
    }
    if (!isObject(request) || typeof request.method !== 'string') {
      socket.send(stringifyJson(failure(null, new RpcError(RPC_CODE.invalidRequest, 'Invalid request'))));
      return;
    }
    // Without an id it is a notification, such as a client's ping, and gets no answer.
    const { id } = request;
    if (typeof id !== 'string' && typeof id !== 'number') return;
    try {
      const params = Array.isArray(request.params) ? request.params : [];
      this.#call(socket, id, request.method, params);
    } catch (error) {
      socket.send(stringifyJson(failure(id, error)));
    }
  }

  #call(socket: WebSocket, id: string | number, method: string, params: Params): void {
    if (UNSUBSCRIBE.test(method)) {
      const subscription = this.#bySocket.get(socket)?.get(integerParam(params, 0));
      if (subscription === undefined) throw invalidParams('Invalid subscription id.');
      this.#drop(subscription);
      socket.send(stringifyJson({ jsonrpc: '2.0', result: true, id }));
      return;
    }
    const topicOf = TOPICS[method];
    if (topicOf === undefined) throw new RpcError(RPC_CODE.methodNotFound, 'Method not found');
    const subscription: Subscription = { id: ++this.#lastId, socket, topic: topicOf(params) };
    const key = keyOf(subscription.topic);
    const waiting = this.#byKey.get(key) ?? new Map<number, Subscription>();
    this.#byKey.set(key, waiting.set(subscription.id, subscription));
    this.#bySocket.get(socket)?.set(subscription.id, subscription);
    socket.send(stringifyJson({ jsonrpc: '2.0', result: subscription.id, id }));

    // A transaction that landed before anybody waited for it is told too, but not before the client has read the subscription's id:
    // it listens for an id once it has, and would miss what comes in one breath with it. Its pong says so.
    const { topic } = subscription;
    if (topic.kind === 'signature' && this.ledger.history.get(topic.signature) !== undefined) {
      socket.ping(String(subscription.id));
    }
  }

  /** The client has read the id of a subscription to a transaction that had landed before. */
  #tellLanded(socket: WebSocket, id: number): void {
    const subscription = this.#bySocket.get(socket)?.get(id);
    if (subscription?.topic.kind !== 'signature') return;
    const landed = this.ledger.history.get(subscription.topic.signature);
    if (landed !== undefined) this.#confirm(subscription, landed.err);
  }

  #waiting(key: string): Subscription[] {
    return [...(this.#byKey.get(key)?.values() ?? [])];
  }

  #drop(subscription: Subscription): void {
    const key = keyOf(subscription.topic);
    const waiting = this.#byKey.get(key);
    waiting?.delete(subscription.id);
    if (waiting?.size === 0) this.#byKey.delete(key);
    this.#bySocket.get(subscription.socket)?.delete(subscription.id);
  }

  /** A signature is told once; its subscription ends with that. */
  #confirm(subscription: Subscription, err: Json): void {
    if (this.#bySocket.get(subscription.socket)?.has(subscription.id) !== true) return;
    this.#notifyValue(subscription, { err });
    this.#drop(subscription);
  }

  #encode(account: AccountState, format: AccountFormat): Json {
    return encodeAccount(this.ledger, account, format);
  }

  #notifyValue(subscription: Subscription, value: Json): void {
    this.#notify(subscription, withContext(this.ledger, value));
  }

  #notify({ id, socket, topic }: Subscription, result: Json): void {
    if (socket.bufferedAmount > MAX_BACKLOG_BYTES) {
      socket.terminate();
      return;
    }
    const method = `${topic.kind}Notification`;
    socket.send(stringifyJson({ jsonrpc: '2.0', method, params: { result, subscription: id } }));
  }
}

function keyOf(topic: Topic): string {
  switch (topic.kind) {
    case 'account':
      return `account:${topic.address}`;
    case 'program':
      return `program:${topic.program}`;
    case 'signature':
      return `signature:${topic.signature}`;
    default:
      return topic.kind;
  }
}

/** logsSubscribe's filter: everything, or transactions that name one address. */
function mentionsOf(filter: unknown): Address | null {
  if (filter === 'all' || filter === 'allWithVotes') return null;
  const mentions = isObject(filter) ? filter.mentions : undefined;
  if (!Array.isArray(mentions) || mentions.length !== 1) throw invalidParams('mentions must be a list of one address');
  return toAddressParam(mentions[0]);
}
