import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { endWithThisProcess } from '@payouts/localnet';

/** Starts a server that ends with this process, however that ends: a test that is killed must leave no server behind. */
export function spawnServer(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const server = spawn(program, args, options);
  if (server.pid !== undefined) server.once('exit', endWithThisProcess(server.pid));
  return server;
}
