import { RecipientClient } from '@payouts/client';
import type { Address } from '@solana/kit';
import { WrongUsage } from './failure.ts';
import { loadKeypair } from './keypair.ts';
import type { CommonOptions } from './options.ts';

/** Whose money a command is about, and the coordinator that it asks. */
export type Session = { readonly client: RecipientClient; readonly owner: Address };

/** Loads the key and prepares the client; asks nobody yet. Throws `Failure` or `WrongUsage`. */
export async function openSession(options: CommonOptions): Promise<Session> {
  if (!URL.canParse(options.api) || !/^https?:/.test(options.api)) {
    throw new WrongUsage(`--api takes an address such as https://payouts.example.com, not ${options.api}.`);
  }
  const signer = await loadKeypair(options.keypair);
  return { client: new RecipientClient({ apiUrl: options.api, signer }), owner: signer.address };
}
