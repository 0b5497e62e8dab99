import type { Recipient } from '@payouts/client';
import type { Address } from '@solana/kit';

/** A recipient with the balance derived for them once, at registration. Private: for no log, metric or error. */
export type PayableRecipient = Recipient & { readonly balance: Address; readonly bump: number };
