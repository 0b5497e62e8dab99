import { type AuditGrant, dateText, grantsOf, heldGrants, windowsText } from '@payouts/statements';
import type { Address } from '@solana/kit';
import { type Command, InvalidArgumentError } from 'commander';
import { grantAudit, revokeAudit } from '../../audits.ts';
import { askOf } from '../../requests.ts';
import { isWanted } from '../confirm.ts';
import {
  type AskOptions,
  addressOption,
  apiOf,
  type CommonOptions,
  SCHEDULE,
  windowOption,
  withAsking,
  withCommon,
} from '../options.ts';
import { write } from '../output.ts';
import { ANY_SCHEDULE, addStatements } from './auditStatements.ts';

type GrantOptions = CommonOptions &
  AskOptions & {
    readonly until: number;
    readonly recipient?: readonly Address[];
    readonly from?: bigint;
    readonly to?: bigint;
  };

/** `audit grant|revoke|list|totals|recipients|verify`. */
export function addAudit(program: Command): void {
  const group = program.command('audit').description("An auditor's look at payrolls, which their employers grant");

  withAsking(withCommon(group.command('grant')))
    .description('Grants an auditor totals, or with --recipient what these may read')
    .argument(...SCHEDULE)
    .argument('<auditor>', "the auditor's key", addressOption)
    .requiredOption('--until <date>', 'when it ends, such as 2027-03-31 (UTC)', dateOption)
    .option('--recipient <address>', 'a recipient; may be given again', addressesOption)
    .option('--from <window>', 'the first window that it is about', windowOption)
    .option('--to <window>', 'the last window that it is about', windowOption)
    .action(async (schedule: Address, auditor: Address, options: GrantOptions) => {
      const { until: endsAt, recipient: recipients = [], from: fromWindow, to: toWindow } = options;
      const about = windowsText({ fromWindow: fromWindow?.toString() ?? null, toWindow: toWindow?.toString() ?? null });
      const shown = recipients.length === 0 ? `the totals of ${about}` : `what these recipients are paid in ${about}:`;
      const what = [`Lets ${auditor}`, `  read ${shown}`, ...recipients.map((each) => `  ${each}`)];
      what.push(`  until ${dateText(endsAt)}`);
      const wish = { auditor, recipients, fromWindow, toWindow, endsAt };
      if (!(await isWanted(what, options, { schedule, ...wish }))) return;
      const grant = await grantAudit(await apiOf(options), schedule, wish);
      write(options, grant, `✓ Granted until ${dateText(grant.endsAt)}.\n  ${grantText(grant)}`);
    });

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
    .description(
      'Lists grants of a schedule, for the employer with how they were used; without one: those that you hold',
    )
    .argument(...ANY_SCHEDULE)
    .action(async (schedule: Address | undefined, options: CommonOptions) => {
      const ask = askOf(await apiOf(options));
      if (schedule !== undefined) {
        const grants = await grantsOf(ask, schedule);
        write(options, { grants }, grants.map(grantText).join('\n') || 'Nobody was granted anything.');
        return;
      }
      const grants = await heldGrants(ask);
      const lines = grants.map((grant) => `${grantText(grant)}\n  of payroll ${grant.schedulePda}`);
      write(options, { grants }, lines.join('\n') || 'Nobody has granted this key anything.');
    });

  addStatements(group);
}

function grantText(grant: AuditGrant): string {
  const { id, auditor, scope, recipients, endsAt, state, used, uses = [] } = grant;
  const [last] = uses;
  const use =
    used === undefined
      ? ''
      : `, used ${used === 1 ? 'once' : `${used} times`}${last ? `, last on ${dateText(last.at)}` : ''}`;
  const what = scope === 'totals' ? 'totals' : `${recipients.length} named recipients`;
  return `${id}  ${state}, until ${dateText(endsAt)}\n  ${auditor}: ${what} of ${windowsText(grant)}${use}`;
}

function dateOption(text: string): number {
  const at = /^\d{4}-\d{2}-\d{2}(T[0-9:.]+Z)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) throw new InvalidArgumentError('not a date such as 2027-03-31');
  return at;
}

const addressesOption = (text: string, former: readonly Address[] = []): Address[] => [...former, addressOption(text)];
