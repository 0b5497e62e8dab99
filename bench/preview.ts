/**
 * How long `payout schedule preview` takes for a payroll of 80,000 lines, from the start of its process to its last line, beside a
 * process that reads the same file and hashes each of its lines and does nothing else. The command is the one that is installed: built,
 * without the workspace's sources. The base ledger is real.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSampleToken, readOrCreateKey } from '@payouts/cli';
import { addressFromBytes, type Ledgers } from '@payouts/client';
import { startBaseLedger } from '@payouts/localnet';
import { createSolanaRpc, generateKeyPairSigner, lamports } from '@solana/kit';
import { median } from './registration/floors.ts';

const LINES = 80_000;
const ROUNDS = 5;
const GOAL_MS = 3_000;
const SOL = 1_000_000_000n;
const PUBLIC_KEY_BYTES = 32;

const root = fileURLToPath(new URL('../', import.meta.url));

/** Reads and hashes, and nothing else. */
const LIMIT = `const { createHash } = require('node:crypto');
const lines = require('node:fs').readFileSync(process.argv[1], 'utf8').split('\\n');
for (const line of lines) createHash('sha256').update(line).digest();`;

function payroll(file: string): void {
  const lines = Array.from({ length: LINES }, (_, place) => {
    const { publicKey } = generateKeyPairSync('ed25519');
    const bytes = publicKey.export({ format: 'der', type: 'spki' }).subarray(-PUBLIC_KEY_BYTES);
    return `${addressFromBytes(bytes)},"${1 + (place % 9)},${String(place % 1_000).padStart(3, '0')}.50",Person ${place}`;
  });
  writeFileSync(file, `recipient,amount,name\n${lines.join('\n')}\n`);
}

/** Milliseconds of a process that must succeed. */
function timed(args: readonly string[]): number {
  const begun = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return performance.now() - begun;
}

const folder = mkdtempSync(join(tmpdir(), 'payouts-bench-'));
const ledger = await startBaseLedger({ directory: join(folder, 'base') });
try {
  execFileSync('npx', ['tsc', '-b', 'packages/cli'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const base = createSolanaRpc(ledger.rpcUrl);
  const employer = await readOrCreateKey(join(folder, 'employer.json'));
  const mint = await generateKeyPairSigner();
  await base.requestAirdrop(employer.address, lamports(SOL)).send();
  const input = { payer: employer, mint, holder: employer.address, amount: 1n };
  await createSampleToken({ base } as Ledgers, input);
  const file = join(folder, 'payroll.csv');
  payroll(file);

  const command = [join(root, 'packages/cli/dist/payout/main.js'), 'schedule', 'preview', file];
  const options = ['--token', mint.address, '--rpc', ledger.rpcUrl, '--keypair', join(folder, 'employer.json')];
  const took: { limit: number[]; preview: number[] } = { limit: [], preview: [] };
  for (let round = 0; round < ROUNDS; round++) {
    took.limit.push(timed(['-e', LIMIT, file]));
    took.preview.push(timed([...command, ...options]));
  }
  const [limit, preview] = [median(took.limit), median(took.preview)];
  console.log(`${LINES.toLocaleString('en')} lines, median of ${ROUNDS}; goal: under ${GOAL_MS / 1_000} s`);
  console.table([
    { process: 'reads the file and hashes each line', ms: Math.round(limit) },
    { process: 'payout schedule preview', ms: Math.round(preview), slowest: Math.round(Math.max(...took.preview)) },
  ]);
  console.log(`ratio ${(preview / limit).toFixed(1)}`);
  if (preview > GOAL_MS) process.exitCode = 1;
} finally {
  await ledger.stop();
  rmSync(folder, { recursive: true, force: true });
}
