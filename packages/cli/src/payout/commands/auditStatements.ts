import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Time, windowToJson } from '@payouts/client';
import { displayAmount } from '@payouts/payroll';
import {
  type AuditedEntry,
  amountText,
  CENTS,
  countText,
  dateText,
  EVIDENCE_FILE,
  type Evidence,
  evidenceFromJson,
  findingsOf,
  gatherEvidence,
  jsonIn,
  type Line,
  type Statement,
  type StatementKind,
  statementCsv,
  statementPdf,
  sumText,
  verifyEvidence,
} from '@payouts/statements';
import type { Address } from '@solana/kit';
import type { Command } from 'commander';
import { historyOf } from '../../audits.ts';
import { makeFolder, OWNER_ONLY } from '../../payslips/export.ts';
import { askOf } from '../../requests.ts';
import { Failure } from '../failure.ts';
import { addressOption, apiOf, type CommonOptions, windowOption, withCommon, withJson } from '../options.ts';
import { marked, print, say, write } from '../output.ts';

/** A schedule that may be left out: then it is about all of them. */
export const ANY_SCHEDULE = [
  '[schedule]',
  'address of the schedule; all that you were granted, if left out',
  addressOption,
] as const;

type Checks = { readonly authority?: Address; readonly rpc?: string; readonly json?: true; readonly time: Time };
type Statements = CommonOptions & Checks & { readonly from?: bigint; readonly to?: bigint; readonly out?: string };

/** `audit totals|recipients|verify`. */
export function addStatements(group: Command): void {
  const statement = (kind: StatementKind, description: string) =>
    withChecks(withCommon(group.command(kind)))
      .description(description)
      .argument(...ANY_SCHEDULE)
      .option('--from <window>', 'the first window to look at', windowOption)
      .option('--to <window>', 'the last window to look at', windowOption)
      .option('--out <folder>', 'also write it as CSV and PDF, into a new folder')
      .action(async (schedule: Address | undefined, options: Statements) => make(kind, schedule, options));
  statement('totals', 'What settled windows paid in all, each verified, and the grand totals');
  statement(
    'recipients',
    'What settled windows paid the recipients that were named to you, each verified, and their sums',
  );

  withChecks(withJson(group.command('verify <files...>')))
    .description(`Verifies statements again, ${EVIDENCE_FILE} or PDF, without a network`)
    .action(async (paths: readonly string[], options: Checks) => {
      for (const path of paths) {
        const evidence = evidenceFromJson(jsonIn(await readFile(path), EVIDENCE_FILE));
        show(await verifyEvidence(evidence, checksOf(options)), options);
      }
    });
}

const withChecks = (command: Command): Command =>
  command
    .option('--authority <address>', 'the execution authority, where you know it', addressOption)
    .option('--rpc <url>', 'also look everything up on the base ledger, at a node that keeps its history');

const checksOf = ({ authority, rpc, time }: Checks) => ({
  authority,
  ledger: rpc === undefined ? undefined : historyOf(rpc, time),
});

async function make(kind: StatementKind, schedule: Address | undefined, options: Statements): Promise<void> {
  const { from = null, to = null, out, time } = options;
  const api = await apiOf(options);
  const wish = { kind, auditor: api.signer.address, schedule, range: { from, to }, madeAt: time.now() };
  const evidence = await gatherEvidence(askOf(api), wish);
  if (evidence.payrolls.length === 0) {
    const what = kind === 'totals' ? 'the totals' : 'named recipients';
    throw new Failure(
      'nothing-granted',
      `Nobody has granted this key ${what}${schedule === undefined ? '' : ' of this payroll'}.`,
    );
  }
  const statement = await verifyEvidence(evidence, checksOf(options));
  if (out !== undefined) await writeStatement(out, statement, evidence);
  show(statement, options);
}

async function writeStatement(folder: string, statement: Statement, evidence: Evidence): Promise<void> {
  await makeFolder(folder);
  await writeFile(join(folder, 'statement.csv'), statementCsv(statement), OWNER_ONLY);
  await writeFile(join(folder, 'statement.pdf'), await statementPdf(statement, evidence), OWNER_ONLY);
}

/** Prints every figure, their sums and what they rest on. Throws `Failure` when something is not verified or missing. */
function show(statement: Statement, options: Checks): void {
  const { payrolls, sums, people, unverified } = statement;
  for (const { schedule, lines } of payrolls) {
    if (payrolls.length > 1 && options.json !== true) say(`payroll ${schedule}`);
    for (const line of lines) write(options, lineJson(line), lineText(line));
  }
  const { verified, open } = findingsOf(statement);
  const sumsJson = sums.map(({ promised, paid, lines, mint, decimals, symbol }) => ({
    mint,
    symbol,
    decimals,
    promised,
    paid,
    lines,
  }));
  if (options.json) write(options, { sums: sumsJson, people, unverified, verified, open }, '');
  else {
    say(
      `\nPaid in all, over ${countText(payrolls.length, 'payroll')}: ${sums.map(sumText).join(', ') || 'nothing verified'}`,
    );
    for (const { recipient, sums: own } of people)
      say(`  ${recipient}: ${own.map(sumText).join(', ') || 'nothing verified'}`);
    for (const sentence of verified) print(marked('✓', sentence));
    for (const sentence of open) print(marked('!', sentence));
  }
  if (unverified > 0) throw new Failure('window-unproven', `${countText(unverified, 'figure')} not proven: see above.`);
  if (payrolls.some(({ total, missing }) => total === 'other' || missing.length > 0)) {
    throw new Failure('statement-incomplete', 'Not all windows are there: see above.');
  }
}

function lineJson({ schedule, window, settled, entry, faults }: Line): Record<string, unknown> {
  if (entry !== null) return { schedule, window, ...entry, settlement: settled?.settlement.signature, faults };
  return { schedule, window, ...countsOf(settled), settled: settled && windowToJson(settled), faults };
}

const countsOf = (settled: Line['settled']) => {
  const heldCount = settled?.held.length ?? 0;
  return { heldCount, unpaidCount: settled === null ? 0 : settled.recipients - settled.paidCount - heldCount };
};

function lineText({ window, settled, entry, faults }: Line): string {
  const wrong = faults.map((fault) => `  - ${fault}`);
  if (settled === null) return [`✖ window ${window}`, ...wrong].join('\n');
  const mark = faults.length === 0 ? '✓' : '✖';
  const head = `${mark} window ${window}, settled on ${dateText(settled.settledAt)}`;
  if (entry !== null) return [head, `  ${entryText(entry, settled)}`, ...wrong].join('\n');
  const { decimals, symbol, paid, promised, paidCount, recipients, settlement } = settled;
  const { heldCount, unpaidCount } = countsOf(settled);
  return [
    head,
    `  paid ${displayAmount(paid, decimals, CENTS)} of ${displayAmount(promised, decimals, CENTS)} ${symbol ?? 'tokens'}`,
    `  to ${paidCount} of ${recipients} entries; held back ${heldCount}, unpaid ${unpaidCount}`,
    `  settlement, slot ${settlement.slot ?? 'not known'}:`,
    `  ${settlement.signature}`,
    ...wrong,
  ].join('\n');
}

const STATES = { paid: 'paid', held: 'held back', unpaid: 'not paid' };

const entryText = ({ recipient, amount, state }: AuditedEntry, settled: NonNullable<Line['settled']>): string =>
  `${state === null ? 'not proven:' : STATES[state]} ${amountText(amount, settled)}, ${recipient}`;
