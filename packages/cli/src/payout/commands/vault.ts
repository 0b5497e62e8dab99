import { findVaultAddress, sendStepsToBase, sendToBase } from '@payouts/client';
import {
  bookSurplus as bookSurplusChange,
  depositTokens as depositChange,
  findPolicy,
  findVault,
  type OpenVault,
  openVaultChange,
  type PlannedChange,
  policyJson,
  readVault,
  schedulesOf,
  surplusOf,
  type TokenInfo,
  withdrawTokens as withdrawalPlan,
} from '@payouts/employer';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { parseTokens, withName } from '../amounts.ts';
import { isWanted } from '../confirm.ts';
import { policyLines } from '../employer/policy.ts';
import { Failure } from '../failure.ts';
import { loadKeypair } from '../keypair.ts';
import { addressOption, withAsking, withJson, withKey } from '../options.ts';
import { bold, columns, dim, print, printJson, printResult, say, sentenceLines, warn, wrapped } from '../output.ts';
import { withLedger, withSending } from '../rpc.ts';
import type { Signer } from '../signer/signer.ts';
import { withTreasury } from '../treasury.ts';
import { addApproval } from './approval.ts';
import { closeVault } from './vaultClose.ts';
import { type OpenedVault, openToken, openVault, type VaultOptions } from './vaultOptions.ts';

type WithApprover = { readonly approverKeypair?: string };

/** payout vault init|deposit|book-surplus|withdraw|close|show */
export function addVault(program: Command): void {
  const vault = program.command('vault').description('Your vault of a token: what your schedules are paid from');
  const of = (command: Command) =>
    withTreasury(withJson(withKey(command))).requiredOption('--token <mint>', "the token's mint", addressOption);
  const changing = (command: Command) => withAsking(withSending(of(command)));
  changing(vault.command('init').description('Open a vault')).action(init);
  changing(vault.command('deposit <amount>').description('Deposit tokens')).action(depositTokens);
  changing(vault.command('book-surplus').description('Book what was sent to it without a deposit')).action(bookSurplus);
  changing(vault.command('withdraw <amount>').description('Withdraw available tokens: an amount, or all'))
    .option('--approver-keypair <file>', 'above your limits: the keypair of your approver, who signs too')
    .action(withdrawTokens);
  changing(
    vault.command('close').description('Close a vault without schedules: what it holds goes to your wallet'),
  ).action(closeVault);
  withLedger(of(vault.command('show')))
    .description('Show its money, to the last unit, and who approves')
    .action(show);
  addApproval(vault);
}

async function init(options: VaultOptions): Promise<void> {
  const { token, ...session } = await openToken(options);
  const existing = await findVault(session.ledgers, session.employer.address, token);
  if (existing !== undefined) {
    return printResult(
      options,
      { vault: existing.address, isNew: false },
      `You have a vault of ${token.name} already: ${existing.address}`,
    );
  }
  const { effects, plan, steps } = await openVaultChange(session, token);
  if (!(await isWanted(sentenceLines(effects), options, plan))) return;
  await sendStepsToBase(session.ledgers, steps, session.employer);
  const address = await findVaultAddress(session.employer.address, token.mint);
  printResult(options, { vault: address, isNew: true }, `Opened: ${address}`);
}

async function depositTokens(written: string, options: VaultOptions): Promise<void> {
  const { token } = await openToken(options);
  const amount = parseTokens(written, token.decimals);
  const own = await openVault(options);
  await moved(own, options, await depositChange(own, amount));
}

async function bookSurplus(options: VaultOptions): Promise<void> {
  const own = await openVault(options);
  await moved(own, options, bookSurplusChange(own));
}

async function withdrawTokens(written: string, options: VaultOptions & WithApprover): Promise<void> {
  const own = await openVault(options);
  const { token, vault } = own;
  const amount = written === 'all' ? vault.available : parseTokens(written, token.decimals);
  const { approver: needed, stepsFor, ...change } = await withdrawalPlan(own, amount);
  const approver = needed === undefined ? undefined : await approverKey(needed, options);
  await moved(own, options, { ...change, steps: await stepsFor(approver) });
}

/** Throws `Failure` approval-required or not-approver. */
async function approverKey(needed: Address, { approverKeypair }: WithApprover): Promise<Signer> {
  if (approverKeypair === undefined) {
    throw new Failure(
      'approval-required',
      `That is above what you may take out alone: ${needed} signs too. Name their keypair with --approver-keypair FILE.`,
    );
  }
  const approver = await loadKeypair(approverKeypair);
  if (approver.address === needed) return approver;
  throw new Failure('not-approver', `${needed} approves here, and the key is ${approver.address}.`);
}

/** Carries out what moves money of a vault, and shows it afterwards. */
async function moved(own: OpenedVault, options: VaultOptions, { effects, plan, steps }: PlannedChange): Promise<void> {
  const { ledgers, employer, token } = own;
  if (!(await isWanted(sentenceLines(effects), options, plan))) return;
  const signature = await sendToBase(ledgers, steps.flat(2), employer);
  // It is done, whatever becomes of the look: who took a failed one for a failure would do it twice.
  const vault = await readVault(ledgers, employer.address, token).catch(() => undefined);
  const after =
    vault === undefined ? ['The ledger does not show the vault now: payout vault show'] : moneyLines(vault, token);
  printResult(
    options,
    { signature, ...(vault && moneyOf(vault)) },
    'Done. The transaction:',
    dim(signature),
    '',
    ...after,
  );
}

async function show(options: VaultOptions): Promise<void> {
  const { ledgers, token, vault } = await openVault(options);
  const schedules = await schedulesOf(ledgers, vault);
  const policy = await findPolicy(ledgers, vault);
  if (options.json) {
    return printJson({
      vault: vault.address,
      token: { mint: token.mint, decimals: token.decimals, name: token.name },
      ...moneyOf(vault),
      approval: policyJson(policy),
      schedules: schedules.map(({ address }) => address),
      violations: vault.violations,
    });
  }
  print(`${bold(`Vault of ${token.name}`)}  ${vault.address}`);
  print();
  for (const line of moneyLines(vault, token)) print(line);
  print();
  const surplus = surplusOf(vault);
  if (surplus > 0n) {
    const sent = `Its token account holds ${withName(surplus, token)} more, which somebody sent without a deposit. To book them:`;
    for (const line of [...wrapped(sent), `  payout vault book-surplus --token ${token.mint}`, '']) print(line);
  }
  if (policy !== undefined) for (const line of [...policyLines(policy, token), '']) print(line);
  say(
    `${schedules.length === 1 ? '1 schedule draws' : `${schedules.length} schedules draw`} on it: payout schedule list --token ${token.mint}`,
  );
  if (vault.violations.length === 0) return print('The books balance, and its token account holds what they say.');
  for (const { sentence } of vault.violations) warn(sentence);
  throw new Failure('money-rule-broken', "The vault's books don't balance. Tell whoever runs the ledger program.");
}

const moneyOf = (found: OpenVault) => {
  const { deposited, withdrawn, paid, open, reserved } = found.vault;
  const { available, held } = found;
  return { deposited, withdrawn, paid, open, reserved, available, held, surplus: surplusOf(found) };
};

function moneyLines({ vault, available }: OpenVault, token: TokenInfo): string[] {
  const { deposited, withdrawn, paid, open, reserved } = vault;
  return columns(
    [
      ['  deposited', withName(deposited, token)],
      ['− withdrawn', withName(withdrawn, token)],
      ['− paid', withName(paid, token)],
      ['− in open windows', withName(open, token)],
      ['− reserved for your schedules', withName(reserved, token)],
      ['= available', withName(available, token)],
    ],
    [1],
  );
}
