import { type Ledgers, patientRpc, type Time } from '@payouts/client';
import { type Command, Option } from 'commander';
import { solanaSetting } from './solanaConfig.ts';

/** What a command takes that speaks to the base ledger. */
export type LedgerOptions = { readonly rpc?: string; readonly time: Time };

const DEFAULT_RPC = 'http://127.0.0.1:8899';

/** Adds `--rpc`. */
export function withLedger(command: Command): Command {
  return command.addOption(
    new Option('--rpc <url>', "RPC of the base ledger (default: that of Solana's own CLI)").env('PAYOUT_RPC'),
  );
}

/** The base ledger: the RPC given, else the one that Solana's own command line is set to, else that of a local ledger. */
export async function baseLedger({ rpc, time }: LedgerOptions): Promise<Pick<Ledgers, 'base' | 'time'>> {
  return { base: patientRpc(rpc ?? (await solanaSetting('json_rpc_url')) ?? DEFAULT_RPC, time), time };
}
