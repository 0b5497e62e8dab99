import { displayAmount } from '@payouts/payroll';
import type { PayrollStatement, Statement, Sum } from './statement.ts';
import { amountText, CENTS, countText } from './texts.ts';
import { spanText } from './windows.ts';

/** What was verified of a statement, and what was not, in sentences for people. `open`: what somebody should look at. */
export type Findings = { readonly verified: readonly string[]; readonly open: readonly string[] };

const SHOWN = 4;

/** Says what a statement's figures rest on, and what could not be verified. */
export function findingsOf(statement: Statement): Findings {
  const { kind, isLookedUp, isAuthorityKnown, issuers, formerRoots, payrolls, unverified } = statement;
  const figures = payrolls.reduce((all, { lines }) => all + lines.length, 0) - unverified;
  const verified = [
    `${countText(figures, 'figure')} verified offline: the settlement's transaction settles exactly that window, and the key that ` +
      'signed it signed the numbers.',
  ];
  const open: string[] = [];
  if (kind === 'recipients') {
    verified.push(
      "Each entry leads to the root of the window's list, and the bitmap that was settled says whether it was paid.",
    );
  }
  if (unverified > 0) open.push(`${countText(unverified, 'figure')} could not be verified: not in any sum.`);
  if (isLookedUp) verified.push('Each settlement was looked up on the base ledger, which has the same numbers.');
  else if (figures > 0) {
    open.push(
      'Not checked: that the settlements are on the base ledger. They can be looked up at any time by their signatures.',
    );
  }
  if (isAuthorityKnown && figures > 0)
    verified.push(`The windows were signed by the execution authority, ${issuers.join(', ')}.`);
  else if (figures > 0) {
    open.push(
      `Not checked: that ${issuers.join(', ')} ${issuers.length === 1 ? 'is' : 'are'} the execution authority.`,
    );
  }
  if (formerRoots > 0) {
    open.push(
      `${countText(formerRoots, 'window')} paid a list that was replaced since: the ledger has its root no more, so the root rests on ` +
        "the execution authority's signature.",
    );
  }
  for (const payroll of payrolls) add(payroll, { verified, open });
  return { verified, open };
}

function add(
  { schedule, missing, absent, total }: PayrollStatement,
  { verified, open }: { readonly verified: string[]; readonly open: string[] },
): void {
  if (total === 'same') verified.push(`Payroll ${schedule} is complete: its windows add up to the ledger's own total.`);
  if (total === 'other') {
    open.push(
      `Payroll ${schedule}: its windows here don't add up to the ledger's own total. Something is missing, or not verified.`,
    );
  }
  if (total === 'closed') open.push(`Payroll ${schedule} is closed on the ledger, which has no total of it any more.`);
  if (missing.length > 0) {
    const shown = missing.slice(0, SHOWN).map(spanText).join(', ');
    const more = missing.length > SHOWN ? ' and others' : '';
    open.push(`Payroll ${schedule}: not shown, so not settled or left out: ${shown}${more}.`);
  }
  for (const recipient of absent) open.push(`Payroll ${schedule}: no entry of ${recipient} was shown.`);
}

/** "1,250.50 of 1,300 USDC". */
export function sumText({ promised, paid, ...token }: Sum): string {
  const all = amountText(promised, token);
  return paid === promised ? all : `${displayAmount(paid, token.decimals, CENTS)} of ${all}`;
}
