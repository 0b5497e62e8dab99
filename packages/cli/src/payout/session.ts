import {
  connectToLayer,
  type LayerGuest,
  type Ledgers,
  RecipientClient,
  SignInFailed,
  type Time,
} from '@payouts/client';
import type { Address } from '@solana/kit';
import { Failure, WrongUsage } from './failure.ts';
import { loadKeypair } from './keypair.ts';
import type { ChangeOptions, CommonOptions } from './options.ts';
import type { Signer } from './signer/signer.ts';

/** Whose money a command is about, their key, and the coordinator that it asks. */
export type RecipientAccess = { readonly client: RecipientClient; readonly owner: Address; readonly signer: Signer };

/** Loads the key and prepares the client; asks nobody yet. Throws `Failure` or `WrongUsage`. */
export async function openSession(options: CommonOptions & Pick<ChangeOptions, 'layer'>): Promise<RecipientAccess> {
  if (!URL.canParse(options.api) || !/^https?:/.test(options.api)) {
    throw new WrongUsage(`--api takes an address such as https://payouts.example.com, not ${options.api}.`);
  }
  const signer = await loadKeypair(options.keypair);
  const layer = options.layer === undefined ? undefined : await openLayer(options.layer, signer, options.time);
  return {
    client: new RecipientClient({ apiUrl: options.api, signer, layer, time: options.time }),
    owner: signer.address,
    signer,
  };
}

async function openLayer(url: string, guest: LayerGuest, time: Time): Promise<Ledgers['layer']> {
  if (!URL.canParse(url))
    throw new WrongUsage(`--layer takes an address such as https://layer.example.com, not ${url}.`);
  try {
    return await connectToLayer(url, guest, time);
  } catch (cause) {
    if (cause instanceof SignInFailed && cause.isRefused) {
      throw new Failure('sign-in-refused', 'The execution layer does not let this key in.', { cause });
    }
    throw new Failure('layer-unreachable', 'The execution layer does not answer at the address of --layer.', { cause });
  }
}
