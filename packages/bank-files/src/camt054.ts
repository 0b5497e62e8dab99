import type { PaidRun, VaultMovement } from '@payouts/statements';
import { account, accountId, accountProxy } from './account.ts';
import { BankFileError, type BankToken, isoAmount, sumOf } from './amounts.ts';
import { entryOf, runId, sideOf } from './entry.ts';
import type { BankPayment } from './payment.ts';
import { element, groupHeader, MOST, message, money, NONE, named, text } from './xml.ts';

export type RunNotification = {
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly vault: string;
  readonly token: BankToken;
  /** What the pay run took out of the vault. */
  readonly entry: VaultMovement & { readonly run: PaidRun };
  /** All that it paid. */
  readonly payments: readonly BankPayment[];
};

/** What a pay run has paid to whom: camt.054.001.08. Throws `BankFileError`, also if the payments don't add up to the run. */
export function camt054({ createdAt, vault, token, entry, payments }: RunNotification): string {
  if (sumOf(payments) !== entry.amount || payments.length !== entry.run.paidCount) {
    throw new BankFileError(
      'payments-differ',
      'The payments do not add up to what the ledger settled for the pay run.',
    );
  }
  const id = runId(entry.run);
  const counted = element('NbOfNtries', '1') + element('Sum', isoAmount(entry.amount, token));
  return message(
    'camt.054.001.08',
    element(
      'BkToCstmrDbtCdtNtfctn',
      groupHeader(id, createdAt),
      element(
        'Ntfctn',
        ...named('Id', id, createdAt),
        element('Acct', accountId(vault), element('Ccy', token.currency), accountProxy(vault)),
        element('TxsSummry', element('TtlDbtNtries', counted)),
        entryOf(
          entry,
          token,
          payments.map((payment) => details(payment, token)),
        ),
      ),
    ),
  );
}

function details({ recipient, amount, endToEndId, name = '', reference = '' }: BankPayment, token: BankToken): string {
  return element(
    'TxDtls',
    element('Refs', text('EndToEndId', endToEndId, MOST.id, NONE)),
    money('Amt', isoAmount(amount, token), token.currency),
    sideOf(false),
    element('RltdPties', element('Cdtr', element('Pty', text('Nm', name, MOST.name))), account('CdtrAcct', recipient)),
    element('RmtInf', text('Ustrd', reference, MOST.reference)),
  );
}
