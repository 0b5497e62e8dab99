// Both ledgers in the memory of one process, behind Solana's RPC: they run the real ledger program, and everything lands and is final at once.
import type { AddressInfo, Socket } from 'node:net';
import { prepareList, PAYOUT_LEDGER_PROGRAM_ADDRESS as program } from '@payouts/client';
import { type Address, getBase58Encoder, type Signature } from '@solana/kit';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Commitment, LedgerAccount, MemcmpFilter } from '../../packages/coordinator/dist/ledger/ledger.js';
import type { Chain, Changes } from '../../packages/coordinator/test/simulation/ledgers/chain.ts';
import { Employers } from '../../packages/coordinator/test/simulation/ledgers/employers.ts';
import { type Delays, Ledgers } from '../../packages/coordinator/test/simulation/ledgers/ledgers.ts';
import { createCallServer } from './callServer.ts';
import type { ManySchedules, Promised } from './manySchedules.ts';
import { somePayees } from './payees.ts';
import type { Said, Told } from './quickLedgers.ts';

const AT_ONCE: Delays = {
  ...{ land: () => 0, execute: () => 0, show: () => 0, giveBack: () => 0, letGo: () => undefined },
  ...{ confirmMs: 0, finalMs: 0 },
};
const METHOD_NOT_FOUND = -32_601;
const PREFLIGHT_FAILURE = -32_002;
const LOOPBACK = '127.0.0.1';

const say = (said: Said) => process.send?.(said);

const ledgers = new Ledgers({
  authority: process.argv[2] as Address,
  delays: AT_ONCE,
  isAtOnce: true,
  clockwork: {
    get now() {
      return Date.now();
    },
    after: (milliseconds, act) => (milliseconds === 0 ? act() : void setTimeout(act, milliseconds)),
  },
  onEffect: (ledger, changes) => {
    if (ledger === 'base') tell(changes);
  },
});

/** Promises schedules of one token and employer. */
async function promiseMany(many: ManySchedules): Promise<Promised[]> {
  const { schedules, recipients, windows, first, interval, batchTimeout } = many;
  const employers = new Employers(ledgers);
  const vault = await employers.createVault('bench', await employers.createToken('bench'));
  const promised: Promised[] = [];
  for (let id = 1n; id <= schedules; id++) {
    const list = prepareList(somePayees(recipients));
    const terms = { vault, id, list, every: Number(interval), batchTimeout, firstExecution: first };
    const { address } = await employers.createSchedule({ ...terms, executions: windows });
    promised.push({ schedule: address, recipients: list.recipients });
  }
  return promised;
}

const shown = ({ data, owner, lamports }: LedgerAccount) => ({
  data: [Buffer.from(data.buffer, data.byteOffset, data.length).toString('base64'), 'base64'],
  ...{ owner, lamports: Number(lamports), executable: false, rentEpoch: 0, space: data.length },
});

const texts = new WeakMap<LedgerAccount, string>();

/** An account as JSON, which is made once for all who ask for it before it changes. */
function textOf(account: LedgerAccount): string {
  const text = texts.get(account) ?? JSON.stringify(shown(account));
  texts.set(account, text);
  return text;
}

type Filter = { readonly memcmp: { readonly offset: number | bigint; readonly bytes: string } };
type Config = { readonly commitment?: Commitment; readonly filters?: readonly Filter[] };

const filtersOf = ({ filters = [] }: Config): MemcmpFilter[] =>
  filters.map(({ memcmp }) => ({
    at: Number(memcmp.offset),
    bytes: Uint8Array.from(getBase58Encoder().encode(memcmp.bytes)),
  }));

/** A call that is not answered with a result. */
class Refused extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: object,
  ) {
    super(message);
  }
}

function send(chain: Chain, wire: string): string {
  const answer = ledgers.send(chain, wire);
  if (answer.kind === 'duplicate') throw new Refused(PREFLIGHT_FAILURE, 'This transaction has already been processed');
  if (answer.kind === 'refused') throw new Refused(PREFLIGHT_FAILURE, 'Transaction simulation failed', answer);
  return '';
}

/** What a call is answered, as JSON. */
function answer(chain: Chain, method: string, params: readonly unknown[]): string {
  const [first, config = {}] = params as [unknown, Config?];
  switch (method) {
    case 'getMultipleAccounts': {
      const { slot, accounts } = ledgers.accounts(chain, first as Address[], config);
      const value = accounts.map((account) => (account === null ? 'null' : textOf(account)));
      return `{"context":{"slot":${slot}},"value":[${value.join()}]}`;
    }
    case 'getProgramAccounts': {
      const found = ledgers.programAccounts(chain, filtersOf(config));
      return `[${found.map((account) => `{"pubkey":"${account.address}","account":${textOf(account)}}`).join()}]`;
    }
    default:
      return JSON.stringify(otherAnswer(chain, method, first));
  }
}

/** What a call is answered that asks for no accounts. */
function otherAnswer(chain: Chain, method: string, first: unknown): unknown {
  const height = Number(ledgers.blockHeight(chain));
  const context = { slot: height };
  switch (method) {
    case 'getLatestBlockhash': {
      const { blockhash, lastValidBlockHeight } = ledgers.lifetime(chain);
      return { context, value: { blockhash, lastValidBlockHeight: Number(lastValidBlockHeight) } };
    }
    case 'getBlockHeight':
      return height;
    case 'getEpochInfo':
      return { absoluteSlot: height, blockHeight: height };
    case 'getSignatureStatuses': {
      const found = (first as Signature[]).map((signature) => ledgers.status(chain, signature));
      const value = found.map(
        (status) => status && { ...context, err: status.err, confirmationStatus: status.commitment },
      );
      return { context, value };
    }
    case 'getIdentity':
      return { identity: ledgers.machines.validator };
    case 'getRecentPrioritizationFees':
      return [];
    // Every instruction is answered alike: a layer without read permissions, as the published validator is.
    case 'simulateTransaction':
      return { context, value: { err: null, logs: [] } };
    case 'sendTransaction':
      return send(chain, first as string);
    default:
      throw new Refused(METHOD_NOT_FOUND, `There is no ${method} here.`);
  }
}

type Call = { readonly id: number; readonly method: string; readonly params?: readonly unknown[] };

function respond(chain: Chain, { id, method, params = [] }: Call): string {
  try {
    return `{"jsonrpc":"2.0","id":${id},"result":${answer(chain, method, params)}}`;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { code, message, data } = error;
    return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } });
  }
}

/** Serves a chain's RPC; returns its address. */
async function serve(chain: Chain): Promise<string> {
  const server = createCallServer((body) => respond(chain, JSON.parse(body) as Call));
  await new Promise<void>((resolve) => server.listen(0, LOOPBACK, resolve));
  return `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`;
}

/** Whoever follows accounts of the ledger program, by what these hold; `wire` carries what the websocket says. */
type Follower = {
  readonly socket: WebSocket;
  readonly wire: Socket;
  readonly followed: Map<number, readonly MemcmpFilter[]>;
};
const followers = new Set<Follower>();
let subscriptions = 0;

/** Tells followers of the base ledger's accounts that have changed. */
function tell(changes: Changes): void {
  const slot = ledgers.blockHeight(ledgers.base);
  const owned = [...changes].flatMap(([pubkey, { after }]) => (after?.owner === program ? [{ pubkey, after }] : []));
  for (const { socket, wire, followed } of followers) {
    // What one transaction has changed goes out together.
    wire.cork();
    for (const { pubkey, after } of owned) {
      for (const [subscription, holding] of followed) {
        const holds = holding.every(({ at, bytes }) => bytes.every((byte, place) => after.data[at + place] === byte));
        if (!holds) continue;
        const result = `{"context":{"slot":${slot}},"value":{"pubkey":"${pubkey}","account":${textOf(after)}}}`;
        const params = `{"subscription":${subscription},"result":${result}}`;
        socket.send(`{"jsonrpc":"2.0","method":"programNotification","params":${params}}`);
      }
    }
    wire.uncork();
  }
}

/** Serves subscriptions to the base ledger; returns their address. */
async function serveChanges(): Promise<string> {
  const server = new WebSocketServer({ host: LOOPBACK, port: 0 });
  await new Promise((resolve) => server.once('listening', resolve));
  server.on('connection', (socket, { socket: wire }) => {
    const followed = new Map<number, readonly MemcmpFilter[]>();
    const follower = { socket, wire, followed };
    followers.add(follower);
    socket.on('close', () => followers.delete(follower));
    socket.on('message', (text) => {
      const { id, method, params = [] } = JSON.parse(String(text)) as Call;
      const isNew = method === 'programSubscribe';
      if (isNew) followed.set(++subscriptions, filtersOf((params[1] ?? {}) as Config));
      else followed.delete(params[0] as number);
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, result: isNew ? subscriptions : true }));
    });
  });
  return `ws://${LOOPBACK}:${(server.address() as AddressInfo).port}`;
}

process.on('message', async (told: Told) => {
  if ('promise' in told) return say({ done: await promiseMany(told.promise) });
  // It ticks with this machine's seconds, by which whoever measures knows when something is due.
  const behindMs = Math.floor(Date.now() / 1_000) * 1_000 - told.setClock * 1_000;
  for (const chain of [ledgers.base, ledgers.layer]) chain.behindMs = behindMs;
  return say({ done: [] });
});
say({ base: await serve(ledgers.base), changes: await serveChanges(), layer: await serve(ledgers.layer) });
