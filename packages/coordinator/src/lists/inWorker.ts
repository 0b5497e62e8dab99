import { once } from 'node:events';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { BalanceBase } from './derive.ts';

/** What the thread is given. */
export type Derivation = { readonly blocks: readonly Uint8Array[]; readonly base: BalanceBase };

/**
 * From its source if tsx runs this process from sources, else as it was built. A thread needs tsx of its own; Node 20 doesn't give it
 * that by an option, so it begins by loading it.
 */
function startWorker(workerData: Derivation): Worker {
  const isFromSource = import.meta.url.endsWith('.ts') && process.execArgv.some((word) => word.includes('tsx'));
  if (!isFromSource) {
    // Not as a test runner was started, by whose conditions packages are their sources.
    return new Worker(new URL('../../dist/lists/worker.js', import.meta.url), { workerData, execArgv: [] });
  }
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx'));
  const [api, entry] = [new URL('./esm/api/index.mjs', loader), new URL('./worker.ts', import.meta.url)];
  const begin = `import('${api}').then(({ register }) => { register(); return import('${entry}'); })`;
  return new Worker(begin, { eval: true, workerData, execArgv: ['--conditions=@payouts/source'] });
}

/** Derives the balances of a list's blocks in a thread of its own. The signal ends it, and its reason is thrown. */
export async function deriveInWorker(derivation: Derivation, signal: AbortSignal): Promise<Uint8Array[]> {
  signal.throwIfAborted();
  const worker = startWorker(derivation);
  try {
    const [blocks] = (await once(worker, 'message', { signal })) as [Uint8Array[]];
    return blocks;
  } finally {
    await worker.terminate();
  }
}
