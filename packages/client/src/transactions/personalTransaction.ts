import type { Address, TransactionPartialSigner } from '@solana/kit';
import type { PersonalName } from '../accounts/addresses.ts';
import {
  EPHEMERAL_VAULT_ADDRESS,
  INSTRUCTIONS_SYSVAR_ADDRESS,
  MAGIC_PROGRAM_ADDRESS,
  PERMISSION_PROGRAM_ADDRESS,
} from '../accounts/programs.ts';
import { getOpenPersonalInstructionDataEncoder } from '../generated/index.ts';
import { deliveryCode, openingOf } from '../merkle/owner.ts';
import type { Lifetime, SignedTransaction } from './buildTransaction.ts';
import { computeUnitLimitInstruction } from './computeBudget.ts';
import type { PrivateBalance } from './instructions.ts';
import { signLayerMessage } from './layerTransaction.ts';
import { compileLegacyMessage, type RawInstruction } from './legacyMessage.ts';
import { derivePermissionAddress } from './permissions.ts';

/** Personal accounts that one transaction can make with their permissions: the layer's trace holds 64 instructions, and each takes three. */
export const MAX_PERSONAL_MADE = 20;

/** A balance whose account is to be made, under which name. */
export type PersonalToMake = PrivateBalance & { readonly personal: PersonalName };

/** Input of `buildPersonalTransaction`: at most 20 balances of one token. */
export type PersonalTransactionInput = {
  /** The execution authority; signs and pays. */
  readonly authority: TransactionPartialSigner;
  readonly config: Address;
  /** Of the token; pays the rent. */
  readonly counter: Address;
  readonly balances: readonly PersonalToMake[];
  /** Withdrawals that may be under way at a time. */
  readonly withdrawals: number;
  /** Whether the layer has read permissions. */
  readonly isPrivate: boolean;
  readonly lifetime: Lifetime;
  readonly programAddress: Address;
  /** Compute units. */
  readonly computeUnitLimit: number;
};

/**
 * Builds and signs the making of personal accounts by the execution authority, for balances whose money goes on to wallets. Throws
 * `TRANSACTION_TOO_LARGE`, `INVALID_LEAF` or `SIGNATURE_MISSING`.
 */
export async function buildPersonalTransaction(input: PersonalTransactionInput): Promise<SignedTransaction> {
  const { authority, config, counter, balances, withdrawals, isPrivate, lifetime, programAddress: program } = input;
  const isFlagged = isPrivate ? 1 : 0;
  const openings = balances.map(
    ({ recipient, salt, delivery, page, slot, personal: { address: personal, number } }): RawInstruction => {
      const terms = { recipient, opening: openingOf(salt), delivery: deliveryCode(delivery), slot, number };
      return {
        program,
        accounts: [
          ...[authority.address, config, page, personal, counter, authority.address, derivePermissionAddress(personal)],
          ...[PERMISSION_PROGRAM_ADDRESS, MAGIC_PROGRAM_ADDRESS, EPHEMERAL_VAULT_ADDRESS, INSTRUCTIONS_SYSVAR_ADDRESS],
        ],
        data: getOpenPersonalInstructionDataEncoder().encode({
          ...{ ...terms, withdrawals, isPrivate: isFlagged },
        }) as Uint8Array,
      };
    },
  );
  const permissions = balances.map(({ personal }) => derivePermissionAddress(personal.address));
  const instructions = [computeUnitLimitInstruction(input.computeUnitLimit), ...openings];
  const message = compileLegacyMessage({
    signers: [authority.address],
    // As in a claim: the layer takes low program numbers only.
    writable: [
      ...instructions.slice(0, 2).map((each) => each.program),
      counter,
      EPHEMERAL_VAULT_ADDRESS,
      ...balances.flatMap(({ page, personal }) => [page, personal.address]),
      ...(isPrivate ? permissions : []),
    ],
    readonly: [
      ...[config, PERMISSION_PROGRAM_ADDRESS, MAGIC_PROGRAM_ADDRESS, INSTRUCTIONS_SYSVAR_ADDRESS],
      ...permissions,
    ],
    blockhash: lifetime.blockhash,
    instructions,
  });
  return signLayerMessage(message, authority, lifetime);
}
