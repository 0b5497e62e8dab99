import { formatAmount } from '@payouts/payroll/amount';
import type { PaidRun, VaultMovement } from '@payouts/statements';
import { shortOf } from './account.ts';
import { type BankToken, isoAmount } from './amounts.ts';
import { element, isoTime, MOST, money, text } from './xml.ts';

/** Domain, family and sub-family of ISO 20022's codes for bank transactions. */
const CODES = { run: ['ICDT', 'SALA'], out: ['ICDT', 'OTHR'], in: ['RCDT', 'OTHR'] } as const;

export const sideOf = (isCredit: boolean): string => element('CdtDbtInd', isCredit ? 'CRDT' : 'DBIT');

/** What tells a pay run from all others in a few characters. */
export const runId = ({ schedule, window }: PaidRun): string => `${shortOf(schedule)}-${window}`;

/** What changed a vault; `exactly`: base units, where the amount is not exact. */
export type StatementLine = VaultMovement & { readonly exactly?: bigint };

/** A line of an account. `details`: the payments that it stands for. */
export function entryOf(entry: StatementLine, token: BankToken, details: readonly string[] = []): string {
  const { isCredit, amount, at, signature, run } = entry;
  const [written, time] = [isoAmount(amount, token), element('DtTm', isoTime(at))];
  const [family, subFamily] = run === undefined ? CODES[isCredit ? 'in' : 'out'] : CODES.run;
  const batch =
    run &&
    element(
      'Btch',
      text('PmtInfId', runId(run), MOST.id),
      element('NbOfTxs', run.paidCount === null ? '' : String(run.paidCount)),
      money('TtlAmt', written, token.currency),
      sideOf(isCredit),
    );
  return element(
    'Ntry',
    text('NtryRef', run === undefined ? signature : runId(run), MOST.id),
    money('Amt', written, token.currency),
    sideOf(isCredit),
    element('Sts', element('Cd', 'BOOK')),
    element('BookgDt', time),
    element('ValDt', time),
    text('AcctSvcrRef', signature, MOST.id),
    element(
      'BkTxCd',
      element('Domn', element('Cd', 'PMNT'), element('Fmly', element('Cd', family), element('SubFmlyCd', subFamily))),
    ),
    element('NtryDtls', batch ?? '', ...details),
    text('AddtlNtryInf', `${whatOf(entry, token)}. Transaction ${signature}`, MOST.more),
  );
}

function whatOf({ isCredit, run, exactly }: StatementLine, { decimals }: BankToken): string {
  if (run !== undefined) return `Pay run ${run.window} of payroll ${run.schedule}`;
  const kind = isCredit ? 'Deposit' : 'Withdrawal';
  return exactly === undefined ? kind : `${kind} of exactly ${formatAmount(exactly, decimals)}`;
}
