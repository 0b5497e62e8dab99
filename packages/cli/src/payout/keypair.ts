import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { keyOf, readKey } from '../keys.ts';
import { Failure } from './failure.ts';
import { derivationOf } from './signer/derivation.ts';
import { ledgerWallet } from './signer/ledgerWallet.ts';
import { signerFromPrompt } from './signer/seedPhrase.ts';
import type { Signer } from './signer/signer.ts';
import { SOLANA_FOLDER, solanaSetting } from './solanaConfig.ts';

/**
 * The key that a command signs with, written as Solana's own command line takes it: a file, `-` for standard input, `prompt:`, `ASK` or
 * `usb://ledger`. Without one it is the one that Solana's command line is set to, else that one's default. Throws `Failure`
 * keypair-missing or keypair-unreadable, which name the place and never its content, or what `signerFromPrompt` and `ledgerWallet` throw.
 */
export async function loadKeypair(given: string | undefined): Promise<Signer> {
  const named = given ?? (await defaultPlace());
  if (named === '-') return readable('Standard input', async () => keyOf(await text(process.stdin)));
  // As solana-keygen makes keys: of the phrase itself, without a path.
  if (named === 'ASK') return signerFromPrompt(undefined);
  const scheme = /^(prompt|usb|stdin|file):/i.exec(named)?.[1]?.toLowerCase();
  if (scheme === 'prompt') return signerFromPrompt(derivationOf(named));
  if (scheme === 'usb') return ledgerWallet(named);
  if (scheme === 'stdin') return loadKeypair('-');
  const file = resolve(scheme === 'file' ? named.replace(/^file:(\/\/)?/i, '') : named);
  return readable(file, () => readKey(file));
}

async function readable(place: string, read: () => Promise<Signer>): Promise<Signer> {
  try {
    return await read();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') {
      const sentence = `There is no keypair at ${place}: name yours with --keypair FILE.`;
      throw new Failure('keypair-missing', sentence, { cause });
    }
    throw new Failure(
      'keypair-unreadable',
      `${place} can't be read as a keypair: it must hold a JSON array of 64 numbers, as solana-keygen writes it.`,
      { cause },
    );
  }
}

/** Where the key is that is used where none is named. */
export async function defaultPlace(): Promise<string> {
  const named = await solanaSetting('keypair_path');
  return named?.replace(/^~(?=\/)/, homedir()) ?? join(SOLANA_FOLDER, 'id.json');
}
