import type { Payee } from '@payouts/client/browser';
import { formatAmount } from './amount.ts';

/** A payroll as `readPayroll` reads it: CSV. */
export function payrollText(payees: readonly Payee[], decimals: number): string {
  const lines = payees.map(({ recipient, amount }) => `${recipient},${formatAmount(amount, decimals)}`);
  return `${['recipient,amount', ...lines].join('\n')}\n`;
}
