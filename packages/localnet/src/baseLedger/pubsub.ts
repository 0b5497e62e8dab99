import type { Time } from '@payouts/client';
import type { Address } from '@solana/kit';
import type { WebSocket } from 'ws';
import type { AccountState } from './account.ts';
import type { Cluster } from './cluster.ts';
import { isObject, type Json, stringifyJson } from './json.ts';
import type { LedgerListener, LocalLedger } from './ledger.ts';
import type { TransactionRecord } from './records.ts';
import { type AccountFilter, accountFilter } from './rpc/accountFilters.ts';
import { isFinalized, withContext } from './rpc/context.ts';
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

/** A client's websocket. */
interface Connection {
  readonly socket: WebSocket;
  readonly isPublic: boolean;
  /** How far the node that serves it is behind the ledger, milliseconds. */
  readonly behindMs: number;
  /** Milliseconds of `Time.monotonic`. */
  readonly since: number;
  readonly subscriptions: Map<number, Subscription>;
}

interface Subscription {
  readonly id: number;
  readonly connection: Connection;
  readonly topic: Topic;
  readonly isFinalized: boolean;
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
  readonly #connections = new Set<Connection>();
  #lastId = 0;

  constructor(
    private readonly ledger: LocalLedger,
    private readonly cluster: Cluster,
    private readonly time: Time,
  ) {
    ledger.subscribe(this);
  }

  /** Serves one client until it goes, or is cut off as on public nodes. */
  serve(socket: WebSocket, isOnOwnNode: boolean): void {
    const connection: Connection = {
      socket,
      isPublic: !isOnOwnNode,
      behindMs: isOnOwnNode ? 0 : this.cluster.nextBehindMs('websocket'),
      since: this.time.monotonic(),
      subscriptions: new Map(),
    };
    this.#connections.add(connection);
    socket.on('message', (message) => this.#receive(connection, String(message)));
    socket.on('pong', (id) => this.#tellLanded(connection, Number(id)));
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      for (const subscription of connection.subscriptions.values()) this.#drop(subscription);
      this.#connections.delete(connection);
    });
  }

  onSlot(slot: number, parent: number): void {
    this.#cut();
    for (const subscription of this.#waiting('slot')) {
      const root = this.ledger.view(this.cluster.habits.finalMs).slot;
      this.#notify(subscription, { parent, root, slot });
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
    for (const subscription of this.#waiting(`signature:${record.signature}`)) this.#notifyValue(subscription, { err });
    if (!this.#byKey.has('logs')) return;
    const mentioned = new Set(record.accountKeys);
    for (const subscription of this.#waiting('logs')) {
      if (subscription.topic.kind !== 'logs') continue;
      const { mentions } = subscription.topic;
      if (mentions !== null && !mentioned.has(mentions)) continue;
      this.#notifyValue(subscription, { signature: record.signature, err, logs: record.logMessages });
    }
  }

  #receive(connection: Connection, text: string): void {
    const { socket } = connection;
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
      this.#call(connection, id, request.method, params);
    } catch (error) {
      socket.send(stringifyJson(failure(id, error)));
    }
  }

  #call(connection: Connection, id: string | number, method: string, params: Params): void {
    const { socket, subscriptions } = connection;
    if (UNSUBSCRIBE.test(method)) {
      const subscription = subscriptions.get(integerParam(params, 0));
      if (subscription === undefined) throw invalidParams('Invalid subscription id.');
      this.#drop(subscription);
      socket.send(stringifyJson({ jsonrpc: '2.0', result: true, id }));
      return;
    }
    const topicOf = TOPICS[method];
    if (topicOf === undefined) throw new RpcError(RPC_CODE.methodNotFound, 'Method not found');
    const topic = topicOf(params);
    const subscription: Subscription = {
      id: ++this.#lastId,
      connection,
      topic,
      isFinalized: isToldFinal(topic, params),
    };
    const key = keyOf(topic);
    const waiting = this.#byKey.get(key) ?? new Map<number, Subscription>();
    this.#byKey.set(key, waiting.set(subscription.id, subscription));
    subscriptions.set(subscription.id, subscription);
    socket.send(stringifyJson({ jsonrpc: '2.0', result: subscription.id, id }));

    // A transaction that landed before anybody waited for it is told too, but not before the client has read the subscription's id:
    // it listens for an id once it has, and would miss what comes in one breath with it. Its pong says so.
    if (topic.kind === 'signature' && this.ledger.history.get(topic.signature) !== undefined) {
      socket.ping(String(subscription.id));
    }
  }

  /** The client has read the id of a subscription to a transaction that had landed before. */
  #tellLanded({ subscriptions }: Connection, id: number): void {
    const subscription = subscriptions.get(id);
    if (subscription?.topic.kind !== 'signature') return;
    const landed = this.ledger.history.get(subscription.topic.signature);
    if (landed === undefined) return;
    this.#notify(subscription, withContext(this.ledger, { err: landed.err }), this.time.now() - landed.at);
  }

  /** Cuts off whom a public node has served for long enough. */
  #cut(): void {
    const { websocketMs } = this.cluster.habits;
    if (websocketMs === null) return;
    for (const { socket, isPublic, since } of this.#connections) {
      if (isPublic && this.time.monotonic() - since >= websocketMs) socket.terminate();
    }
  }

  #waiting(key: string): Subscription[] {
    return [...(this.#byKey.get(key)?.values() ?? [])];
  }

  #drop(subscription: Subscription): void {
    const key = keyOf(subscription.topic);
    const waiting = this.#byKey.get(key);
    waiting?.delete(subscription.id);
    if (waiting?.size === 0) this.#byKey.delete(key);
    subscription.connection.subscriptions.delete(subscription.id);
  }

  #encode(account: AccountState, format: AccountFormat): Json {
    return encodeAccount(this.ledger, account, format);
  }

  #notifyValue(subscription: Subscription, value: Json): void {
    this.#notify(subscription, withContext(this.ledger, value));
  }

  /** Tells what has just happened, or so many milliseconds ago, as soon as the node that serves the client knows it at the commitment that was asked for. */
  #notify(subscription: Subscription, result: Json, agoMs = 0): void {
    const finalMs = subscription.isFinalized ? this.cluster.habits.finalMs : 0;
    const lateMs = subscription.connection.behindMs + finalMs - agoMs;
    if (lateMs <= 0) this.#tell(subscription, result);
    else this.time.after(lateMs, () => this.#tell(subscription, result));
  }

  #tell(subscription: Subscription, result: Json): void {
    const { id, topic } = subscription;
    const { socket, subscriptions } = subscription.connection;
    if (!subscriptions.has(id)) return;
    if (socket.bufferedAmount > MAX_BACKLOG_BYTES) {
      socket.terminate();
      return;
    }
    const method = `${topic.kind}Notification`;
    socket.send(stringifyJson({ jsonrpc: '2.0', method, params: { result, subscription: id } }));
    // A signature is told once; its subscription ends with that.
    if (topic.kind === 'signature') this.#drop(subscription);
  }
}

/** Whether a subscription is told only what is final: slots are told as they begin, and roots are final by what they are. */
function isToldFinal(topic: Topic, params: Params): boolean {
  if (topic.kind === 'slot' || topic.kind === 'root') return topic.kind === 'root';
  return isFinalized(optionsParam(params, 1).commitment);
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
