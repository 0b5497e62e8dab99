import { type Address, address } from '@solana/kit';

/** Owner of plain wallets. */
export const SYSTEM_PROGRAM = address('11111111111111111111111111111111');
/** Owner of programs that have an upgrade authority. */
export const UPGRADEABLE_LOADER = address('BPFLoaderUpgradeab1e11111111111111111111111');
export const TOKEN_PROGRAM = address('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
export const TOKEN_2022_PROGRAM = address('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
export const COMPUTE_BUDGET_PROGRAM = address('ComputeBudget111111111111111111111111111111');
export const SYSVAR_OWNER = address('Sysvar1111111111111111111111111111111111111');
export const CLOCK_SYSVAR = address('SysvarC1ock11111111111111111111111111111111');
export const SLOT_HASHES_SYSVAR = address('SysvarS1otHashes111111111111111111111111111');

/** The ephemeral validator's published development identity; its secret key is public knowledge. */
export const VALIDATOR_IDENTITY: Address = address('mAGicPQYBMvcYveUZA5F5UNNwyHvfYh5xkLS2Fr1mev');
/** Delegates accounts to the execution layer and takes them back. */
export const DELEGATION_PROGRAM = address('DELeGGvXpWV2fqJUhqcF5ZSYMS4JTLjteaAMARRSaeSh');
/** Says who may read an account inside the execution layer. */
export const PERMISSION_PROGRAM = address('ACLseoPoyC3cBqoUtkbjZ4aDrkurZW86v19pXz2XQnp1');
/** Does nothing; the validator adds it to its transactions to tell them apart. */
export const NOOP_PROGRAM = address('noopb9bkMVfRPU8AsbpTUg8AQkHtKwMYZiFUjNRtMmV');
