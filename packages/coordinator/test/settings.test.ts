import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadAuthority, loadPayloadKeys } from '../src/config/keys.ts';
import { readSettings, SettingsError } from '../src/config/settings.ts';
import { settingsTable } from '../src/config/table.ts';
import { temporaryFolder } from './support/temporary.ts';

const LEAST = {
  BASE_RPC_URL: 'http://127.0.0.1:8899',
  LAYER_RPC_URL: 'http://127.0.0.1:7799',
  EXECUTION_AUTHORITY_KEY: 'authority.json',
};

describe('settings', () => {
  it('need three things and have defaults for the rest', () => {
    expect(readSettings(LEAST)).toMatchObject({
      host: '127.0.0.1',
      port: 8080,
      databaseUrl: undefined,
      baseWsUrl: 'ws://127.0.0.1:8900/',
      layerWsUrl: 'ws://127.0.0.1:7800/',
      pollIntervalMs: 1_000,
    });
  });

  it('take an empty value for unset', () => {
    expect(readSettings({ ...LEAST, DATABASE_URL: '', PORT: '' })).toMatchObject({
      databaseUrl: undefined,
      port: 8080,
    });
  });

  it.each<[string, Record<string, string | undefined>, RegExp]>([
    ['a missing ledger', { ...LEAST, BASE_RPC_URL: undefined }, /BASE_RPC_URL is not set/],
    ['everything that is wrong at once', {}, /BASE_RPC_URL.*LAYER_RPC_URL.*EXECUTION_AUTHORITY_KEY/s],
    ['a port that is none', { ...LEAST, PORT: '70000' }, /PORT/],
    [
      'a program address that is none',
      { ...LEAST, PROGRAM_ADDRESS: 'nonsense' },
      /PROGRAM_ADDRESS is not a base-58 address/,
    ],
    [
      'an interval of nothing',
      { ...LEAST, POLL_INTERVAL_MS: '0' },
      /POLL_INTERVAL_MS is not a whole number of at least 50/,
    ],
    [
      'one ledger for both',
      { ...LEAST, LAYER_RPC_URL: LEAST.BASE_RPC_URL },
      /LAYER_RPC_URL is the same as BASE_RPC_URL/,
    ],
    [
      'a websocket with the wrong scheme',
      { ...LEAST, BASE_WS_URL: 'http://127.0.0.1:1' },
      /BASE_WS_URL has the wrong scheme/,
    ],
    [
      'a database that is not Postgres',
      { ...LEAST, DATABASE_URL: 'mysql://x', PAYLOAD_KEY_FILE: 'k' },
      /DATABASE_URL is no Postgres/,
    ],
    [
      'a shared database without a key for lists',
      { ...LEAST, DATABASE_URL: 'postgres://x/y' },
      /PAYLOAD_KEY_FILE.*openssl rand -hex 32/,
    ],
  ])('refuse %s, naming the setting', (_, environment, message) => {
    expect(() => readSettings(environment)).toThrow(SettingsError);
    expect(() => readSettings(environment)).toThrow(message);
  });

  it('are printed without passwords and tokens', () => {
    const table = settingsTable(
      readSettings({
        ...LEAST,
        BASE_RPC_URL: 'https://ledger.example/?api-key=topsecret',
        DATABASE_URL: 'postgres://user:topsecret@db/payouts',
        PAYLOAD_KEY_FILE: '/run/key',
      }),
    );
    expect(table).not.toContain('topsecret');
    expect(table).toMatch(/DATABASE_URL +postgres:\/\/user:\*\*\*@db\/payouts/);
    expect(table).toContain('https://ledger.example/?***');
  });
});

describe('keys', () => {
  it('come from a file as solana-keygen writes it', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const secret = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
    const bytes = [...secret, ...publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)];
    const file = join(temporaryFolder(), 'authority.json');
    writeFileSync(file, JSON.stringify(bytes));
    const authority = await loadAuthority(readSettings({ ...LEAST, EXECUTION_AUTHORITY_KEY: file }));
    expect(authority.address).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);

    for (const content of [
      'not json',
      '[1,2,3]',
      JSON.stringify(bytes.map(() => 7)),
      JSON.stringify([...bytes.slice(1), 256]),
    ]) {
      writeFileSync(file, content);
      const refusal = loadAuthority(readSettings({ ...LEAST, EXECUTION_AUTHORITY_KEY: file }));
      await expect(refusal).rejects.toThrow(/EXECUTION_AUTHORITY_KEY is no key: .*authority\.json/);
      await expect(refusal).rejects.not.toThrow(content);
    }
  });

  it('refuse a file that is not there', async () => {
    const settings = readSettings({
      ...LEAST,
      EXECUTION_AUTHORITY_KEY: '/nowhere/key.json',
      PAYLOAD_KEY_FILE: '/nowhere/payload.key',
    });
    await expect(loadAuthority(settings)).rejects.toThrow(/EXECUTION_AUTHORITY_KEY can't be read \(ENOENT\)/);
    expect(() => loadPayloadKeys(settings)).toThrow(/PAYLOAD_KEY_FILE can't be read \(ENOENT\)/);
  });

  it('make a payload key once, readable by nobody else', () => {
    const settings = readSettings({ ...LEAST, DATA_DIR: join(temporaryFolder(), 'data') });
    const first = loadPayloadKeys(settings);
    const file = join(settings.dataDir, 'payload.key');
    expect(existsSync(file)).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const made = readFileSync(file, 'utf8').trim();
    expect(made).toMatch(/^[0-9a-f]{64}$/);
    expect(loadPayloadKeys(settings).currentId).toBe(first.currentId);
    expect(readFileSync(file, 'utf8').trim()).toBe(made);
  });

  it('take a payload key as hexadecimal or base64 of 32 bytes', () => {
    const file = join(temporaryFolder(), 'payload.key');
    const settings = readSettings({ ...LEAST, PAYLOAD_KEY_FILE: file });
    writeFileSync(file, 'ab'.repeat(32));
    const fromHex = loadPayloadKeys(settings);
    writeFileSync(file, Buffer.from('ab'.repeat(32), 'hex').toString('base64'));
    expect(loadPayloadKeys(settings).currentId).toBe(fromHex.currentId);
    writeFileSync(file, 'abcd');
    expect(() => loadPayloadKeys(settings)).toThrow(/PAYLOAD_KEY_FILE is no key/);
  });
});
