/**
 * npm run bench [-- --recipients N] [--windows N] [--json FILE]: what a window costs, end to end and on real parts, beside a limit
 * measured on the same validator in the same run.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { sendToBase } from '@payouts/client';
import { type Address, generateKeyPairSigner, type Signature } from '@solana/kit';
import { Command } from 'commander';
import { World } from '../test/support/world.ts';
import { measureRawTransfers } from './rawTransfers.ts';

const options = new Command('npm run bench --')
  .option('--recipients <n>', 'recipients of the measured schedule', '2000')
  .option('--windows <n>', 'windows measured; the first creates the balances', '3')
  .option('--transfers <n>', 'raw transfers of the limit', '6000')
  .option('--json <file>', 'also write the figures there')
  .parse()
  .opts<{ recipients: string; windows: string; transfers: string; json?: string }>();

const recipients = Number(options.recipients);
const windows = Number(options.windows);

/** Resident memory of a process in MB, its peak; Linux only. */
async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024);
}

/** Compute units of a batch's transactions in the layer since `after` (claims and the commit), and the newest signature seen. */
async function layerUnits(batch: Address, after: Signature | undefined): Promise<[bigint, Signature | undefined]> {
  const { layer } = world.ledgers;
  const found = await layer.getSignaturesForAddress(batch, after === undefined ? {} : { until: after }).send();
  let units = 0n;
  for (const { signature } of found) {
    const transaction = await layer
      .getTransaction(signature, { encoding: 'base64', maxSupportedTransactionVersion: 0 })
      .send();
    units += transaction?.meta?.computeUnitsConsumed ?? 0n;
  }
  return [units, found[0]?.signature ?? after];
}

/** Base transactions that named a batch, but for the one that created it. */
async function baseTransactions(batch: Address): Promise<number> {
  let count = -1;
  for await (const { accountKeys } of world.localnet.admin.listTransactions())
    if (accountKeys.includes(batch)) count += 1;
  return count;
}

const world = await World.start();
try {
  const raw = await measureRawTransfers(
    world.ledgers,
    world.admin,
    world.localnet.validatorIdentity,
    Number(options.transfers),
    (instructions) => sendToBase(world.ledgers, instructions, world.admin),
  );
  const limit = raw.transfers / raw.seconds;

  await world.startCoordinator();
  const keys = await Promise.all(Array.from({ length: recipients }, () => generateKeyPairSigner()));
  const employer = await world.employer(
    keys.map(({ address }) => ({ recipient: address, amount: 1_000n })),
    {
      executions: windows,
      calendar: { unit: 'seconds', every: 1, day: 0 },
      firstExecution: BigInt(Math.floor(Date.now() / 1000) + 3),
      batchTimeout: 600,
    },
  );
  const begun = performance.now();
  await world.register(employer);
  const registration = (performance.now() - begun) / 1000;

  const rows: Record<string, string | number>[] = [];
  const batch = await world.batch(employer);
  let seen: Signature | undefined;
  for (let window = 0n; window < BigInt(windows); window += 1n) {
    const run = await world.settled(employer, window, 120_000);
    const started = Math.min(...run.attempts.map(({ startedAt }) => startedAt));
    const ended = Math.max(...run.attempts.map(({ endedAt }) => endedAt ?? 0));
    const took = (ended - started) / 1000;
    const claim = run.attempts.find(({ stage }) => stage === 'claim');
    const claiming = ((claim?.endedAt ?? 0) - (claim?.startedAt ?? 0)) / 1000;
    const [units, newest] = await layerUnits(batch, seen);
    seen = newest;
    rows.push({
      window: String(window),
      balances: window === 0n ? 'new' : 'known',
      'seconds, due to settled': took.toFixed(2),
      'claims/s end to end': Math.round(recipients / took),
      'ratio to raw': (recipients / took / limit).toFixed(2),
      'claims/s in the claim stage': Math.round(recipients / claiming),
      'units per claim': Math.round(Number(units) / recipients),
    });
  }
  const transactions = (await baseTransactions(batch)) / windows;
  const memory = await peakMemory(world.coordinatorPid);
  await world.checkMoneyRules(employer);

  console.log(
    `\n${recipients} recipients, ${windows} windows, ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'})`,
  );
  console.log(
    `raw single transfers on the same validator: ${Math.round(limit)}/s (${raw.transfers} in ${raw.seconds.toFixed(2)} s, 16 wallets)`,
  );
  console.log(
    `registration: ${registration.toFixed(2)} s    coordinator's peak memory: ${memory} MB    base transactions a window: ${transactions}    every money rule held`,
  );
  console.table(rows);
  if (options.json !== undefined) {
    await writeFile(
      options.json,
      `${JSON.stringify({ recipients, rawTransfersPerSecond: Math.round(limit), registrationSeconds: registration, coordinatorPeakMemoryMb: memory, baseTransactionsPerWindow: transactions, windows: rows }, null, 2)}\n`,
    );
  }
} finally {
  await world.stop();
}
process.exit(0);
