import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
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

/**
 * From its source if tsx runs this process from sources, else as it was built. A thread needs tsx of its own; Node 20 doesn't give it
 * that by an option, so it begins by loading it.
 */
function startWorker(): Worker {
  const isFromSource = import.meta.url.endsWith('.ts') && process.execArgv.some((word) => word.includes('tsx'));
  if (!isFromSource) {
    // Not as a test runner was started, by whose conditions packages are their sources.
    return new Worker(new URL('../../dist/payroll/walletsWorker.js', import.meta.url), { execArgv: [] });
  }
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx'));
  const [api, entry] = [new URL('./esm/api/index.mjs', loader), new URL('./walletsWorker.ts', import.meta.url)];
  const begin = `import('${api}').then(({ register }) => { register(); return import('${entry}'); })`;
  return new Worker(begin, { eval: true, execArgv: ['--conditions=@payouts/source'] });
}
