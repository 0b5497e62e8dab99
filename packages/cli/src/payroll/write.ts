import { writeFile } from 'node:fs/promises';
import type { Payee } from '@payouts/client';
import { formatAmount } from './amount.ts';

/** Writes a payroll as `readPayroll` reads it; readable by its owner alone. */
export async function writePayroll(file: string, payees: readonly Payee[], decimals: number): Promise<void> {
  const lines = payees.map(({ recipient, amount }) => `${recipient},${formatAmount(amount, decimals)}`);
  await writeFile(file, `${['recipient,amount', ...lines].join('\n')}\n`, { mode: 0o600 });
}
