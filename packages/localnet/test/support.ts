import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { systemTime } from '@payouts/client';
import {
  appendTransactionMessageInstructions,
  assertIsSendableTransaction,
  assertIsTransactionWithBlockhashLifetime,
  type BlockhashLifetimeConstraint,
  createSolanaRpc,
  createSolanaRpcSubscriptions,
  createTransactionMessage,
  generateKeyPairSigner,
  getSignatureFromTransaction,
  type Instruction,
  type KeyPairSigner,
  lamports,
  pipe,
  type Rpc,
  type RpcSubscriptions,
  type SolanaRpcApi,
  type SolanaRpcSubscriptionsApi,
  sendAndConfirmTransactionFactory,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { afterAll } from 'vitest';
import { type BaseLedgerOptions, type RunningBaseLedger, startBaseLedger } from '../src/index.ts';

export const SOL = 1_000_000_000n;
/** Milliseconds; beside other tests, a validator's start alone can take half a minute. */
const UNTIL_MS = 120_000;

/** A published program that does nothing, as a stand-in for a program of the user's. */
export const NOOP_PATH = join(
  dirname(createRequire(import.meta.url).resolve('@magicblock-labs/ephemeral-validator/package.json')),
  'bin/local-dumps/noopb9bkMVfRPU8AsbpTUg8AQkHtKwMYZiFUjNRtMmV.so',
);

const cleanups: (() => unknown)[] = [];

// Registered here once, because a test that runs can't register what comes after its file.
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

/** Does something when the test file has ended; what was asked for last is done first. */
export function atEnd(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

/** A directory that goes away with the test file. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'localnet-test-'));
  // Retried, because a process that was killed may still be letting go of its files.
  atEnd(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10 }));
  return directory;
}

/** Where a ledger is reached: the base ledger or the execution layer. */
export interface Endpoint {
  readonly rpcUrl: string;
  readonly wsUrl: string;
}

/** A kit client on one ledger, with a payer. */
export interface Client {
  readonly rpc: Rpc<SolanaRpcApi>;
  readonly subscriptions: RpcSubscriptions<SolanaRpcSubscriptionsApi>;
  readonly payer: KeyPairSigner;
  sign(instructions: readonly Instruction[], lifetime?: BlockhashLifetimeConstraint): ReturnType<typeof signed>;
  confirm(transaction: Awaited<ReturnType<typeof signed>>): Promise<void>;
  send(...instructions: readonly Instruction[]): Promise<void>;
}

/** A client with a payer of its own, funded on the base ledger. */
export async function connect(ledger: Endpoint): Promise<Client> {
  const client = connectAs(await generateKeyPairSigner(), ledger);
  await client.rpc.requestAirdrop(client.payer.address, lamports(100n * SOL)).send();
  return client;
}

/** A client with a given payer. */
export function connectAs(payer: KeyPairSigner, ledger: Endpoint): Client {
  const rpc = createSolanaRpc(ledger.rpcUrl);
  const subscriptions = createSolanaRpcSubscriptions(ledger.wsUrl);
  const sendAndConfirm = sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions: subscriptions });
  const sign: Client['sign'] = async (instructions, lifetime) =>
    signed(payer, instructions, lifetime ?? (await rpc.getLatestBlockhash().send()).value);
  const confirm: Client['confirm'] = (transaction) =>
    sendAndConfirm(transaction, { commitment: 'confirmed', skipPreflight: false });
  return {
    rpc,
    subscriptions,
    payer,
    sign,
    confirm,
    send: async (...instructions) => confirm(await sign(instructions)),
  };
}

async function signed(
  payer: KeyPairSigner,
  instructions: readonly Instruction[],
  lifetime: BlockhashLifetimeConstraint,
) {
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (m) => setTransactionMessageFeePayerSigner(payer, m),
    (m) => setTransactionMessageLifetimeUsingBlockhash(lifetime, m),
    (m) => appendTransactionMessageInstructions(instructions, m),
  );
  const transaction = await signTransactionMessageWithSigners(message);
  assertIsSendableTransaction(transaction);
  assertIsTransactionWithBlockhashLifetime(transaction);
  return transaction;
}

/** A transaction that landed, as its ledger shows it. */
export function foundAgain({ rpc }: Pick<Client, 'rpc'>, transaction: Awaited<ReturnType<typeof signed>>) {
  const signature = getSignatureFromTransaction(transaction);
  return rpc.getTransaction(signature, { maxSupportedTransactionVersion: 0, encoding: 'json' }).send();
}

/** A base ledger and a client on it; the ledger stops with the test file. */
export async function startWithClient(
  options: Partial<BaseLedgerOptions> = {},
): Promise<{ ledger: RunningBaseLedger; client: Client }> {
  const ledger = await startBaseLedger({ directory: temporaryDirectory(), ...options, time: systemTime });
  atEnd(() => ledger.stop());
  return { ledger, client: await connect(ledger) };
}

/** A raw JSON-RPC call, for what kit would hide; answers the body's text. */
export async function post(url: string, body: string, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return response.text();
}

/** The body of one JSON-RPC request. */
export function request(method: string, ...params: unknown[]): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
}

/** Waits until a condition holds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + UNTIL_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`the condition did not come to hold within ${UNTIL_MS / 1_000} s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Whether a process exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
