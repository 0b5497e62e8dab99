/**
 * The embedded default behind `npm start`: both ledgers, the coordinator and a sample employer on this machine. The first window is
 * paid while you watch, its balance proof printed, one recipient withdraws; then everything keeps running until Ctrl-C.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  balanceProof,
  ensureConfig,
  proofText,
  RequestRefused,
  readOrCreateKey,
  WindowFailed,
  WindowWatcher,
  withdraw,
} from '@payouts/cli';
import { connect, type Ledgers, PAYOUT_LEDGER_PROGRAM_ADDRESS, systemTime } from '@payouts/client';
import { isPortFree, type Localnet, LocalnetError, portTaken, startLocalnet } from '@payouts/localnet';
import { displayAmount } from '@payouts/payroll';
import { generateKeyPairSigner, type KeyPairSigner, lamports } from '@solana/kit';
import { Command, InvalidArgumentError } from 'commander';
import { CoordinatorFailed, runOperatorCommand, startCoordinator } from './coordinatorProcess.ts';
import { openSample, type Sample } from './sample.ts';
import { SAMPLE_DECIMALS } from './sampleToken.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const FEES = lamports(1_000_000_000_000n);
/** Tokens in a part of the sample token: a sixth of what people get in the middle. */
const PART_SIZE = '500';

const port = (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 65_534) throw new InvalidArgumentError('not a port number');
  return value;
};
const upTo =
  (most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < 1 || value > most) throw new InvalidArgumentError(`must be 1 to ${most}`);
    return value;
  };
/** Of a list, and of a year. */
const MOST_RECIPIENTS = 1_048_576;
const MOST_SECONDS = 31_536_000;

const options = new Command('npm start --')
  .description('Both ledgers, the coordinator and a sample employer on this machine.')
  .option('--once', 'end after the first window and its balance proof: exit 0 if every money rule holds, else 1', false)
  .option('--reset', 'forget the ledgers, the database and the sample of earlier starts', false)
  .option('--recipients <n>', 'recipients of the sample payroll', upTo(MOST_RECIPIENTS), 500)
  .option('--interval <seconds>', 'seconds between windows', upTo(MOST_SECONDS), 60)
  .option('--dir <folder>', 'where state is kept', join(root, '.data'))
  .option('--port <n>', "the API's port", port, 3000)
  .option('--base-port <n>', "the base ledger's port (its websocket takes the next)", port, 8899)
  .option('--layer-port <n>', "the execution layer's port (its websocket takes the next)", port, 7799)
  .parse()
  .opts<{
    once: boolean;
    reset: boolean;
    recipients: number;
    interval: number;
    dir: string;
    port: number;
    basePort: number;
    layerPort: number;
  }>();

const time = systemTime;
const begun = time.monotonic();
const say = (text: string): void => console.log(text);
const seconds = (since: number): string => `${((time.monotonic() - since) / 1000).toFixed(1)} s`;
const cleanUps: (() => Promise<void>)[] = [];

async function stopAll(): Promise<void> {
  for (const stop of cleanUps.splice(0).reverse()) await stop().catch(() => undefined);
}

/** A part has ended that nobody has asked to. */
class PartEnded extends Error {
  override readonly name = 'PartEnded';

  constructor(sentence: string) {
    super(`${sentence} The other parts are stopped; npm start goes on from there.`);
  }
}

let endedByItself: (error: Error) => void = () => {};
/** Rejects with `PartEnded`. */
const partEnded = new Promise<never>((_, reject) => {
  endedByItself = reject;
});
partEnded.catch(() => {});

const keyFile = (name: string) => join(options.dir, 'keys', `${name}.json`);

/** Both ledgers, with the ledger program and its config account. */
async function startLedgers(admin: KeyPairSigner, authority: KeyPairSigner) {
  say('Starting the base ledger and the execution layer ...');
  const localnet = await startLocalnet({
    directory: join(options.dir, 'localnet'),
    basePort: options.basePort,
    layerPort: options.layerPort,
    log: (line) => say(`  ${line}`),
    ended: (sentence) => endedByItself(new PartEnded(sentence)),
    time,
    programs: [
      {
        address: PAYOUT_LEDGER_PROGRAM_ADDRESS,
        path: join(root, 'program', 'payouts.so'),
        upgradeAuthority: admin.address,
      },
    ],
  });
  cleanUps.push(() => localnet.stop());
  say(`  base ledger      ${localnet.baseRpcUrl}`);
  say(`  execution layer  ${localnet.layerRpcUrl}`);

  const ledgers = connect(localnet, time);
  for (const signer of [admin, authority, await readOrCreateKey(keyFile('relay'))]) {
    const { value } = await ledgers.base.getBalance(signer.address).send();
    if (value < FEES / 2n) await ledgers.base.requestAirdrop(signer.address, FEES).send();
  }
  await ensureConfig(ledgers, {
    upgradeAuthority: admin,
    guardian: (await readOrCreateKey(keyFile('guardian'))).address,
    executionAuthority: authority.address,
    validator: localnet.validatorIdentity,
  });
  return { localnet, ledgers };
}

async function startService(localnet: Localnet) {
  const operator = await readOrCreateKey(keyFile('operator'));
  const log = join(options.dir, 'coordinator.log');
  say('Starting the coordinator (its database is made the first time) ...');
  const settings = {
    PORT: String(options.port),
    DATA_DIR: join(options.dir, 'coordinator'),
    BASE_RPC_URL: localnet.baseRpcUrl,
    BASE_WS_URL: localnet.baseWsUrl,
    LAYER_RPC_URL: localnet.layerRpcUrl,
    BROWSER_RPC_URL: localnet.baseRpcUrl,
    BROWSER_LAYER_URL: localnet.layerRpcUrl,
    EXECUTION_AUTHORITY_KEY: keyFile('execution-authority'),
    RELAY_KEY: keyFile('relay'),
    POLL_INTERVAL_MS: '250',
    DASHBOARD_PUBLIC: 'true',
    OPERATORS: operator.address,
  };
  // For operators' commands: env $(cat FILE) npm run coordinator -- runs list
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(options.dir, 'coordinator.env'), lines.join(''), { mode: 0o600 });
  const coordinator = await startCoordinator(settings, log);
  coordinator.process.once('exit', (code, signal) => {
    const how = signal ?? `exit code ${code}`;
    endedByItself(new PartEnded(`coordinator: ended by itself (${how}); see ${log}.`));
  });
  cleanUps.push(() => coordinator.stop());
  say(`  coordinator      ${coordinator.url}/api/health`);
  const hasPage = (await fetch(coordinator.url)).ok;
  say(
    `  dashboard        ${hasPage ? `${coordinator.url}/` : 'is not built here: npm run build -w @payouts/dashboard'}`,
  );
  if (hasPage) say(`  recipients       ${coordinator.url}/recipient/`);
  say(`  operator's key   ${keyFile('operator')}`);
  return { url: coordinator.url, hasPage, settings };
}

/** Proves that the ledgers add up, before and after a recipient has withdrawn everything; returns how many money rules are broken. */
async function proveAndWithdraw(ledgers: Ledgers, sample: Sample, window: string): Promise<number> {
  const subject = { mint: sample.mint, vaults: [sample.vault], schedules: [sample.schedule] };
  const proof = await balanceProof(ledgers, subject);
  say(proofText(`\nBalance proof after window ${window}:`, proof, SAMPLE_DECIMALS));

  const wallet = (await generateKeyPairSigner()).address;
  const arrived = await withdraw(ledgers, { ...sample.recipient, wallet, amount: 'all' });
  say(`\nOne recipient has withdrawn ${displayAmount(arrived, SAMPLE_DECIMALS)} to a fresh wallet on the base ledger.`);
  const after = await balanceProof(ledgers, subject);
  say(proofText('Balance proof after the withdrawal:', after, SAMPLE_DECIMALS));
  return proof.violations.length + after.violations.length;
}

async function main(): Promise<number> {
  // The service would find out after the ledgers and its database are there.
  if (!(await isPortFree(options.port))) throw portTaken(options.port, '--port');
  if (options.reset) await rm(options.dir, { recursive: true, force: true });
  await mkdir(join(options.dir, 'keys'), { recursive: true, mode: 0o700 });
  const [admin, authority] = await Promise.all([
    readOrCreateKey(keyFile('admin')),
    readOrCreateKey(keyFile('execution-authority')),
  ]);
  const { localnet, ledgers } = await startLedgers(admin, authority);
  const { url, hasPage, settings } = await startService(localnet);
  const sample = await openSample({
    ledgers,
    funder: admin,
    apiUrl: url,
    folder: join(options.dir, 'sample'),
    recipients: options.recipients,
    interval: options.interval,
    say,
  });

  const watcher = new WindowWatcher(url, sample.schedule, sample.window, time);
  const first = await watcher.next();
  say(`Window ${first.window}: settled on the base ledger ${seconds(begun)} after the start.`);
  const violations = await proveAndWithdraw(ledgers, sample, first.window);
  if (options.once) return violations === 0 ? 0 : 1;

  // A process of its own, for which no window is to wait.
  await runOperatorCommand(settings, ['rounds', 'set', sample.mint, PART_SIZE]);
  say(`\nRunning. API: ${url}/api/docs  ·  this schedule: ${url}/api/schedules/${sample.schedule}/executions`);
  if (hasPage) say(`What is due, running and stopped shows the dashboard: ${url}/`);
  say('The next window follows by itself. Ctrl-C stops everything; the state stays in the data folder.\n');
  for (;;) await sayNext(watcher);
}

/** Says what became of the next window, whatever it was: what is watched goes on. */
async function sayNext(watcher: WindowWatcher): Promise<void> {
  try {
    const run = await watcher.next();
    say(`Window ${run.window}: ${run.claims.paid} of ${run.claims.total} recipients paid, settled on the base ledger.`);
  } catch (error) {
    if (!(error instanceof WindowFailed || error instanceof RequestRefused)) throw error;
    say(`! ${error.message}`);
  }
}

/** Errors whose message says what to do. */
const KNOWN = [PartEnded, LocalnetError, CoordinatorFailed, RequestRefused, WindowFailed];
/** Milliseconds within which the end of a part's process is noticed. */
const PART_ENDS_MS = 1_000;

let stopping = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (stopping) return;
    stopping = true;
    say('\nStopping ...');
    void stopAll().then(() => process.exit(0));
  });
}

try {
  const code = await Promise.race([main(), partEnded]);
  await stopAll();
  process.exit(code);
} catch (error) {
  if (!stopping) {
    const isKnown = KNOWN.some((kind) => error instanceof kind);
    // Whoever asked a part that has just ended may hear of it first.
    const why = isKnown ? error : await Promise.race([partEnded, time.pause(PART_ENDS_MS)]).catch((ended) => ended);
    await stopAll();
    console.error(`\n✖ ${isKnown || why !== undefined ? (why as Error).message : ((error as Error).stack ?? error)}`);
    process.exit(1);
  }
}
