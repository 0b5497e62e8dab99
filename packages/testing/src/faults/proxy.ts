import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Loopback, serveLoopback } from '../loopback.ts';
import { running } from '../running.ts';
import { type Answer, type Call, errorAnswer, readCall, resultAnswer, sends, signatureOf } from './call.ts';
import { Decisions, type FaultDecision } from './decisions.ts';
import { FormerAnswers } from './formerAnswers.ts';
import { HeldCalls } from './held.ts';
import { Relay } from './relay.ts';
import type { Fault, FaultKind, FaultRule } from './rule.ts';
import { Upstream } from './upstream.ts';

const NODE_BEHIND = -32005;
const PREFLIGHT_FAILURE = -32_002;
const VERIFICATION_FAILURE = -32_003;

/** Stands between a service and a ledger's RPC and websocket, and does to calls what its rules say. */
export class FaultProxy {
  readonly #former = new FormerAnswers();
  readonly #held = new HeldCalls();
  readonly #stopped = new AbortController();
  readonly #counts = new Map<FaultKind, number>();
  #loopback: Loopback | undefined;
  #rules: readonly FaultRule[] = [];
  #rulesSetAt = 0;
  #delivered = 0;

  private constructor(
    readonly subscriptions: Relay,
    private readonly upstream: Upstream,
    private readonly decisions: Decisions,
  ) {}

  /** Lets everything through until it is given rules. */
  static async start(target: { readonly rpcUrl: string; readonly wsUrl: string }, seed: number): Promise<FaultProxy> {
    const relay = await Relay.start(target.wsUrl);
    const proxy = new FaultProxy(relay, new Upstream(target.rpcUrl), new Decisions(seed));
    proxy.#loopback = await serveLoopback((request, response) => proxy.#serve(request, response));
    proxy.#loopback.server.keepAliveTimeout = 60_000;
    running.add(proxy);
    return proxy;
  }

  get rpcUrl(): string {
    return this.#loopback?.url ?? '';
  }

  /** From now on, to calls that arrive; none: everything goes through. */
  set(...rules: readonly FaultRule[]): void {
    this.#rules = rules;
    this.#rulesSetAt = performance.now();
    this.#held.releaseAll();
  }

  /** How often a fault was done, or how often any. */
  count(kind?: FaultKind): number {
    if (kind !== undefined) return this.#counts.get(kind) ?? 0;
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Calls that arrived. */
  calls(method?: string): number {
    return this.decisions.calls(method);
  }

  /** Calls that the ledger got, each as often as it got it. */
  get delivered(): number {
    return this.#delivered;
  }

  async stop(): Promise<void> {
    running.delete(this);
    this.#stopped.abort();
    this.#held.releaseAll();
    await this.#loopback?.stop();
    await this.subscriptions.stop();
    this.upstream.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const call = readCall(await buffer(request));
    const rules = this.#rules.filter(
      ({ faults, holding, times }) =>
        (holding === undefined || sends(call, holding)) && (times === undefined || this.count(faults[0]?.kind) < times),
    );
    const decision = this.decisions.next(call.method, rules, performance.now() - this.#rulesSetAt);
    const { delayMs } = decision;
    if (delayMs > 0) {
      this.#done('delay');
      await this.#pause(delayMs / 2);
    }
    const answer = await this.#answer(call, decision, response);
    if (answer === undefined) return;
    if (delayMs > 0) await this.#pause(delayMs / 2);
    respond(response, answer);
  }

  /** What the caller gets; undefined: it has had its answer, or gets none. */
  async #answer(
    call: Call,
    { fault, isDelivered }: FaultDecision,
    response: ServerResponse,
  ): Promise<Answer | undefined> {
    if (fault === undefined) {
      const answer = await this.#deliver(call);
      this.#held.passed();
      return answer;
    }
    if (fault.kind !== 'stale') this.#done(fault.kind);
    switch (fault.kind) {
      case 'drop-before':
        return reset(response);
      case 'drop-after':
        await this.#deliver(call);
        return reset(response);
      case 'hang':
        await this.#deliver(call);
        return undefined;
      case 'double':
        await this.#deliver(call);
        return this.#deliver(call);
      case 'reorder':
        await this.#held.wait(fault.later, fault.withinMs);
        return this.#deliver(call);
      case 'too-many':
        response.writeHead(429, fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter }).end();
        return undefined;
      case 'server-error':
        if (isDelivered) await this.#deliver(call);
        return { status: fault.status, body: Buffer.from('<html>') };
      case 'node-behind':
        if (isDelivered) await this.#deliver(call);
        return errorAnswer(call, NODE_BEHIND, 'Node is behind by 42 slots');
      case 'accounts-late':
        return errorAnswer(call, VERIFICATION_FAILURE, 'Subscribe timed out after 2000ms');
      case 'refused':
        return errorAnswer(call, PREFLIGHT_FAILURE, 'Transaction simulation failed');
      case 'garbage':
        await this.#deliver(call);
        return { status: 200, body: Buffer.from('<html>Bad gateway</html>') };
      case 'cut-off':
        return cutOff(response, await this.#deliver(call));
      case 'stale':
        return this.#stale(call, fault);
      case 'swallow':
        return resultAnswer(call, JSON.stringify(signatureOf(call)));
    }
  }

  async #deliver(call: Call): Promise<Answer> {
    this.#delivered += 1;
    const answer = await this.upstream.deliver(call.body);
    this.#former.keep(call, answer, Date.now());
    return answer;
  }

  async #stale(call: Call, { ms }: Extract<Fault, { kind: 'stale' }>): Promise<Answer> {
    const fresh = await this.#deliver(call);
    const former = this.#former.at(call, fresh, Date.now() - ms);
    if (former === undefined) return fresh;
    this.#done('stale');
    return former;
  }

  #done(kind: FaultKind): void {
    this.#counts.set(kind, this.count(kind) + 1);
  }

  async #pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#stopped.signal });
  }
}

function respond(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}

function reset(response: ServerResponse): undefined {
  response.socket?.resetAndDestroy();
}

function cutOff(response: ServerResponse, { status, body }: Answer): undefined {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
  response.write(body.subarray(0, body.length >> 1), () => response.socket?.resetAndDestroy());
}
