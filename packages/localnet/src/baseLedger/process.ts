/** The base ledger's own process, started by startBaseLedger: a client's busy event loop can't stall it. */
import { systemTime } from '@payouts/client';
import { LocalnetError, messageOf } from '../errors.ts';
import { Cluster } from './cluster.ts';
import { Faucet } from './faucet.ts';
import { genesisAccounts } from './genesis.ts';
import { readHabits } from './habits.ts';
import { LocalLedger, SLOT_MILLISECONDS } from './ledger.ts';
import { lockDirectory } from './lock.ts';
import type { OpenMessage, ProcessReport, StopMessage } from './messages.ts';
import { PubSub } from './pubsub.ts';
import { listen } from './servers.ts';

let close = (): void => {};

function report(message: ProcessReport, then: () => void = () => {}): void {
  if (process.connected) process.send?.(message, then);
  else then();
}

function end(exitCode: number): void {
  close();
  process.exit(exitCode);
}

function fail(error: unknown): void {
  const code = error instanceof LocalnetError ? error.code : 'BASE_LEDGER_FAILED';
  report({ kind: 'failed', code, message: messageOf(error) }, () => end(1));
}

async function open(message: OpenMessage): Promise<void> {
  const unlock = lockDirectory(message.directory);
  close = unlock;
  if (message.reset) LocalLedger.erase(message.directory);
  const faucet = await Faucet.open();
  const genesis = [faucet.account, ...(await genesisAccounts(message.programs)), ...message.accounts];
  const ledger = new LocalLedger(message.directory, genesis, systemTime);
  const cluster = new Cluster(ledger, systemTime);
  cluster.habits = readHabits({ ...message.habits });
  const pubsub = new PubSub(ledger, cluster, systemTime);
  const servers = await listen({ ledger, faucet, cluster, fail }, pubsub, message.port);
  const blocks = systemTime.every(SLOT_MILLISECONDS, () => ledger.makeBlock());
  close = () => {
    blocks.cancel();
    servers.close();
    ledger.close();
    unlock();
  };
  report({ kind: 'ready', port: servers.port });
}

process.on('message', (message: OpenMessage | StopMessage) => {
  if (message.kind === 'stop') end(0);
  else open(message).catch(fail);
});
// The parent is gone: nobody is left to stop this process.
process.on('disconnect', () => end(0));
// Ctrl-C reaches the whole process group; the parent stops the execution layer first and this ledger after it.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => end(0));
