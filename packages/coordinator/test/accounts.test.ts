import { getVaultEncoder, PAYOUT_LEDGER_PROGRAM_ADDRESS as program, VAULT_KIND } from '@payouts/client';
import type { Address } from '@solana/kit';
import { expect, it } from 'vitest';
import { vaultOf } from '../src/ledger/accounts.ts';

const address = '11111111111111111111111111111111' as Address;
const data = new Uint8Array((getVaultEncoder() as { readonly fixedSize: number }).fixedSize);
data[0] = VAULT_KIND;

it('reads an answer’s account once, and another answer’s anew', () => {
  const account = { address, owner: program, lamports: 1n, data };
  const vault = vaultOf(account, program);
  expect(vault?.kind).toBe(VAULT_KIND);
  expect(vaultOf(account, program)).toBe(vault);
  const later = { ...account, data: Uint8Array.from(data).fill(7, 2, 3) };
  expect(vaultOf(later, program)?.bump).toBe(7);
});

it('takes no account of another program or kind for one, though it has read it', () => {
  const account = { address, owner: program, lamports: 1n, data };
  expect(vaultOf(account, program)).toBeDefined();
  expect(vaultOf(account, address)).toBeUndefined();
  expect(vaultOf({ ...account, data: Uint8Array.from(data).fill(0, 0, 1) }, program)).toBeUndefined();
  expect(vaultOf(null, program)).toBeUndefined();
});
