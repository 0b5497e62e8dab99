import { closeVault as closeVaultChange } from '@payouts/employer';
import { carryOutChange } from '../ledgerChange.ts';
import { openVault, type VaultOptions } from './vaultOptions.ts';

/** payout vault close */
export async function closeVault(options: VaultOptions): Promise<void> {
  const own = await openVault(options);
  await carryOutChange({ signer: own.employer, ledgers: own.ledgers }, options, await closeVaultChange(own));
}
