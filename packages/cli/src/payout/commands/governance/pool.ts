import {
  fetchMaybePool,
  findPoolAddress,
  findSponsorAddress,
  getSetLeastOpeningInstructionAsync,
  levelOf,
  MAX_U64,
  poolHeld,
  tokensIn,
} from '@payouts/client';
import { fillSponsorInstruction, readToken, SPONSOR_LAMPORTS, type TokenInfo } from '@payouts/employer';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { openPool } from '../../../deployment.ts';
import { parseTokens, showTokens, withName } from '../../amounts.ts';
import { isWanted } from '../../confirm.ts';
import { Failure } from '../../failure.ts';
import { loadKeypair } from '../../keypair.ts';
import { carryOut, openLedger } from '../../ledgerChange.ts';
import { addressOption } from '../../options.ts';
import { columns, print, printJson, printResult, warn } from '../../output.ts';
import { baseLedger } from '../../rpc.ts';
import {
  bothSigning,
  changing,
  type GovernanceOptions,
  governed,
  guardianOf,
  type LookOptions,
  looking,
  SOL,
  sayUnchanged,
  solOption,
  type TwoKeys,
} from './parts.ts';

type OfToken = { readonly token: Address };

/** payout governance pool open|show|fund|sponsor */
export function addPool(governance: Command): void {
  const pool = governance.command('pool').description("A token's pool: what recipients are paid from; anybody may");
  const of = (command: Command) => command.requiredOption('--token <mint>', "the token's mint", addressOption);
  of(changing(pool.command('open')))
    .description('Open it before the first employer does')
    .action(open);
  of(looking(pool.command('show')))
    .description("Show what it holds, and its sponsor's SOL")
    .action(show);
  of(changing(pool.command('fund').argument('<sol>', 'how much', solOption)))
    .description("Put SOL into its sponsor, which pays for recipients' token accounts")
    .action(fund);
  of(bothSigning(pool.command('sponsor').argument('<amount>', 'of the token; or none')))
    .description("Set from which withdrawal on it opens a wallet's token account; both keys sign")
    .action(sponsor);
}

async function open(options: GovernanceOptions & OfToken): Promise<void> {
  const { signer: payer, ledgers } = await openLedger(options);
  const token = await readToken(ledgers, options.token);
  const address = await findPoolAddress(token.mint);
  if ((await fetchMaybePool(ledgers.base, address)).exists) {
    return printResult(
      options,
      { pool: address, isNew: false },
      `The pool of ${token.name} is open already: ${address}`,
    );
  }
  const what = [`Opens the pool of ${token.name}, with ${withName(SPONSOR_LAMPORTS, SOL)} in its sponsor.`];
  if (!(await isWanted(what, options, { pool: address }))) return;
  await openPool(ledgers, payer, token.mint, token.program);
  printResult(options, { pool: address, isNew: true }, `Opened: ${address}`);
}

async function opened(options: LookOptions & OfToken) {
  const ledgers = await baseLedger(options);
  const token = await readToken(ledgers, options.token);
  const address = await findPoolAddress(token.mint);
  const found = await fetchMaybePool(ledgers.base, address, levelOf(ledgers));
  if (!found.exists) {
    throw new Failure(
      'pool-missing',
      `${token.name} has no pool yet. The first vault opens it, or: payout governance pool open --token ${token.mint}`,
    );
  }
  const sponsor = await findSponsorAddress(token.mint);
  const { value: lamports } = await ledgers.base.getBalance(sponsor, levelOf(ledgers)).send();
  return { ledgers, token, address, pool: found.data, sponsor, lamports };
}

async function show(options: LookOptions & OfToken): Promise<void> {
  const { ledgers, token, address, pool, sponsor, lamports } = await opened(options);
  const { movedIn, returned, paidOut, open: inWindows, withdrawals } = pool;
  const must = poolHeld(pool);
  const held = await tokensIn(ledgers.base, pool.tokenAccount);
  if (options.json) {
    const { leastOpening } = pool;
    const money = { movedIn, returned, paidOut, open: inWindows, withdrawals, held, leastOpening };
    return printJson({ pool: address, ...money, sponsor, lamports });
  }
  print(`Pool of ${token.name}  ${address}`);
  const rows = [
    ['  came in', withName(movedIn, token)],
    ['− returned to vaults', withName(returned, token)],
    ['− paid out', withName(paidOut, token)],
    ['= must hold', withName(must, token)],
    ['  holds', withName(held, token)],
    ['  in open windows', withName(inWindows, token)],
    ['  withdrawals', String(withdrawals)],
    ['  sponsor', withName(lamports, SOL)],
    ['  opens accounts', openingText(pool.leastOpening, token)],
  ];
  for (const line of columns(rows, [1])) print(line);
  if (held >= must) return;
  warn(`Its token account holds ${showTokens(must - held, token.decimals)} too little.`);
  throw new Failure('money-rule-broken', "The pool doesn't hold what it must. Stop the coordinators and look why.");
}

async function fund(sol: bigint, options: GovernanceOptions & OfToken): Promise<void> {
  const signer = await loadKeypair(options.keypair);
  const { ledgers, token, lamports } = await opened(options);
  await carryOut({ signer, ledgers }, options, {
    what: [`Puts ${withName(sol, SOL)} into the sponsor of ${token.name}, which has ${withName(lamports, SOL)}.`],
    plan: { mint: token.mint, lamports: sol },
    instruction: await fillSponsorInstruction(signer, token.mint, sol),
    done: 'Done.',
  });
}

const openingText = (least: bigint, token: TokenInfo): string =>
  least === 0n ? 'for any withdrawal' : least === MAX_U64 ? 'for none' : `for ${withName(least, token)} and more`;

async function sponsor(amount: string, options: TwoKeys & OfToken): Promise<void> {
  const session = await governed(options);
  const guardian = await guardianOf(options.guardianKeypair, session.config);
  const { token, address, pool } = await opened(options);
  const least = amount === 'none' ? MAX_U64 : parseTokens(amount, token.decimals);
  if (least === pool.leastOpening) return sayUnchanged(options);
  await carryOut(session, options, {
    what: [
      `Opens wallets' token accounts: ${openingText(pool.leastOpening, token)}`,
      `  → ${openingText(least, token)}`,
    ],
    plan: { pool: address, leastOpening: least },
    instruction: await getSetLeastOpeningInstructionAsync({
      governance: session.signer,
      guardian,
      mint: token.mint,
      amount: least,
    }),
    done: 'Changed.',
  });
}
