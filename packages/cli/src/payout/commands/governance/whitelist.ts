import {
  type BaseConnection,
  fetchMaybeWhitelistEntry,
  findWhitelistEntryAddress,
  getSetWhitelistInstructionAsync,
  TOKEN_2022_PROGRAM_ADDRESS,
  TOKEN_PROGRAM_ADDRESS,
  tokenPowers,
} from '@payouts/client';
import { readConfig } from '@payouts/employer';
import { type Address, fetchEncodedAccount } from '@solana/kit';
import type { Command } from 'commander';
import { carryOut } from '../../ledgerChange.ts';
import { addressOption } from '../../options.ts';
import { printResult, warn, wrapped } from '../../output.ts';
import { baseLedger } from '../../rpc.ts';
import { changing, type GovernanceOptions, governed, type LookOptions, looking, sayUnchanged } from './parts.ts';

const SUBJECT = ['<address>', 'an employer, or the mint of a token', addressOption] as const;

/** payout governance whitelist add|remove|show */
export function addWhitelist(governance: Command): void {
  const list = governance
    .command('whitelist')
    .description(
      'Employers and tokens that are admitted, where the config asks for it, or a token gives somebody a power over it',
    );
  const set = (isAllowed: boolean) => (subject: Address, options: GovernanceOptions) =>
    put(subject, isAllowed, options);
  changing(list.command('add').argument(...SUBJECT))
    .description('Admit one')
    .action(set(true));
  changing(list.command('remove').argument(...SUBJECT))
    .description('Admit it no longer; what was promised goes on')
    .action(set(false));
  looking(list.command('show').argument(...SUBJECT))
    .description('Show whether it is admitted')
    .action(show);
}

async function isAllowed(ledgers: BaseConnection, subject: Address): Promise<boolean> {
  const entry = await fetchMaybeWhitelistEntry(ledgers.base, await findWhitelistEntryAddress(subject), {
    commitment: 'finalized',
  });
  return entry.exists && entry.data.allowed === 1;
}

/** What somebody may do to everybody's tokens, if the subject is a mint. */
async function powersOver({ base }: BaseConnection, subject: Address): Promise<readonly string[]> {
  const account = await fetchEncodedAccount(base, subject, { commitment: 'finalized' });
  const isMint = account.exists && [TOKEN_PROGRAM_ADDRESS, TOKEN_2022_PROGRAM_ADDRESS].includes(account.programAddress);
  return isMint ? tokenPowers(account.data as Uint8Array) : [];
}

const said = (powers: readonly string[]): string[] => powers.flatMap((power) => wrapped(`Its issuer can ${power}.`));

async function put(subject: Address, allowed: boolean, options: GovernanceOptions): Promise<void> {
  const session = await governed(options);
  const { signer, ledgers } = session;
  const powers = await powersOver(ledgers, subject);
  if ((await isAllowed(ledgers, subject)) === allowed) return sayUnchanged(options);
  const input = { governance: signer, payer: signer, subject, allowed: allowed ? 1 : 0 };
  await carryOut(session, options, {
    what: [...wrapped(`${allowed ? 'Puts on' : 'Takes off'} the whitelist: ${subject}`), ...said(powers)],
    plan: { subject, allowed, powers },
    instruction: await getSetWhitelistInstructionAsync(input),
    done: allowed ? 'Admitted.' : 'Admitted no longer.',
  });
}

async function show(subject: Address, options: LookOptions): Promise<void> {
  const ledgers = await baseLedger(options);
  const { flags } = await readConfig(ledgers);
  const [allowed, powers] = await Promise.all([isAllowed(ledgers, subject), powersOver(ledgers, subject)]);
  const listed = `${subject} is ${allowed ? '' : 'not '}on the whitelist.`;
  printResult(options, { subject, allowed, powers }, [listed, ...said(powers)].join('\n'));
  if (options.json || flags !== 0) return;
  warn('The config asks for no whitelist: every employer is admitted, and every token over which nobody has a power.');
}
