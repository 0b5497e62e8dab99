import {
  type BaseConnection,
  fetchMaybeVault,
  getConfirmApprovalInstructionAsync,
  getSetApprovalInstructionAsync,
  millisOf,
  NO_APPROVER,
  NO_DAILY_LIMIT,
  sendToBase,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { parseTokens } from '../amounts.ts';
import { isWanted } from '../confirm.ts';
import { changeJson, findPolicy, limitsText, type PolicyTerms, policyJson, policyLines } from '../employer/policy.ts';
import { readVault } from '../employer/vault.ts';
import { Failure, WrongUsage } from '../failure.ts';
import { loadKeypair } from '../keypair.ts';
import { type AskOptions, addressOption, type KeyOptions, withAsking, withJson, withKey } from '../options.ts';
import { printResult, wrapped } from '../output.ts';
import { baseLedger, type LedgerOptions, levelOf, withLedger, withSending } from '../rpc.ts';
import { timeText } from '../timeText.ts';
import { readToken } from '../token.ts';

type ApprovalOptions = KeyOptions & AskOptions & LedgerOptions & { readonly token?: Address; readonly vault?: Address };
type SetOptions = ApprovalOptions & {
  readonly approver: Address;
  readonly limit: string;
  readonly dailyLimit?: string;
};

/** payout vault approval set|remove|confirm|show */
export function addApproval(vault: Command): void {
  const approval = vault.command('approval').description('A second person who approves what you prepare above a limit');
  const own = (command: Command) =>
    withSending(withJson(withKey(command))).requiredOption('--token <mint>', "the token's mint", addressOption);
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
    .description('Who approves, above which limit, and what waits')
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
  const employer = await loadKeypair(options.keypair);
  const { token } = await vaultOf(options);
  if (options.approver === employer.address) {
    throw new Failure('approver-invalid', 'That is your own key: the approver must be somebody else.');
  }
  if (options.approver === NO_APPROVER) throw new WrongUsage('Nobody has this key. See payout vault approval remove.');
  const limit = limitOf(options.limit, token.decimals);
  const dailyLimit = options.dailyLimit === undefined ? NO_DAILY_LIMIT : limitOf(options.dailyLimit, token.decimals);
  await propose(options, { approver: options.approver, limit, dailyLimit }, (isAtOnce) => [
    ...wrapped(limitsText({ limit, dailyLimit }, token)),
    `  ${options.approver}`,
    ...wrapped(isAtOnce ? AT_ONCE : LATER),
  ]);
}

const AT_ONCE =
  'This holds at once. To loosen it again takes that key, or a week in which everybody can see it coming.';
const LATER =
  'That loosens what stands, so it waits: your present approver can confirm it at any time, you alone after a week.';

async function remove(options: ApprovalOptions): Promise<void> {
  const { policy, token } = await vaultOf(options);
  if (policy === undefined) throw new Failure('no-approver', `Your vault of ${token.name} has no approver.`);
  await propose(options, { approver: NO_APPROVER, limit: 0n, dailyLimit: 0n }, () => [
    'Nobody else approves any more.',
    ...wrapped(LATER),
  ]);
}

/** Sends what the employer wants of the policy; `says` tells what it means, at once or later. */
async function propose(
  options: ApprovalOptions,
  wanted: PolicyTerms,
  says: (isAtOnce: boolean) => readonly string[],
): Promise<void> {
  const employer = await loadKeypair(options.keypair);
  const { ledgers, address, policy } = await vaultOf(options);
  const isStricter =
    wanted.approver === policy?.approver && wanted.limit <= policy.limit && wanted.dailyLimit <= policy.dailyLimit;
  if (!(await isWanted(says(policy === undefined || isStricter), options, { vault: address, ...wanted }))) return;
  const instruction = await getSetApprovalInstructionAsync({ employer, payer: employer, vault: address, ...wanted });
  await done(options, address, await sendToBase(ledgers, [instruction], employer));
}

async function confirm(options: ApprovalOptions): Promise<void> {
  const signer = await loadKeypair(options.keypair);
  const { ledgers, address, vault, policy, token } = await vaultOf(options);
  const change = policy?.change;
  if (policy === undefined || change === undefined) {
    throw new Failure('nothing-proposed', `No change of an approval policy waits for the vault ${address}.`);
  }
  const isEmployer = signer.address === vault.employer;
  if (!isEmployer && signer.address !== policy.approver) {
    throw new Failure('not-approver', `${policy.approver} approves here, and your key is ${signer.address}.`);
  }
  if (isEmployer && options.time.now() < millisOf(change.at)) {
    throw new Failure(
      'not-due',
      `You alone can confirm it from ${timeText(millisOf(change.at))} on; your approver at any time.`,
    );
  }
  if (!(await isWanted(policyLines(policy, token), options, { vault: address, ...changeJson(change) }))) return;
  const { approver = NO_APPROVER, limit, dailyLimit } = change;
  const input = { signer, employer: vault.employer, vault: address, approver, limit, dailyLimit };
  const instruction = await getConfirmApprovalInstructionAsync(input);
  await done(options, address, await sendToBase(ledgers, [instruction], signer));
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
