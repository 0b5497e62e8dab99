import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { mnemonicToSeedSync, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { createKeyPairSignerFromPrivateKeyBytes, type KeyPairSigner } from '@solana/kit';
import { HDKey } from 'micro-key-producer/slip10.js';
import { Failure, WrongUsage } from '../failure.ts';
import { tell } from '../output.ts';

const KEY_BYTES = 32;

/**
 * The key that a seed phrase stands for: BIP 39 in English, SLIP 10 for ed25519 along the path, such as 44'/501'/0'/0'; without
 * one its first bytes are the key, as solana-keygen makes one. Throws
 * `Failure` seed-phrase-wrong, which doesn't repeat it.
 */
export async function signerFromPhrase(
  phrase: string,
  passphrase: string,
  path: string | undefined,
): Promise<KeyPairSigner> {
  const words = phrase.trim().toLowerCase().split(/\s+/).join(' ');
  if (!validateMnemonic(words, wordlist)) {
    throw new Failure('seed-phrase-wrong', faultOf(words.split(' ')));
  }
  const seed = mnemonicToSeedSync(words, passphrase);
  const privateKey =
    path === undefined ? seed.subarray(0, KEY_BYTES) : HDKey.fromMasterSeed(seed).derive(`m/${path}`).privateKey;
  return createKeyPairSignerFromPrivateKeyBytes(privateKey);
}

function faultOf(words: readonly string[]): string {
  if (words.length % 3 !== 0 || words.length < 12 || words.length > 24) {
    return `A seed phrase has 12, 15, 18, 21 or 24 words, and this one ${words.length}.`;
  }
  const place = words.findIndex((word) => !wordlist.includes(word));
  if (place >= 0) return `Word ${place + 1} of the seed phrase is none of the 2,048 that there are.`;
  return 'The seed phrase has an unknown checksum: a word of it is another one, or two have changed places.';
}

/** Asks for a seed phrase and its passphrase, which are not shown. Throws `WrongUsage` where nobody can be asked. */
export async function signerFromPrompt(path: string | undefined): Promise<KeyPairSigner> {
  if (!process.stdin.isTTY) {
    throw new WrongUsage('--keypair prompt: and ASK need an interactive terminal to ask for a seed phrase.');
  }
  const phrase = await hidden('Seed phrase (not shown): ');
  const passphrase = await hidden('Passphrase, if it has one (not shown): ');
  const signer = await signerFromPhrase(phrase, passphrase, path);
  tell(`Signs with ${signer.address}`);
  return signer;
}

async function hidden(question: string): Promise<string> {
  process.stderr.write(question);
  // The terminal echoes nothing while readline reads it, and what readline would show goes nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const asking = createInterface({ input: process.stdin, output: nowhere, terminal: true, historySize: 0 });
  try {
    return await new Promise<string>((resolve, reject) => {
      asking.once('line', resolve);
      asking.once('close', () => reject(new Failure('not-confirmed', 'Nothing has been changed.')));
    });
  } finally {
    asking.close();
    process.stderr.write('\n');
  }
}
