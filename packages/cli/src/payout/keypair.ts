import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { KeyPairSigner } from '@solana/kit';
import { readKey } from '../keys.ts';
import { Failure } from './failure.ts';
import { SOLANA_FOLDER, solanaSetting } from './solanaConfig.ts';

/**
 * The key that a command signs with: the file given, else the one that Solana's own command line is set to, else that one's default.
 * Throws `Failure` keypair-missing or keypair-unreadable, which name the file and never its content.
 */
export async function loadKeypair(given: string | undefined): Promise<KeyPairSigner> {
  const file = given === undefined ? await defaultFile() : resolve(given);
  try {
    return await readKey(file);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new Failure('keypair-missing', `There is no keypair at ${file}: name yours with --keypair FILE.`, {
        cause,
      });
    }
    throw new Failure(
      'keypair-unreadable',
      `${file} can't be read as a keypair: it must hold a JSON array of 64 numbers, as solana-keygen writes it.`,
      { cause },
    );
  }
}

async function defaultFile(): Promise<string> {
  const named = await solanaSetting('keypair_path');
  return named?.replace(/^~(?=\/)/, homedir()) ?? join(SOLANA_FOLDER, 'id.json');
}
