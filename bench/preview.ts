import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOrCreateKey } from '@payouts/cli';
import type { Ledgers } from '@payouts/client';
import { systemTime } from '@payouts/client';
import { startBaseLedger } from '@payouts/localnet';
import { createSampleToken } from '@payouts/sandbox';
import { createSolanaRpc, generateKeyPairSigner, lamports } from '@solana/kit';
import { writePayroll } from './preview/payroll.ts';
import { judged, type Measure } from './runner/measure.ts';
import { count } from './runner/options.ts';
import { median } from './runner/statistics.ts';

type Options = { readonly lines: number; readonly rounds: number };

const GOAL_MS = 3_000;
const SOL = 1_000_000_000n;

const root = fileURLToPath(new URL('../', import.meta.url));

/** Reads and hashes, and nothing else. */
const LIMIT = `const { createHash } = require('node:crypto');
const lines = require('node:fs').readFileSync(process.argv[1], 'utf8').split('\\n');
for (const line of lines) createHash('sha256').update(line).digest();`;

/** Milliseconds of a process that must succeed. */
function timed(args: readonly string[]): number {
  const begun = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return performance.now() - begun;
}

/** The command is the one that is installed: built, without the workspace's sources. The base ledger is real. */
export const preview: Measure<Options> = {
  name: 'preview',
  what: '`payout schedule preview` of a payroll, from the start of its process, beside one that reads the file and hashes each line.',
  minutes: 1,
  options: (command) =>
    command.option('--lines <n>', 'lines of the payroll', count, 80_000).option('--rounds <n>', 'times', count, 5),
  async run({ lines, rounds }) {
    const folder = mkdtempSync(join(tmpdir(), 'payouts-bench-'));
    const ledger = await startBaseLedger({ directory: join(folder, 'base'), time: systemTime });
    try {
      execFileSync('npx', ['tsc', '-b', 'packages/cli'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
      const base = createSolanaRpc(ledger.rpcUrl);
      const employer = await readOrCreateKey(join(folder, 'employer.json'));
      const mint = await generateKeyPairSigner();
      await base.requestAirdrop(employer.address, lamports(SOL)).send();
      await createSampleToken({ base } as Ledgers, { payer: employer, mint, holder: employer.address, amount: 1n });
      const file = join(folder, 'payroll.csv');
      writePayroll(file, lines);

      const command = [join(root, 'packages/cli/dist/payout/main.js'), 'schedule', 'preview', file];
      const options = ['--token', mint.address, '--rpc', ledger.rpcUrl, '--keypair', join(folder, 'employer.json')];
      const took: { limit: number[]; preview: number[] } = { limit: [], preview: [] };
      for (let round = 0; round < rounds; round++) {
        took.limit.push(timed(['-e', LIMIT, file]));
        took.preview.push(timed([...command, ...options]));
      }
      const row = judged({
        id: 'preview',
        measure: `preview of ${lines.toLocaleString('en')} lines, the whole command`,
        figure: median(took.preview),
        unit: 'ms',
        limit: median(took.limit),
        limitName: 'reading and hashing each line',
        goal: { of: 'figure', most: GOAL_MS },
      });
      return { rows: [row] };
    } finally {
      await ledger.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
