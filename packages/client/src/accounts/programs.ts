import { type Address, address } from '@solana/kit';

/** SPL Token, the default token program. */
export const TOKEN_PROGRAM_ADDRESS: Address = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
/** SPL Token-2022, whose mints are supported without extensions other than metadata and groups. */
export const TOKEN_2022_PROGRAM_ADDRESS: Address = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
/** The execution layer's delegation program on the base ledger. */
export const DELEGATION_PROGRAM_ADDRESS: Address = address('DELeGGvXpWV2fqJUhqcF5ZSYMS4JTLjteaAMARRSaeSh');
/** The program built into the execution layer: commits, ephemeral accounts, base actions. */
export const MAGIC_PROGRAM_ADDRESS: Address = address('Magic11111111111111111111111111111111111111');
/** The account in which the execution layer collects what goes back to the base ledger. */
export const MAGIC_CONTEXT_ADDRESS: Address = address('MagicContext1111111111111111111111111111111');
/** The account that takes the rent of ephemeral accounts. */
export const EPHEMERAL_VAULT_ADDRESS: Address = address('MagicVau1t999999999999999999999999999999999');
/** The program that says, in an execution layer that has read permissions, who may read an account. */
export const PERMISSION_PROGRAM_ADDRESS: Address = address('ACLseoPoyC3cBqoUtkbjZ4aDrkurZW86v19pXz2XQnp1');
/** The sysvar that shows a program its transaction's instructions. */
export const INSTRUCTIONS_SYSVAR_ADDRESS: Address = address('Sysvar1nstructions1111111111111111111111111');
/** The loader that owns upgradeable programs. */
export const UPGRADEABLE_LOADER_ADDRESS: Address = address('BPFLoaderUpgradeab1e11111111111111111111111');
/** The program that verifies ed25519 signatures which stand in the data of its instructions. */
export const ED25519_PROGRAM_ADDRESS: Address = address('Ed25519SigVerify111111111111111111111111111');
/** The program that takes a transaction's compute limits. */
export const COMPUTE_BUDGET_PROGRAM_ADDRESS: Address = address('ComputeBudget111111111111111111111111111111');
