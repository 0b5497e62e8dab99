import { readFileSync, statSync } from 'node:fs';
import { getBase58Encoder } from '@solana/kit';
import { SettingsError } from './settingsError.ts';

const VARIABLE = 'env:';
const VAULT = 'vault:';

/** Where a key is: a file, a variable of the environment, or a key service that never gives it away. */
export type KeyReference =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'vault'; readonly key: string };

/** Reads `vault:KEY`, `env:NAME` or else a path. */
export function keyReference(text: string): KeyReference {
  if (text.startsWith(VAULT)) return { kind: 'vault', key: text.slice(VAULT.length) };
  if (text.startsWith(VARIABLE)) return { kind: 'variable', name: text.slice(VARIABLE.length) };
  return { kind: 'file', path: text };
}

export const isInVault = (text: string): boolean => text.startsWith(VAULT);

/** A key's text with a name for its place in messages. Throws `SettingsError`; the message never holds the key. */
export function readKeyText(
  setting: string,
  reference: Exclude<KeyReference, { kind: 'vault' }>,
): { readonly text: string; readonly place: string } {
  if (reference.kind === 'variable') {
    const text = process.env[reference.name];
    if (text !== undefined && text !== '') return { text: text.trim(), place: `variable ${reference.name}` };
    throw new SettingsError(`${setting} names the variable ${reference.name}, which is not set: set it to the key.`);
  }
  const { path } = reference;
  const text = readSettingFile(setting, path).trim();
  if (isOpenToOthers(path)) {
    throw new SettingsError(`${setting}: others than its owner may read or write ${path}: chmod 600 ${path}.`);
  }
  return { text, place: path };
}

/** As ssh decides: the owner has to close their own file; whoever was given another's, by a secret store for instance, can't. */
function isOpenToOthers(path: string): boolean {
  const { uid, mode } = statSync(path);
  return uid === process.getuid?.() && (mode & 0o077) !== 0;
}

/** The text of a file that a setting names. Throws `SettingsError`. */
export function readSettingFile(setting: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingsError(`${setting} can't be read (${code}): check that the file ${path} exists and is readable.`);
  }
}

/** The bytes of a ledger key: a JSON list of numbers, or base 58. Undefined for anything else. */
export function ledgerKeyBytes(text: string): Uint8Array | undefined {
  try {
    if (!text.startsWith('[')) return new Uint8Array(getBase58Encoder().encode(text));
    const numbers: unknown = JSON.parse(text);
    const isByte = (value: unknown) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 255;
    if (Array.isArray(numbers) && numbers.every(isByte)) return Uint8Array.from(numbers as number[]);
  } catch {
    // Neither: the caller says so.
  }
  return undefined;
}
