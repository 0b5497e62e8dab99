import { windowFaults, windowToJson } from '@payouts/client';
import { displayAmount } from '@payouts/payroll';
import type { Address } from '@solana/kit';
import { type Command, InvalidArgumentError } from 'commander';
import {
  type AuditedWindow,
  auditedWindows,
  type GrantJson,
  grantAudit,
  listAudits,
  revokeAudit,
} from '../../audits.ts';
import { lookOnLedger } from '../../payslips/onLedger.ts';
import { dateText } from '../../payslips/pdf.ts';
import { isWanted } from '../confirm.ts';
import { Failure } from '../failure.ts';
import {
  type AskOptions,
  addressOption,
  apiOf,
  type CommonOptions,
  SCHEDULE,
  withAsking,
  withCommon,
} from '../options.ts';
import { write } from '../output.ts';

/** `audit grant|revoke|list|totals`. */
export function addAudit(program: Command): void {
  const group = program.command('audit').description("An auditor's look at a schedule, which its employer grants");

  withAsking(withCommon(group.command('grant')))
    .description('Grants an auditor totals, or with --recipient what these may read')
    .argument(...SCHEDULE)
    .argument('<auditor>', "the auditor's key", addressOption)
    .requiredOption('--until <date>', 'when it ends, such as 2027-03-31 (UTC)', dateOption)
    .option('--recipient <address>', 'a recipient; may be given again', addressesOption)
    .action(
      async (
        schedule: Address,
        auditor: Address,
        options: CommonOptions & AskOptions & { until: number; recipient?: Address[] },
      ) => {
        const { until: endsAt, recipient: recipients = [] } = options;
        const shown = recipients.length === 0 ? 'the totals of each window' : 'what these recipients are paid:';
        const what = [`Lets ${auditor}`, `  read ${shown}`, ...recipients.map((each) => `  ${each}`)];
        what.push(`  until ${dateText(endsAt)}`);
        if (!(await isWanted(what, options, { schedule, auditor, recipients, endsAt }))) return;
        const grant = await grantAudit(await apiOf(options), schedule, { auditor, recipients, endsAt });
        write(options, grant, `✓ Granted until ${dateText(grant.endsAt)}.\n  ${grantText(grant)}`);
      },
    );

  withAsking(withCommon(group.command('revoke')))
    .description('Ends a grant at once')
    .argument(...SCHEDULE)
    .argument('<id>', 'of the grant; audit list has it')
    .action(async (schedule: Address, id: string, options: CommonOptions & AskOptions) => {
      if (!(await isWanted([`Ends the grant ${id} at once.`], options, { schedule, id }))) return;
      const grant = await revokeAudit(await apiOf(options), schedule, id);
      write(options, grant, `✓ Revoked.\n  ${grantText(grant)}`);
    });

  withCommon(group.command('list'))
    .description('Lists grants; for the employer, with how they were used')
    .argument(...SCHEDULE)
    .action(async (schedule: Address, options: CommonOptions) => {
      const grants = await listAudits(await apiOf(options), schedule);
      write(options, { grants }, grants.map(grantText).join('\n') || 'Nobody was granted anything.');
    });

  withCommon(group.command('totals'))
    .description('What settled windows paid in all, each verified')
    .argument(...SCHEDULE)
    .option('--authority <address>', 'the execution authority, where you know it', addressOption)
    .option('--rpc <url>', 'also look each settlement up on the base ledger')
    .action(async (schedule: Address, options: CommonOptions & { authority?: Address; rpc?: string }) => {
      let faulty = 0;
      for await (const window of auditedWindows(await apiOf(options), schedule)) {
        const faults = await faultsOf(window, options);
        if (faults.length > 0) faulty += 1;
        const { settled, ...counts } = window;
        const json = { ...counts, window: String(window.window), settled: settled && windowToJson(settled), faults };
        write(options, json, windowText(window, faults));
      }
      if (faulty > 0)
        throw new Failure(
          'window-unproven',
          `${faulty === 1 ? '1 window is' : `${faulty} windows are`} not proven: see above.`,
        );
    });
}

async function faultsOf(
  { settled, reason }: AuditedWindow,
  { authority, rpc }: { authority?: Address; rpc?: string },
): Promise<string[]> {
  if (settled === null) return [reason ?? 'The window is not proven.'];
  const faults = await windowFaults(settled, authority);
  return rpc === undefined ? faults : [...faults, ...(await lookOnLedger(settled, rpc)).faults];
}

function windowText({ window, unpaidCount, heldCount, settled }: AuditedWindow, faults: readonly string[]): string {
  const wrong = faults.map((fault) => `  - ${fault}`);
  if (settled === null) return [`✖ window ${window}`, ...wrong].join('\n');
  const { decimals, symbol, paid, promised, paidCount, recipients, settlement } = settled;
  return [
    `${faults.length === 0 ? '✓' : '✖'} window ${window}, settled on ${dateText(settled.settledAt)}`,
    `  paid ${displayAmount(paid, decimals)} of ${displayAmount(promised, decimals)} ${symbol ?? 'tokens'}`,
    `  to ${paidCount} of ${recipients} entries; held back ${heldCount}, unpaid ${unpaidCount}`,
    `  settlement, slot ${settlement.slot ?? 'not known'}:`,
    `  ${settlement.signature}`,
    ...wrong,
  ].join('\n');
}

function grantText({ id, auditor, scope, recipients, endsAt, state, used, uses = [] }: GrantJson): string {
  const [last] = uses;
  const use =
    used === undefined
      ? ''
      : `, used ${used === 1 ? 'once' : `${used} times`}${last ? `, last on ${dateText(last.at)}` : ''}`;
  const what = scope === 'totals' ? 'totals' : `${recipients.length} named recipients`;
  return `${id}  ${state}, until ${dateText(endsAt)}\n  ${auditor}: ${what}${use}`;
}

function dateOption(text: string): number {
  const at = /^\d{4}-\d{2}-\d{2}(T[0-9:.]+Z)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw new InvalidArgumentError('not a date such as 2027-03-31');
  return at;
}

const addressesOption = (text: string, former: readonly Address[] = []): Address[] => [...former, addressOption(text)];
