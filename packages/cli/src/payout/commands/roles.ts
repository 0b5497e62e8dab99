import {
  GIVEN_ROLES,
  type GivenRole,
  type RoleHistoryEntry,
  type RoleHolder,
  readRoleHistory,
  roleHolders,
  setRole,
  votesNeeded,
} from '@payouts/employer';
import type { Address } from '@solana/kit';
import { Argument, type Command } from 'commander';
import { carryOutChange, openEmployer } from '../ledgerChange.ts';
import { type AskOptions, addressOption, type KeyOptions, withAsking, withJson, withKey } from '../options.ts';
import { columns, dim, print, printJson } from '../output.ts';
import { type LedgerOptions, withLedger, withSending } from '../rpc.ts';
import { timeText } from '../timeText.ts';
import { type TreasuryOptions, treasuryOf, withTreasury } from '../treasury.ts';

type ReadOptions = KeyOptions & LedgerOptions & TreasuryOptions & { readonly json?: true };
type Options = ReadOptions & AskOptions;

/** payout roles list|set|remove|history */
export function addRoles(program: Command): void {
  const roles = program.command('roles').description('Who may do what for an employer, and what they have done');
  const own = (command: Command) => withTreasury(withJson(withKey(command)));
  const changing = (command: Command) => withAsking(withSending(own(command)));
  withLedger(own(roles.command('list')))
    .description('Show everybody who has a role, and since when')
    .action(list);
  const holder = (name: string) => roles.command(name).argument('<address>', 'whose key it is', addressOption);
  changing(holder('set').addArgument(new Argument('<role>', 'what it becomes').choices(GIVEN_ROLES)))
    .description('Make a key a viewer, who reads for you, or a clerk, who also lets others read')
    .action(change);
  changing(holder('remove'))
    .description('Take a role back: it reads nothing from the next request on')
    .action((address: Address, options: Options) => change(address, undefined, options));
  withLedger(own(roles.command('history')))
    .description('Show who gave roles, proposed, approved and executed what, newest first')
    .action(history);
}

async function change(holder: Address, role: GivenRole | undefined, options: Options): Promise<void> {
  const session = await openEmployer(options);
  const planned = await setRole(session, holder, role);
  await carryOutChange({ signer: session.employer, ledgers: session.ledgers }, options, planned);
}

/** Whose people are asked about. */
async function opened(options: ReadOptions) {
  const { employer, ledgers } = await openEmployer(options);
  const treasury = options.treasury && (await treasuryOf(ledgers, options, options.treasury));
  return { employer: employer.address, ledgers, treasury };
}

async function list(options: ReadOptions): Promise<void> {
  const { employer, ledgers, treasury } = await opened(options);
  const holders = await roleHolders(ledgers, employer, treasury);
  if (options.json) {
    return printJson({ employer, ...(treasury && { threshold: treasury.state.threshold }), holders });
  }
  if (treasury !== undefined) print(`The treasury is the employer ${employer}. ${votesNeeded(treasury)}`);
  for (const line of columns(holders.map(rowOf))) print(line);
}

const rowOf = ({ address, roles, since, vault }: RoleHolder): string[] => [
  address,
  roles.join(', '),
  since === undefined ? (vault === undefined ? '' : `in the vault ${vault}`) : `since ${timeText(since)}`,
];

async function history(options: ReadOptions): Promise<void> {
  const { employer, ledgers, treasury } = await opened(options);
  const entries = await readRoleHistory(ledgers, employer, treasury);
  if (options.json) return printJson({ employer, entries });
  if (entries.length === 0) return print('Nothing has been done yet.');
  for (const entry of entries) for (const line of linesOf(entry)) print(line);
}

const linesOf = ({ at, by, deeds, signature }: RoleHistoryEntry): string[] => [
  `${at === undefined ? 'at an unknown time' : timeText(at)}  by ${by}`,
  ...deeds.map(({ what, number, about, role }) =>
    ['  ', what, number, about, role === null ? 'none any more' : role].filter((part) => part !== undefined).join(' '),
  ),
  dim(`   ${signature}`),
];
