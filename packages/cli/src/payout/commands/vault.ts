import {
  findTokenAddress,
  getBookSurplusInstruction,
  getDepositInstruction,
  getWithdrawApprovedInstructionAsync,
  getWithdrawInstructionAsync,
  sendToBase,
} from '@payouts/client';
import { getCreateAssociatedTokenIdempotentInstructionAsync } from '@solana-program/token';
import type { Command } from 'commander';
import { hasPool, SPONSOR_LAMPORTS } from '../../deployment.ts';
import { openVault } from '../../employer.ts';
import { tokensIn } from '../../ledgerAccounts.ts';
import { parseTokens, sol, withName } from '../amounts.ts';
import { isWanted } from '../confirm.ts';
import { approverFor, findPolicy, policyJson, policyLines } from '../employer/policy.ts';
import { findVault, type OpenVault, readVault, schedulesOf, surplusOf } from '../employer/vault.ts';
import { Failure } from '../failure.ts';
import { loadKeypair } from '../keypair.ts';
import { addressOption, withAsking, withJson, withKey } from '../options.ts';
import { bold, columns, dim, print, printJson, printResult, say, warn, wrapped } from '../output.ts';
import { withLedger, withSending } from '../rpc.ts';
import type { TokenInfo } from '../token.ts';
import { addApproval } from './approval.ts';
import { closeVault } from './vaultClose.ts';
import { openedVault, type VaultOptions } from './vaultOptions.ts';

type WithApprover = { readonly approverKeypair?: string };
/** payout vault init|deposit|book-surplus|withdraw|close|show */
export function addVault(program: Command): void {
  const vault = program.command('vault').description('Your vault of a token: what your schedules are paid from');
  const of = (command: Command) =>
    withJson(withKey(command)).requiredOption('--token <mint>', "the token's mint", addressOption);
  const changing = (command: Command) => withAsking(withSending(of(command)));
  changing(vault.command('init').description('Open a vault')).action(init);
  changing(vault.command('deposit <amount>').description('Put tokens into it')).action(depositTokens);
  changing(vault.command('book-surplus').description('Book what was sent to it without a deposit')).action(bookSurplus);
  changing(vault.command('withdraw <amount>').description('Take available tokens out: an amount, or all'))
    .option('--approver-keypair <file>', 'above your limits: the keypair of your approver, who signs too')
    .action(withdrawTokens);
  changing(
    vault.command('close').description('Close a vault without schedules: what it holds goes to your wallet'),
  ).action(closeVault);
  withLedger(of(vault.command('show')))
    .description('Its money, to the last unit, and who approves')
    .action(show);
  addApproval(vault);
}

async function init(options: VaultOptions): Promise<void> {
  const { employer, ledgers, token } = await openedVault(options);
  const existing = await findVault(ledgers, employer.address, token);
  if (existing !== undefined) {
    return printResult(
      options,
      { vault: existing.address, isNew: false },
      `You have a vault of ${token.name} already: ${existing.address}`,
    );
  }
  const isServed = await hasPool(ledgers, token.mint);
  const what = [`Opens your vault of ${bold(token.name)}`, `  ${token.mint}`];
  if (!isServed) {
    const first = 'You are the first with this token: its pool is opened, too';
    what.push(...wrapped(`${first}, with ${sol(SPONSOR_LAMPORTS)} SOL for recipients' token accounts.`));
  }
  if (!(await isWanted(what, options, { mint: token.mint, opensPool: !isServed }))) return;
  const address = await openVault(ledgers, employer, token.mint, token.program);
  printResult(options, { vault: address, isNew: true }, `Opened: ${address}`);
}

async function depositTokens(written: string, options: VaultOptions): Promise<void> {
  const { employer, ledgers, token } = await openedVault(options);
  const amount = parseTokens(written, token.decimals);
  const before = await readVault(ledgers, employer.address, token);
  const source = await findTokenAddress(employer.address, token.mint, token.program);
  const owned = await tokensIn(ledgers.base, source);
  if (owned < amount) {
    throw new Failure(
      'tokens-short',
      `Your wallet has ${withName(owned, token)}, which is less than ${withName(amount, token)}.`,
    );
  }
  const what = [
    `Moves ${bold(withName(amount, token))} from your wallet into your vault.`,
    `Available to promise then: ${withName(before.available + amount, token)}.`,
  ];
  if (!(await isWanted(what, options, { vault: before.address, amount }))) return;
  const { address: vault, vault: account } = before;
  const instruction = getDepositInstruction({
    depositor: employer,
    sourceToken: source,
    vault,
    vaultToken: account.tokenAccount,
    mint: token.mint,
    tokenProgram: token.program,
    amount,
  });
  const signature = await sendToBase(ledgers, [instruction], employer);
  await showAfter(options, signature, await readVault(ledgers, employer.address, token), token);
}

async function bookSurplus(options: VaultOptions): Promise<void> {
  const { employer, ledgers, token } = await openedVault(options);
  const found = await readVault(ledgers, employer.address, token);
  const surplus = surplusOf(found);
  if (surplus === 0n) {
    throw new Failure('no-surplus', `The vault's token account holds what its books say: nothing was sent to it.`);
  }
  const what = [
    ...wrapped(
      `Books ${bold(withName(surplus, token))}, which somebody sent to your vault's token account, as a deposit.`,
    ),
    `Available to promise then: ${withName(found.available + surplus, token)}.`,
  ];
  if (!(await isWanted(what, options, { vault: found.address, surplus }))) return;
  const { address: vault, vault: account } = found;
  const instruction = getBookSurplusInstruction({
    vault,
    vaultToken: account.tokenAccount,
    mint: token.mint,
  });
  const signature = await sendToBase(ledgers, [instruction], employer);
  await showAfter(options, signature, await readVault(ledgers, employer.address, token), token);
}

async function withdrawTokens(written: string, options: VaultOptions & WithApprover): Promise<void> {
  const { employer, ledgers, token } = await openedVault(options);
  const found = await readVault(ledgers, employer.address, token);
  const { address, available, vault } = found;
  const amount = written === 'all' ? available : parseTokens(written, token.decimals);
  if (amount === 0n || amount > available) {
    throw new Failure(
      'available-short',
      `Available are ${withName(available, token)}; ${withName(vault.reserved, token)} are reserved for your schedules. Cancel one to free its reserve.`,
    );
  }
  const needed = await approverFor(ledgers, found, { amount, sum: amount }, options);
  if (needed !== undefined && options.approverKeypair === undefined) {
    throw new Failure(
      'approval-required',
      `That is above what you may take out alone: ${needed} signs too. Name their keypair with --approver-keypair FILE.`,
    );
  }
  const approver = needed === undefined ? undefined : await loadKeypair(options.approverKeypair);
  if (approver !== undefined && approver.address !== needed) {
    throw new Failure('not-approver', `${needed} approves here, and the key is ${approver.address}.`);
  }
  const what = [
    ...wrapped(`Takes ${bold(withName(amount, token))} out of your vault to your own wallet, ${employer.address}.`),
    `Available to promise then: ${withName(available - amount, token)}.`,
  ];
  if (!(await isWanted(what, options, { vault: address, amount }))) return;
  const { mint, program: tokenProgram } = token;
  const withdrawal = {
    employer,
    vaultToken: vault.tokenAccount,
    destinationToken: await findTokenAddress(employer.address, mint, tokenProgram),
    mint,
    tokenProgram,
    amount,
  };
  const instructions = [
    await getCreateAssociatedTokenIdempotentInstructionAsync({
      payer: employer,
      owner: employer.address,
      mint,
      tokenProgram,
    }),
    approver === undefined
      ? await getWithdrawInstructionAsync(withdrawal)
      : await getWithdrawApprovedInstructionAsync({ ...withdrawal, approver }),
  ];
  const signature = await sendToBase(ledgers, instructions, employer);
  await showAfter(options, signature, await readVault(ledgers, employer.address, token), token);
}

async function showAfter(options: VaultOptions, signature: string, vault: OpenVault, token: TokenInfo): Promise<void> {
  const lines = ['Done. The transaction:', dim(signature), '', ...moneyLines(vault, token)];
  printResult(options, { signature, ...moneyOf(vault) }, ...lines);
}

async function show(options: VaultOptions): Promise<void> {
  const { employer, ledgers, token } = await openedVault(options);
  const vault = await readVault(ledgers, employer.address, token);
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
