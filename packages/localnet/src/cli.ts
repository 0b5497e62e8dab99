#!/usr/bin/env node
import { resolve } from 'node:path';
import { systemTime } from '@payouts/client';
import { type Address, isAddress } from '@solana/kit';
import { Command, InvalidArgumentError } from 'commander';
import { addClusterOptions, type ClusterOptions, habitsOf } from './clusterOptions.ts';
import { LocalnetError } from './errors.ts';
import { type Localnet, type LocalnetOptions, startLocalnet } from './localnet.ts';
import type { ProgramToLoad } from './programs.ts';

interface UpOptions extends ClusterOptions {
  readonly dir: string;
  readonly basePort: number;
  readonly layerPort: number;
  readonly metricsPort: number;
  readonly program: readonly ProgramToLoad[];
  readonly upgradeAuthority?: Address;
  readonly reset: boolean;
}

const cli = new Command('localnet').description('A base ledger and an execution layer on this machine');

const upCommand = cli
  .command('up')
  .description('Start both and run until Ctrl-C')
  .option('--dir <directory>', 'where state is kept', '.data/localnet')
  .option('--base-port <port>', "the base ledger's RPC port, websocket on the next", toPort, 8899)
  .option('--layer-port <port>', "the execution layer's RPC port, websocket on the next", toPort, 7799)
  .option('--metrics-port <port>', "the execution layer's metrics port (0: any)", toPort, 0)
  .option('--program <address=path>', 'a compiled program to load (repeatable)', addProgram, [])
  .option('--upgrade-authority <address>', 'who may upgrade the programs loaded', toAddress)
  .option('--reset', 'forget the state of earlier runs', false);
addClusterOptions(upCommand).action(up);

await cli.parseAsync().catch((error: unknown) => {
  if (!(error instanceof LocalnetError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
});

async function up(options: UpOptions): Promise<void> {
  const stopped = untilStopped();
  const localnet = await startLocalnet(toLocalnetOptions(options));
  console.log(summary(localnet, options));
  await stopped;
  await localnet.stop();
}

function toLocalnetOptions(options: UpOptions): LocalnetOptions {
  const { dir: directory, program, upgradeAuthority, basePort, layerPort, metricsPort, reset } = options;
  const programs = program.map((each) => (upgradeAuthority === undefined ? each : { ...each, upgradeAuthority }));
  const ports = { basePort, layerPort, metricsPort };
  const habits = habitsOf(options);
  return { ...ports, directory, reset, programs, habits, log: (line) => console.error(line), time: systemTime };
}

/** Resolves at the first Ctrl-C or request to end; heard from the start, so that none is missed while both come up. */
function untilStopped(): Promise<void> {
  return new Promise((resolveStopped) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolveStopped());
  });
}

function summary(localnet: Localnet, { dir }: UpOptions): string {
  return [
    `Base ledger      ${localnet.baseRpcUrl}  ${localnet.baseWsUrl}`,
    `Its own node     ${localnet.ownNode.rpcUrl}  ${localnet.ownNode.wsUrl}`,
    `Execution layer  ${localnet.layerRpcUrl}  ${localnet.layerWsUrl}`,
    `Validator        ${localnet.validatorIdentity}`,
    `State            ${resolve(dir)}`,
    'Ctrl-C stops both.',
  ].join('\n');
}

function toPort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_534)
    throw new InvalidArgumentError('Give a port from 0 to 65534.');
  return port;
}

function toAddress(text: string): Address {
  if (!isAddress(text)) throw new InvalidArgumentError('Give a base58 address.');
  return text;
}

function addProgram(text: string, earlier: readonly ProgramToLoad[]): ProgramToLoad[] {
  const [address = '', ...path] = text.split('=');
  if (!isAddress(address) || path.length === 0) throw new InvalidArgumentError('Give ADDRESS=PATH.');
  return [...earlier, { address, path: path.join('=') }];
}
