import {
  fetchMaybeWhitelistEntry,
  findWhitelistEntryAddress,
  getSetWhitelistInstructionAsync,
  type Ledgers,
  sendToBase,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { isWanted } from '../../confirm.ts';
import { addressOption } from '../../options.ts';
import { print, printJson, warn, wrapped } from '../../output.ts';
import { baseLedger } from '../../rpc.ts';
import { changing, type GovernanceOptions, governed, type LookOptions, looking, readConfig } from './parts.ts';

const SUBJECT = ['<address>', 'an employer, or the mint of a token', addressOption] as const;

/** payout governance whitelist add|remove|show */
export function addWhitelist(governance: Command): void {
  const list = governance
    .command('whitelist')
    .description('Employers and tokens that are admitted, where the config asks for it');
  const set = (isAllowed: boolean) => (subject: Address, options: GovernanceOptions) =>
    put(subject, isAllowed, options);
  changing(list.command('add').argument(...SUBJECT))
    .description('Admit one')
    .action(set(true));
  changing(list.command('remove').argument(...SUBJECT))
    .description('Admit it no longer; what was promised goes on')
    .action(set(false));
  looking(list.command('show').argument(...SUBJECT))
    .description('Whether it is admitted')
    .action(show);
}

async function isAllowed(ledgers: Pick<Ledgers, 'base' | 'time'>, subject: Address): Promise<boolean> {
  const entry = await fetchMaybeWhitelistEntry(ledgers.base, await findWhitelistEntryAddress(subject), {
    commitment: 'finalized',
  });
  return entry.exists && entry.data.allowed === 1;
}

async function put(subject: Address, allowed: boolean, options: GovernanceOptions): Promise<void> {
  const { signer, ledgers } = await governed(options);
  if ((await isAllowed(ledgers, subject)) === allowed) {
    if (options.json) return printJson({ signature: null });
    return print('It is so already: nothing to change.');
  }
  const what = wrapped(`${allowed ? 'Puts on' : 'Takes off'} the whitelist: ${subject}`);
  if (!(await isWanted(what, options, { subject, allowed }))) return;
  const instruction = await getSetWhitelistInstructionAsync({
    governance: signer,
    payer: signer,
    subject,
    allowed: allowed ? 1 : 0,
  });
  const signature = await sendToBase(ledgers, [instruction], signer);
  if (options.json) return printJson({ signature });
  print(allowed ? 'Admitted.' : 'Admitted no longer.');
}

async function show(subject: Address, options: LookOptions): Promise<void> {
  const ledgers = await baseLedger(options);
  const { flags } = await readConfig(ledgers);
  const allowed = await isAllowed(ledgers, subject);
  if (options.json) return printJson({ subject, allowed });
  print(`${subject} is ${allowed ? '' : 'not '}on the whitelist.`);
  if (flags === 0) warn('The config asks for no whitelist: every employer and token is admitted.');
}
