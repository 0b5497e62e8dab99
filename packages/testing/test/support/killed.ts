import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { isPortFree } from '@payouts/localnet';
import { expect, vi } from 'vitest';

const child = fileURLToPath(new URL('../children/server.ts', import.meta.url));
const GONE_WITHIN_MS = 60_000;

/** Kills a process that started a server, and expects the server gone. */
export async function serversEndWith(server: 'postgres' | 'valkey', state: 'running' | 'frozen'): Promise<void> {
  const args = ['--conditions=@payouts/source', '--import', 'tsx', child, server, state];
  const killed = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [port] = (await once(killed, 'message')) as [number];
  killed.kill('SIGKILL');
  await vi.waitFor(async () => expect(await isPortFree(port)).toBe(true), GONE_WITHIN_MS);
}
