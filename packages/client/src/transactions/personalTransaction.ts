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
import type { PrivateBalance } from './instructions.ts';
import { buildLayerTransaction } from './layerTransaction.ts';
import type { KeyedInstruction } from './legacyMessage.ts';
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
  const { authority, config, counter, balances, withdrawals, isPrivate, programAddress: program } = input;
  const isFlagged = isPrivate ? 1 : 0;
  const openings = balances.map(
    ({ recipient, salt, delivery, page, slot, personal: { address: personal, number } }): KeyedInstruction => {
      const terms = { recipient, opening: openingOf(salt), delivery: deliveryCode(delivery), slot, number };
      const permission = derivePermissionAddress(personal);
      return {
        program,
        accounts: [
          ...[authority.address, config, page, personal, counter, authority.address, permission],
          ...[PERMISSION_PROGRAM_ADDRESS, MAGIC_PROGRAM_ADDRESS, EPHEMERAL_VAULT_ADDRESS, INSTRUCTIONS_SYSVAR_ADDRESS],
        ],
        data: getOpenPersonalInstructionDataEncoder().encode({
          ...{ ...terms, withdrawals, isPrivate: isFlagged },
        }) as Uint8Array,
        writable: [counter, EPHEMERAL_VAULT_ADDRESS, page, personal, ...(isPrivate ? [permission] : [])],
        readonly: [
          ...[config, PERMISSION_PROGRAM_ADDRESS, MAGIC_PROGRAM_ADDRESS, INSTRUCTIONS_SYSVAR_ADDRESS],
          permission,
        ],
      };
    },
  );
  const { lifetime, computeUnitLimit } = input;
  return buildLayerTransaction(authority, { instructions: openings, lifetime, computeUnitLimit });
}
