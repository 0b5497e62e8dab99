import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOrCreateKey } from '@payouts/cli';
import type { BenchLedgers, ManySchedules, Promised } from './ledgers.ts';

/** What the ledgers' process is told, and answers by. */
export type Told = { readonly promise: ManySchedules } | { readonly setClock: number };
export type Said = { readonly urls: readonly [string, string] } | { readonly done: readonly Promised[] };

/** Ledgers in the memory of a process of their own that answer at once: what is measured on them is the service's own cost. */
export async function startMemoryLedgers(): Promise<BenchLedgers> {
  const folder = await mkdtemp(join(tmpdir(), 'payouts-bench-'));
  const key = join(folder, 'authority.json');
  const { address } = await readOrCreateKey(key);
  const child: ChildProcess = fork(fileURLToPath(new URL('./memoryLedgerProcess.ts', import.meta.url)), [address], {
    serialization: 'advanced',
  });
  const said = async (): Promise<Said> => (await once(child, 'message'))[0] as Said;
  const tell = async (told: Told): Promise<readonly Promised[]> => {
    child.send(told);
    const answer = await said();
    return 'done' in answer ? answer.done : [];
  };
  const ready = await said();
  const [base, layer] = 'urls' in ready ? ready.urls : ['', ''];
  return {
    name: 'ledgers that answer at once',
    folder,
    settings: {
      PORT: '0',
      DATA_DIR: join(folder, 'coordinator'),
      BASE_RPC_URL: base,
      LAYER_RPC_URL: layer,
      EXECUTION_AUTHORITY_KEY: key,
      READS_PER_MINUTE: '1000000',
      REGISTRATIONS_PER_MINUTE: '1000000',
    },
    processes: { 'both ledgers': [child.pid as number] },
    promise: (many) => tell({ promise: many }),
    async setClock(seconds) {
      await tell({ setClock: seconds });
    },
    async stop() {
      child.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
