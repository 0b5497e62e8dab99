import { findConfigAddress, PAYOUT_LEDGER_PROGRAM_ADDRESS } from '@payouts/client';
import { readConfig } from '@payouts/employer';
import type { Command } from 'commander';
import { print, printJson } from '../../output.ts';
import { baseLedger } from '../../rpc.ts';
import { configJson, configLines } from './configText.ts';
import { type LookOptions, looking } from './parts.ts';

/** payout governance show */
export function addShow(governance: Command): void {
  looking(governance.command('show')).description('Show roles and limits').action(show);
}

async function show(options: LookOptions): Promise<void> {
  const config = await readConfig(await baseLedger(options));
  const address = await findConfigAddress();
  if (options.json)
    return printJson({ program: PAYOUT_LEDGER_PROGRAM_ADDRESS, config: address, ...configJson(config) });
  print(`Program ${PAYOUT_LEDGER_PROGRAM_ADDRESS}, config ${address}`);
  for (const line of configLines(config)) print(`  ${line}`);
}
