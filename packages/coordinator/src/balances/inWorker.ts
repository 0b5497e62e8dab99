import { once } from 'node:events';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { BalanceBase } from './derive.ts';

/** What the thread is given. */
export type Derivation = { readonly blocks: readonly Uint8Array[]; readonly base: BalanceBase };

/**
 * From its source a thread needs what reads TypeScript; its parent, such as a test runner, may have another way. Threads of Node 20
 * don't take it as an option, so the thread begins by loading it.
 */
function startWorker(workerData: Derivation): Worker {
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./worker.js', import.meta.url), { workerData });
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
