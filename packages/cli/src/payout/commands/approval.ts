import {
  type BaseConnection,
  fetchMaybeVault,
  levelOf,
  NO_APPROVER,
  NO_DAILY_LIMIT,
  sendToBase,
} from '@payouts/client';
import {
  confirmApproval,
  type EmployerSession,
  findPolicy,
  ownVault,
  type PlannedChange,
  policyJson,
  readToken,
  readVault,
  removeApproval,
  setApproval,
} from '@payouts/employer';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { parseTokens } from '../amounts.ts';
import { isWanted } from '../confirm.ts';
import { policyLines } from '../employer/policy.ts';
import { Failure, WrongUsage } from '../failure.ts';
import { loadKeypair } from '../keypair.ts';
import { openEmployer } from '../ledgerChange.ts';
import { type AskOptions, addressOption, type KeyOptions, withAsking, withJson, withKey } from '../options.ts';
import { printResult, sentenceLines } from '../output.ts';
import { baseLedger, type LedgerOptions, withLedger, withSending } from '../rpc.ts';
import { type TreasuryOptions, withTreasury } from '../treasury.ts';

type ApprovalOptions = KeyOptions &
  AskOptions &
  LedgerOptions &
  TreasuryOptions & { readonly token?: Address; readonly vault?: Address };
type OwnOptions = ApprovalOptions & { readonly token: Address };
type SetOptions = OwnOptions & {
  readonly approver: Address;
  readonly limit: string;
  readonly dailyLimit?: string;
};

/** payout vault approval set|remove|confirm|show */
export function addApproval(vault: Command): void {
  const approval = vault.command('approval').description('A second person who approves what you prepare above a limit');
  const own = (command: Command) =>
    withTreasury(withSending(withJson(withKey(command)))).requiredOption(
      '--token <mint>',
      "the token's mint",
      addressOption,
    );
  const any = (command: Command) =>
    withJson(withKey(command))
      .option('--token <mint>', "your own vault: the token's mint", addressOption)
      .option('--vault <address>', "the employer's vault, if you are the approver", addressOption);
  withAsking(own(approval.command('set')))
    .description('Name your approver and limit; to loosen them takes the approver, or a week')
    .requiredOption('--approver <address>', 'whose key approves', addressOption)
    .requiredOption('--limit <amount>', 'most of an execution or a withdrawal that needs no approval; 0: none')
    .option(
      '--daily-limit <amount>',
      'most that is withdrawn or newly promised in a day (UTC) without approval (default: any)',
    )
    .action(set);
  withAsking(own(approval.command('remove')))
    .description('Have no approver any more; takes the approver, or a week')
    .action(remove);
  withAsking(withSending(any(approval.command('confirm'))))
    .description('Make the change that waits: as the approver, or as the employer when its week is over')
    .action(confirm);
  withLedger(any(approval.command('show')))
    .description('Show who approves, above which limit, and what waits')
    .action(show);
}

/** The vault that the options name, with its policy. Throws `Failure` vault-missing, or `WrongUsage`. */
async function vaultOf(options: ApprovalOptions) {
  const ledgers = await baseLedger(options);
  const found = await placedOf(ledgers, options);
  return { ledgers, ...found, policy: await findPolicy(ledgers, found) };
}

async function placedOf(ledgers: BaseConnection, options: ApprovalOptions) {
  if (options.vault !== undefined) {
    const found = await fetchMaybeVault(ledgers.base, options.vault, levelOf(ledgers));
    if (!found.exists) throw new Failure('vault-missing', `There is no vault ${options.vault} on this ledger.`);
    return { address: options.vault, vault: found.data, token: await readToken(ledgers, found.data.mint) };
  }
  if (options.token === undefined)
    throw new WrongUsage('Pass --token for your own vault, or --vault for that of another.');
  const token = await readToken(ledgers, options.token);
  const { address, vault } = await readVault(ledgers, (await loadKeypair(options.keypair)).address, token);
  return { address, vault, token };
}

/** Base units of a limit, which may be none at all. */
const limitOf = (written: string, decimals: number): bigint =>
  /^0+([.]0*)?$/.test(written.trim()) ? 0n : parseTokens(written, decimals);

async function set(options: SetOptions): Promise<void> {
  const own = await ownVault(await openEmployer(options), options.token);
  if (options.approver === NO_APPROVER) throw new WrongUsage('Nobody has this key. See payout vault approval remove.');
  const { decimals } = own.token;
  const limit = limitOf(options.limit, decimals);
  const dailyLimit = options.dailyLimit === undefined ? NO_DAILY_LIMIT : limitOf(options.dailyLimit, decimals);
  await changed(own, options, await setApproval(own, { approver: options.approver, limit, dailyLimit }));
}

async function remove(options: OwnOptions): Promise<void> {
  const own = await ownVault(await openEmployer(options), options.token);
  await changed(own, options, await removeApproval(own));
}

async function confirm(options: ApprovalOptions): Promise<void> {
  const session = await openEmployer(options);
  const { address, vault, policy, token } = await vaultOf(options);
  const change = await confirmApproval(session, { address, owner: vault.employer, token, policy });
  await changed({ ...session, vault: { address } }, options, change);
}

/** Carries out a change of a policy. */
async function changed(
  { employer, ledgers, vault }: EmployerSession & { readonly vault: { readonly address: Address } },
  options: ApprovalOptions,
  { effects, plan, steps }: PlannedChange,
): Promise<void> {
  const what = sentenceLines(effects);
  if (!(await isWanted(what, options, plan))) return;
  await done(options, vault.address, await sendToBase(ledgers, steps.flat(2), employer));
}

/** Says how the policy stands now. */
async function done(options: ApprovalOptions, vault: Address, signature: string): Promise<void> {
  const { policy, token } = await vaultOf({ ...options, vault });
  printResult(options, { vault, signature, approval: policyJson(policy) }, 'Done.', ...policyLines(policy, token));
}

async function show(options: ApprovalOptions): Promise<void> {
  const { address, policy, token } = await vaultOf(options);
  printResult(options, { vault: address, approval: policyJson(policy) }, ...policyLines(policy, token));
}
