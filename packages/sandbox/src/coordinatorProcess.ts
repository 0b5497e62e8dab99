import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createRequire } from 'node:module';
import { type LiabilityProof, proofFileFromJson } from '@payouts/client';

/** A coordinator running as a process of its own: a blocked event loop here must not stall it, and neither the other way. */
export interface CoordinatorProcess {
  readonly url: string;
  readonly process: ChildProcess;
  /** Ends it in order: running stages finish or are taken up again at the next start. */
  stop(): Promise<void>;
}

/** The coordinator ended before it was ready. The message is what it said last. */
export class CoordinatorFailed extends Error {
  override readonly name = 'CoordinatorFailed';
}

/** The coordinator as it was built. PAYOUTS_COORDINATOR names another checkout's, to compare with. */
const entry = (): string =>
  process.env.PAYOUTS_COORDINATOR ?? createRequire(import.meta.url).resolve('@payouts/coordinator/main');

/**
 * Runs one of the operator's commands to its end and returns what it prints.
 *
 * @param env the coordinator's settings
 * @throws CoordinatorFailed when it ends with another code than 0
 */
export async function runOperatorCommand(
  env: Readonly<Record<string, string>>,
  words: readonly string[],
): Promise<string> {
  const child = spawn(process.execPath, [entry(), ...words], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new CoordinatorFailed(/^✖ (.*)$/m.exec(said)?.[1] ?? `${words[0]} ended with code ${code}.`);
  return printed;
}

/**
 * Asks the coordinator's database, which no coordinator may be using, for what the pools owe to these balances or open windows.
 * What comes back is private.
 *
 * @param env the coordinator's settings
 * @throws CoordinatorFailed when it has no leaf for one of them
 */
export async function readLiabilityProofs(
  env: Readonly<Record<string, string>>,
  addresses: readonly string[],
): Promise<LiabilityProof[]> {
  const words = ['liability-proof', ...addresses.flatMap((address) => ['--balance', address])];
  const json: unknown = JSON.parse(await runOperatorCommand(env, words));
  return [...proofFileFromJson(json).proofs];
}

/**
 * Starts the coordinator and waits until it answers.
 *
 * @param env its settings: see docs/reference/settings.md
 * @param logFile where its JSON lines go
 * @throws CoordinatorFailed when it ends before it is ready
 */
export async function startCoordinator(
  env: Readonly<Record<string, string>>,
  logFile: string,
): Promise<CoordinatorProcess> {
  // A process group of its own, so that Ctrl-C reaches it through `stop`, in order.
  const child = spawn(process.execPath, [entry()], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  const log = createWriteStream(logFile, { flags: 'a', mode: 0o600 });
  child.stdout?.pipe(log);
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said = `${said}${chunk}`.slice(-4_000);
    log.write(chunk);
  });

  const ready = new Promise<string>((resolve, reject) => {
    child.on('message', (message: { type?: string; url?: string }) => {
      if (message.type === 'ready' && message.url !== undefined) resolve(message.url);
    });
    child.once('exit', (code) => {
      const complaint = /^✖ (.*)$/m.exec(said)?.[1];
      reject(new CoordinatorFailed(complaint ?? `The coordinator ended with code ${code}: see its log, ${logFile}.`));
    });
  });
  const url = await ready;
  return {
    url,
    process: child,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      // Soon after its grace time it ends itself, whatever hangs.
      child.kill('SIGTERM');
      await gone;
    },
  };
}
