import { readFile, writeFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { Payee } from '@payouts/client';
import { type Payroll, payrollText, type ReadPayrollOptions, readPayroll, type WalletThread } from '@payouts/payroll';

/** Reads a payroll file; a long one with a second thread. Throws `PayrollError`. */
export async function readPayrollFile(file: string, options: ReadPayrollOptions): Promise<Payroll> {
  return readPayroll(await readFile(file), { startThread: startWalletThread, ...options });
}

/** Writes a payroll as it is read; readable by its owner alone. */
export async function writePayroll(file: string, payees: readonly Payee[], decimals: number): Promise<void> {
  await writeFile(file, payrollText(payees, decimals), { mode: 0o600 });
}

function startWalletThread(): WalletThread {
  const worker = startWorker();
  return {
    check: (addresses) =>
      new Promise((resolve, reject) => {
        worker.once('message', resolve).once('error', reject);
        worker.postMessage(addresses);
      }),
    end: async () => {
      await worker.terminate();
    },
  };
}

/** As it was built. Not as a test runner was started, by whose conditions packages are their sources. */
const startWorker = (): Worker =>
  new Worker(new URL('../../dist/payroll/walletsWorker.js', import.meta.url), { execArgv: [] });
