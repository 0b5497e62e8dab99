import { displayAmount } from '@payouts/payroll';
import type { BalanceProof } from './balanceProof.ts';

const TICK = '✔';
const CROSS = '✖';

/** A balance proof for people: each money rule as an equation with its numbers, in whole tokens. */
export function proofText(title: string, proof: BalanceProof, decimals: number): string {
  const amount = (value: bigint) => displayAmount(value, decimals);
  const broken = (...rules: string[]) => proof.violations.some(({ rule }) => rules.includes(rule));
  const lines = [title];
  for (const vault of proof.vaults) {
    // Lifetime sums of the ledger wrap.
    const sum = BigInt.asUintN(64, vault.withdrawn + vault.available + vault.reserved + vault.open + vault.paid);
    const holds = sum === vault.deposited && !broken('vault-covers-promises', 'vault-holds-total');
    lines.push(
      `  ${holds ? TICK : CROSS} vault   deposited ${amount(vault.deposited)} = withdrawn ${amount(vault.withdrawn)} + available ` +
        `${amount(vault.available)} + reserved ${amount(vault.reserved)} + in open windows ${amount(vault.open)} + paid ${amount(vault.paid)}`,
    );
  }
  const { held, openBudgets, privateBalances, balances, withdrawalsUnderWay } = proof.pool;
  lines.push(
    `  ${held === openBudgets + privateBalances + withdrawalsUnderWay ? TICK : CROSS} pool    ${amount(held)} = open windows ` +
      `${amount(openBudgets)} + ${balances} private balances ${amount(privateBalances)} + withdrawals under way ${amount(withdrawalsUnderWay)}`,
  );
  for (const { sentence } of proof.violations) lines.push(`  ${CROSS} ${sentence}`);
  if (proof.violations.length === 0) lines.push(`  ${TICK} every money rule holds on both ledgers`);
  return lines.join('\n');
}
