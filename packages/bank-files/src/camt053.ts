import type { Period, VaultMovement } from '@payouts/statements';
import { accountId, accountProxy, shortOf } from './account.ts';
import { type BankToken, coarse, isoAmount, sumOf } from './amounts.ts';
import { entryOf, type StatementLine, sideOf } from './entry.ts';
import { element, groupHeader, isoDay, isoTime, MOST, message, money, named, text } from './xml.ts';

/** A vault's money over a time. */
export type BankStatement = {
  /** Unix milliseconds; before the end of the period, it is a statement of what was booked until then. */
  readonly createdAt: number;
  readonly vault: string;
  /** Whose vault it is; empty: not said. */
  readonly owner: string;
  readonly token: BankToken;
  readonly period: Period;
  /** Base units that the vault had when the period began: available, reserved and in open windows. */
  readonly opening: bigint;
  /** What has changed it in the period, in order. */
  readonly entries: readonly VaultMovement[];
};

/** ISO 20022: booked when the period begins, when it ends, and so far. */
const OPENING = 'OPBD';
const CLOSING = 'CLBD';
const INTERIM = 'ITBD';
const DAY = 86_400_000;

/**
 * Entries with amounts that such a file can hold. Anybody may deposit a millionth, and keeps nobody from their statement: a deposit or withdrawal
 * that is finer is written by what it changes of the balance without what is finer, and left out if that is nothing. So all sums are right, and
 * no balance is off by more than a step. Pay runs are exact, or refused by who writes them.
 */
function written(opening: bigint, movements: readonly VaultMovement[], token: BankToken): StatementLine[] {
  let balance = opening;
  return movements.flatMap((movement) => {
    const { isCredit, amount } = movement;
    const before = coarse(balance, token);
    balance += isCredit ? amount : -amount;
    const change = coarse(balance, token) - before;
    const shown = isCredit ? change : -change;
    if (movement.run !== undefined || shown === amount) return [movement];
    return shown === 0n ? [] : [{ ...movement, amount: shown, exactly: amount }];
  });
}

/** A vault's statement of account: camt.053.001.08. Throws `BankFileError` for a pay run whose amount it can't hold. */
export function camt053({ createdAt, vault, owner, token, period, ...booked }: BankStatement): string {
  const isOver = createdAt >= period.to;
  const opening = coarse(booked.opening, token);
  const entries = written(booked.opening, booked.entries, token);
  const credits = entries.filter(({ isCredit }) => isCredit);
  const debits = entries.filter(({ isCredit }) => !isCredit);
  const closing = opening + sumOf(credits) - sumOf(debits);
  // The ledger's clock may be ahead.
  const until = Math.max(createdAt, period.from, ...entries.slice(-1).map(({ at }) => at));
  const last = isOver ? period.to - DAY : until;
  const id = `${shortOf(vault)}-${isoDay(period.from)}`;
  return message(
    'camt.053.001.08',
    element(
      'BkToCstmrStmt',
      groupHeader(id, createdAt),
      element(
        'Stmt',
        ...named('Id', id, createdAt),
        element(
          'FrToDt',
          element('FrDtTm', isoTime(period.from)),
          element('ToDtTm', isoTime(isOver ? period.to : until)),
        ),
        element(
          'Acct',
          accountId(vault),
          element('Ccy', token.currency),
          accountProxy(vault),
          element('Ownr', text('Nm', owner, MOST.name)),
        ),
        balance(OPENING, opening, period.from, token),
        balance(isOver ? CLOSING : INTERIM, closing, last, token),
        element(
          'TxsSummry',
          element('TtlCdtNtries', ...totals(credits, token)),
          element('TtlDbtNtries', ...totals(debits, token)),
        ),
        ...entries.map((entry) => entryOf(entry, token)),
      ),
    ),
  );
}

const balance = (code: string, amount: bigint, at: number, token: BankToken): string =>
  element(
    'Bal',
    element('Tp', element('CdOrPrtry', element('Cd', code))),
    money('Amt', isoAmount(amount, token), token.currency),
    sideOf(true),
    element('Dt', element('Dt', isoDay(at))),
  );

const totals = (entries: readonly VaultMovement[], token: BankToken): string[] => [
  element('NbOfNtries', String(entries.length)),
  element('Sum', isoAmount(sumOf(entries), token)),
];
