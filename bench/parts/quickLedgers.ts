import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readOrCreateKey } from '@payouts/cli';
import { createSolanaRpc } from '@solana/kit';
import type { ManySchedules, Promised } from './manySchedules.ts';
import type { BenchLedgers } from './together.ts';

/** What the ledgers' process is told, and what it says. */
export type Told = { readonly promise: ManySchedules } | { readonly setClock: number };
export type Said =
  | { readonly base: string; readonly changes: string; readonly layer: string }
  | { readonly done: readonly Promised[] };

/** Works on ledgers that answer at once, in a process of their own: what is measured on them is the service's own cost. */
export async function onQuickLedgers<T>(work: (ledgers: BenchLedgers) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'payouts-bench-'));
  const [key, payloadKey] = [join(folder, 'authority.json'), join(folder, 'payload.key')];
  const { address } = await readOrCreateKey(key);
  writeFileSync(payloadKey, randomBytes(32).toString('hex'), { mode: 0o600 });
  const child = fork(fileURLToPath(new URL('./quickLedgersProcess.ts', import.meta.url)), [address], {
    serialization: 'advanced',
  });
  try {
    return await work(await ledgersOf(child, { folder, key, payloadKey }));
  } finally {
    child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
}

type Files = { readonly folder: string; readonly key: string; readonly payloadKey: string };

async function ledgersOf(child: ChildProcess, { folder, key, payloadKey }: Files): Promise<BenchLedgers> {
  const said = async () => (await once(child, 'message'))[0] as Said;
  const tell = async (told: Told): Promise<readonly Promised[]> => {
    child.send(told);
    const answer = await said();
    return 'done' in answer ? answer.done : [];
  };
  const ready = await said();
  if (!('base' in ready)) throw new Error('The ledgers have not said where they are.');
  return {
    folder,
    payloadKey,
    base: createSolanaRpc(ready.base),
    pids: { base: [child.pid as number], layer: [] },
    settings: {
      ...{ PORT: '0', DATA_DIR: join(folder, 'coordinator'), EXECUTION_AUTHORITY_KEY: key },
      ...{ BASE_RPC_URL: ready.base, BASE_WS_URL: ready.changes, LAYER_RPC_URL: ready.layer },
      ...{ READS_PER_MINUTE: '1000000', REGISTRATIONS_PER_MINUTE: '1000000', CONNECTIONS_PER_CLIENT: '1000000' },
    },
    promise: (many) => tell({ promise: many }),
    clock: { warpClock: (seconds) => tell({ setClock: seconds }) },
    begin: async () => {},
  };
}
