import type { TransferReceipt } from '@payouts/client';
import { amountText, timeText } from '@payouts/statements';

/** What was found out about a receipt; `isAuthority` undefined: nobody asked the ledger whose key has signed it. */
export type CheckedTransfer = {
  readonly receipt: TransferReceipt;
  readonly faults: readonly string[];
  readonly isAuthority: boolean | undefined;
};

/** What a verification says to programs: nothing private but what stands in the file itself. */
export const transferJson = ({ receipt, faults, isAuthority }: CheckedTransfer): Record<string, unknown> => ({
  sound: faults.length === 0,
  faults,
  side: receipt.opening.side,
  issuer: receipt.transfer.issuer,
  ledger: isAuthority === undefined ? null : { issuerIsAuthority: isAuthority },
});

/** What a verification says to people, in lines of some 80 columns. */
export function transferText(checked: CheckedTransfer): string {
  const { faults } = checked;
  if (faults.length > 0) {
    return ['✖ The receipt is not sound:', ...faults.map((fault) => `  - ${fault}`)].join('\n');
  }
  const lines = [
    '✓ The receipt is sound, verified offline.',
    '',
    ...whatItSays(checked.receipt),
    '',
    ...checks(checked),
  ];
  return lines.join('\n');
}

function whatItSays({ transfer, opening }: TransferReceipt): string[] {
  const row = (label: string, value: string) => `  ${label.padEnd(11)} ${value}`;
  return [
    row('amount', amountText(transfer.amount, transfer)),
    row(opening.side === 'payer' ? 'paid by' : 'paid to', opening.recipient),
    row('to code', transfer.paymentCode),
    row('made', timeText(transfer.madeAt)),
    row('issued by', transfer.issuer),
  ];
}

function checks({ receipt: { opening }, isAuthority }: CheckedTransfer): string[] {
  const side = opening.side === 'payer' ? 'this recipient has paid it' : 'the payment code is this recipient’s';
  const offline = ['Checked without a network: the key above has signed all of it, and', `${side}.`];
  if (isAuthority === undefined) {
    return [...offline, "Not checked: that the key is the program's execution authority (--rpc URL).", ...INSIDE];
  }
  const authority = isAuthority
    ? "The key is the program's execution authority."
    : "The key is not the program's execution authority today; it may have been then.";
  return [...offline, authority, ...INSIDE];
}

const INSIDE = ['A private transfer is on no ledger: that it was made rests on that key.'];
