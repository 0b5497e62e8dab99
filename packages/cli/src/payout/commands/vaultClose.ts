import { findTokenAddress, getCloseVaultInstructionAsync } from '@payouts/client';
import { getCreateAssociatedTokenIdempotentInstructionAsync } from '@solana-program/token';
import { withName } from '../amounts.ts';
import { readVault } from '../employer/vault.ts';
import { Failure } from '../failure.ts';
import { carryOut } from '../ledgerChange.ts';
import { wrapped } from '../output.ts';
import { openedVault, type VaultOptions } from './vaultOptions.ts';

/** payout vault close */
export async function closeVault(options: VaultOptions): Promise<void> {
  const { employer, ledgers, token } = await openedVault(options);
  const { address, vault, held } = await readVault(ledgers, employer.address, token);
  const { mint, program: tokenProgram } = token;
  if (vault.approval !== 0) {
    throw new Failure(
      'approver-stands',
      `The vault has an approver, who must be removed first: payout vault approval remove --token ${mint}`,
    );
  }
  if (vault.schedules !== 0) {
    throw new Failure(
      'schedules-left',
      `The vault has ${vault.schedules === 1 ? '1 schedule' : `${vault.schedules} schedules`} (payout schedule list --token ${mint}). Close ${vault.schedules === 1 ? 'it' : 'them'} first: payout schedule close.`,
    );
  }
  await carryOut({ signer: employer, ledgers }, options, {
    what: [
      ...wrapped(
        `Closes your vault of ${token.name}. ${withName(held, token)} go to your own wallet, ${employer.address};`,
      ),
      'the rent of its token account comes back. You may open it again.',
    ],
    plan: { vault: address, returned: held },
    instruction: [
      await getCreateAssociatedTokenIdempotentInstructionAsync({
        payer: employer,
        owner: employer.address,
        mint,
        tokenProgram,
      }),
      await getCloseVaultInstructionAsync({
        employer,
        vault: address,
        vaultToken: vault.tokenAccount,
        destinationToken: await findTokenAddress(employer.address, mint, tokenProgram),
        mint,
        tokenProgram,
      }),
    ],
    done: 'Closed.',
    result: { vault: address, returned: held },
  });
}
