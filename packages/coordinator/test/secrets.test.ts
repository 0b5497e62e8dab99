import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getBase58Decoder } from '@solana/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isKey, withoutSecrets } from '../src/config/secrets.ts';
import { readSettings, SettingsError } from '../src/config/settings.ts';
import { eachSetting } from '../src/config/specs.ts';
import { settingsTable } from '../src/config/table.ts';
import { temporaryFolder } from './support/temporary.ts';

const FORMS: Readonly<Record<string, (key: Buffer) => string>> = {
  'base 58': (key) => getBase58Decoder().decode(key),
  'base 64': (key) => key.toString('base64'),
  'base 64 without padding': (key) => key.toString('base64').replace(/=+$/, ''),
  'base 64 for addresses': (key) => key.toString('base64url'),
  hexadecimal: (key) => key.toString('hex'),
  'capital hexadecimal': (key) => key.toString('hex').toUpperCase(),
  '0x and hexadecimal': (key) => `0x${key.toString('hex')}`,
  'a JSON list': (key) => JSON.stringify([...key]),
  'a JSON list with spaces': (key) => JSON.stringify([...key]).replaceAll(',', ', '),
  PEM: (key) => `-----BEGIN PRIVATE KEY-----\n${key.toString('base64')}\n-----END PRIVATE KEY-----`,
};
/** Ways to put a key where its place belongs. */
const AROUND: readonly ((key: string) => string)[] = [
  (key) => key,
  (key) => `"${key}"`,
  (key) => `env:${key}`,
  (key) => `vault:${key}`,
  (key) => ` ${key}\n`,
];

const LEAST = {
  BASE_RPC_URL: 'http://127.0.0.1:8899',
  LAYER_RPC_URL: 'http://127.0.0.1:7799',
  EXECUTION_AUTHORITY_KEY: 'authority.json',
};

/** All that a start with these settings shows: the table of settings, or what is wrong. */
function shownOf(environment: Record<string, string>): string {
  try {
    return settingsTable(readSettings(environment));
  } catch (error) {
    if (error instanceof SettingsError) return error.message;
    throw error;
  }
}

/** What of a secret must not be seen: any eight of its letters in a row, of a list any four of its numbers. */
function piecesOf(secret: string): string[] {
  if (secret.startsWith('[')) {
    const numbers = JSON.parse(secret) as number[];
    return numbers.slice(3).map((_, place) => numbers.slice(place, place + 4).join(secret.includes(', ') ? ', ' : ','));
  }
  const body = secret.replaceAll(/-----[A-Z ]+-----|\n|=/g, '');
  return Array.from({ length: body.length - 7 }, (_, place) => body.slice(place, place + 8));
}

describe('what settings hold that is secret', () => {
  const keys = fc.constantFrom(32, 64).chain((length) => fc.uint8Array({ minLength: length, maxLength: length }));

  it.each(Object.entries(FORMS))('is not shown if it is a key in %s, in whatever setting it stands', (_, form) => {
    const names = eachSetting().map(([, name]) => name);
    fc.assert(
      fc.property(keys, fc.constantFrom(...names), fc.constantFrom(...AROUND), (bytes, name, around) => {
        const written = form(Buffer.from(bytes));
        // A ledger's public key is none of its secrets.
        if (['PROGRAM_ADDRESS', 'OPERATORS'].includes(name) && bytes.length === 32) return;
        const shown = shownOf({ ...LEAST, [name]: around(written) });
        for (const piece of piecesOf(written)) expect(shown).not.toContain(piece);
      }),
      { numRuns: 150 },
    );
  });

  it.each([
    'https://u-topsecret@ledger.example/',
    'https://user:topsecret@ledger.example/x',
    'https://user:top@topsecret@ledger.example/x',
    'https://ledger.example/?api-key=topsecret',
    'https://ledger.example/#topsecret',
    'https://ledger.example?token=topsecret&x=y',
    'https://ledger.example/v2/topsecretpartofthepath',
    'user:topsecret@ledger.example',
    'ledger.example/x?token=topsecret',
    'HTTPS://user:topsecret@ledger.example',
  ])('is not shown if it stands in an address, in whatever setting: %s', (address) => {
    for (const [, name] of eachSetting())
      expect(shownOf({ ...LEAST, [name]: address }), name).not.toContain('topsecret');
  });

  it('keeps what is none: addresses, files, variables, names', () => {
    for (const text of [
      'https://ledger.example/v2',
      'postgres://…, or redis://…',
      '/var/run/secrets/payouts/execution-authority.json',
      'env:EXECUTION_AUTHORITY',
      'vault:payouts-authority',
      '10.0.0.0/8,::1',
      'a file of 64 numbers, as [::1] is none',
    ]) {
      expect(withoutSecrets(text)).toBe(text);
      expect(isKey(text)).toBe(false);
    }
    const file = join(temporaryFolder(), randomBytes(32).toString('hex'));
    writeFileSync(file, '');
    expect(withoutSecrets(`${file} can't be read`)).toContain("can't be read");
    expect(isKey(file)).toBe(false);
  });

  it('takes a folder that is to be made for a place, though base 64 of a key has slashes and as many characters', () => {
    const made = temporaryFolder();
    const folder = join(made, 'd'.repeat(86 - made.length - 1));
    expect(folder).toHaveLength(86);
    expect(readSettings({ ...LEAST, DATA_DIR: folder }).dataDir).toBe(folder);
    expect(isKey(`/${randomBytes(48).toString('base64').replaceAll('/', '+').slice(1)}`)).toBe(true);
  });

  it.each(Object.entries(FORMS))('keeps a key from being a setting at all: %s', (_, form) => {
    const key = form(randomBytes(64));
    for (const name of [
      'EXECUTION_AUTHORITY_KEY',
      'PAYLOAD_KEY',
      'PAYLOAD_KEYS_RETIRED',
      'DATA_DIR',
      'LAYER_MEASUREMENTS',
    ]) {
      expect(() => readSettings({ ...LEAST, [name]: key }), name).toThrow(`${name} holds a key itself`);
    }
  });
});
