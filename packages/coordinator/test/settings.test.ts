import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readSettings, SettingsError } from '../src/config/settings.ts';
import { eachSetting } from '../src/config/specs.ts';
import { settingsReference, settingsTable } from '../src/config/table.ts';
import { warningsOf } from '../src/config/warnings.ts';
import { temporaryFolder } from './support/temporary.ts';

const LEAST = {
  BASE_RPC_URL: 'http://127.0.0.1:8899',
  LAYER_RPC_URL: 'http://127.0.0.1:7799',
  EXECUTION_AUTHORITY_KEY: 'authority.json',
};
const NOTHING = Object.fromEntries(Object.keys(LEAST).map((name) => [name, undefined]));
const SERVER = { ...LEAST, DATABASE_URL: 'postgres://user:topsecret@db/payouts', PAYLOAD_KEY: '/run/key' };
const TOKEN = 'a-token-nobody-guesses';

describe('settings', () => {
  it('need three things and have defaults for the rest', () => {
    expect(readSettings(LEAST)).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      databaseUrl: undefined,
      baseWsUrl: 'ws://127.0.0.1:8900/',
      pollIntervalMs: 1_000,
      metricsPublic: false,
      payloadKeysRetired: [],
      trustedProxies: [],
    });
  });

  it('take an empty value for unset', () => {
    expect(readSettings({ ...LEAST, DATABASE_URL: '', PORT: '' })).toMatchObject({
      databaseUrl: undefined,
      port: 3000,
    });
  });

  it.each<[string, Record<string, string | undefined>, RegExp]>([
    ['a missing ledger', { BASE_RPC_URL: undefined }, /BASE_RPC_URL is not set/],
    ['everything that is wrong at once', NOTHING, /BASE_RPC_URL.*LAYER_RPC_URL.*EXECUTION_AUTHORITY_KEY/s],
    ['a port that is none', { PORT: '70000' }, /PORT/],
    ['a program address that is none', { PROGRAM_ADDRESS: 'nonsense' }, /PROGRAM_ADDRESS is not a base-58 address/],
    ['an interval of nothing', { POLL_INTERVAL_MS: '0' }, /POLL_INTERVAL_MS is not a whole number of at least 50/],
    [
      'an attested layer over plain http on another host',
      { LAYER_RPC_URL: 'http://layer.example', LAYER_MEASUREMENTS: 'machines.json' },
      /LAYER_RPC_URL is plain http to another host/,
    ],
    [
      'a token over plain http to a host that only looks like this one',
      { LAYER_RPC_URL: 'http://127.evil.example', LAYER_SIGN_IN: 'true' },
      /LAYER_RPC_URL is plain http to another host/,
    ],
    ['one ledger for both', { LAYER_RPC_URL: LEAST.BASE_RPC_URL }, /LAYER_RPC_URL is the same as BASE_RPC_URL/],
    ['a websocket with the wrong scheme', { BASE_WS_URL: 'http://127.0.0.1:1' }, /BASE_WS_URL has the wrong scheme/],
    ['a database that is not Postgres', { PAYLOAD_KEY: 'k', DATABASE_URL: 'mysql://x' }, /DATABASE_URL is no Postgres/],
    [
      'a shared database without a key for lists',
      { DATABASE_URL: 'postgres://x/y' },
      /PAYLOAD_KEY is not.*openssl rand -hex 32/,
    ],
    [
      'a limiter store that is no Redis',
      { RATE_LIMIT_STORE_URL: 'http://x' },
      /RATE_LIMIT_STORE_URL has the wrong scheme: write it as redis:/,
    ],
    [
      'a token that can be guessed',
      { METRICS_AUTH_TOKEN: 'short' },
      /METRICS_AUTH_TOKEN is shorter than 16 characters/,
    ],
    ['a name with spaces', { INSTANCE_NAME: 'a b' }, /INSTANCE_NAME is not 1 to 63 letters/],
    [
      'an origin with a path',
      { PUBLIC_ORIGINS: 'https://pay.example/x' },
      /PUBLIC_ORIGINS has "https:\/\/pay.example\/x"/,
    ],
    [
      'an origin with no scheme',
      { PUBLIC_ORIGINS: 'https://a.example,pay.example' },
      /PUBLIC_ORIGINS has "pay.example"/,
    ],
    ['a network that is none', { TRUSTED_PROXIES: '10.0.0.0/99' }, /TRUSTED_PROXIES has "10\.0\.0\.0\/99"/],
    [
      'a key in Vault without Vault',
      { PAYLOAD_KEY: 'vault:lists' },
      /PAYLOAD_KEY names a key in Vault: set VAULT_ADDR and VAULT_TOKEN/,
    ],
    ['a sender without a mail server', { SMTP_FROM: 'pay@a.example' }, /SMTP_FROM is set but SMTP_URL is not/],
    ['a mail server without a sender', { SMTP_URL: 'smtp://mail' }, /SMTP_URL is set but SMTP_FROM is not/],
    [
      'a mail server without an address of the service',
      { SMTP_URL: 'smtp://mail', SMTP_FROM: 'pay@a.example' },
      /SMTP_URL is set but PUBLIC_ORIGINS is not/,
    ],
    [
      'a mail server that is none, and a sender who is none',
      { SMTP_URL: 'mail.example', SMTP_FROM: 'Pay <pay@a.example>' },
      /SMTP_URL is no mail server.*SMTP_FROM is no e-mail address/s,
    ],
    [
      'the current key among the retired',
      { PAYLOAD_KEY: 'a.key', PAYLOAD_KEYS_RETIRED: 'b.key, a.key' },
      /PAYLOAD_KEYS_RETIRED has the key that PAYLOAD_KEY names/,
    ],
  ])('refuse %s, naming the setting', (_, change, message) => {
    const environment = { ...LEAST, ...change };
    expect(() => readSettings(environment)).toThrow(SettingsError);
    expect(() => readSettings(environment)).toThrow(message);
  });

  it.each([
    ['EXECUTION_AUTHORITY_KEY', '[1,2,3]'],
    ['PAYLOAD_KEY', 'ab'.repeat(32)],
  ])('refuse a key in place of its place, without repeating it: %s', (name, key) => {
    expect(() => readSettings({ ...LEAST, [name]: key })).toThrow(new RegExp(`${name} holds a key itself`));
    expect(() => readSettings({ ...LEAST, [name]: key })).not.toThrow(key);
  });

  it('do not repeat a malformed secret', () => {
    const environment = { ...LEAST, BASE_RPC_URL: 'ledger.example/topsecret' };
    expect(() => readSettings(environment)).toThrow(/BASE_RPC_URL is malformed/);
    expect(() => readSettings(environment)).not.toThrow('topsecret');
  });

  it('take secrets from files, and not from both', () => {
    const file = join(temporaryFolder(), 'secret');
    writeFileSync(file, `${SERVER.DATABASE_URL}\n`);
    const { DATABASE_URL, ...rest } = SERVER;
    expect(readSettings({ ...rest, DATABASE_URL_FILE: file }).databaseUrl).toBe(DATABASE_URL);
    expect(() => readSettings({ ...SERVER, DATABASE_URL_FILE: file })).toThrow(
      /DATABASE_URL and DATABASE_URL_FILE are both set/,
    );
    expect(() => readSettings({ ...rest, DATABASE_URL_FILE: `${file}.gone` })).toThrow(
      /DATABASE_URL_FILE can't be read \(ENOENT\)/,
    );
    writeFileSync(file, TOKEN);
    expect(readSettings({ ...LEAST, METRICS_AUTH_TOKEN_FILE: file }).metricsAuthToken).toBe(TOKEN);
  });

  it('are printed with every secret hidden', () => {
    const table = settingsTable(
      readSettings({
        ...SERVER,
        BASE_RPC_URL: 'https://ledger.example/?api-key=topsecret',
        LAYER_RPC_URL: 'https://layer.example/v2/topsecret-that-is-a-part-of-the-path',
        RATE_LIMIT_STORE_URL: 'redis://:topsecret@limits:6379/1',
        METRICS_AUTH_TOKEN: `topsecret${TOKEN}`,
        SMTP_URL: 'smtps://payouts:topsecret@mail.example',
        SMTP_FROM: 'payouts@example.com',
        PUBLIC_ORIGINS: 'https://payouts.example.com',
        VAULT_ADDR: 'https://vault.example',
        VAULT_TOKEN: 'hvs.topsecret',
      }),
    );
    expect(table).not.toContain('topsecret');
    expect(table).toMatch(/DATABASE_URL +postgres:\/\/\*\*\*@db\/payouts/);
    expect(table).toContain('https://ledger.example/?***');
    expect(table).toMatch(/METRICS_AUTH_TOKEN +\*\*\*$/m);
  });

  it('say which is probably misspelt, and what protects nothing', () => {
    const environment = { ...LEAST, PAYLOD_KEY: 'x', DATABASE_URI: 'y', HOME: '/', PATH: '/bin', LOGNAME: 'root' };
    expect(warningsOf(readSettings(environment), environment)).toEqual([
      'PAYLOD_KEY is no setting: did you mean PAYLOAD_KEY?',
      'DATABASE_URI is no setting: did you mean DATABASE_URL?',
    ]);
    const reached = { ...LEAST, HOST: '0.0.0.0' };
    expect(warningsOf(readSettings(reached), reached)).toEqual([expect.stringMatching(/^PUBLIC_ORIGINS is unset/)]);
    const named = { ...reached, PUBLIC_ORIGINS: 'https://pay.example, http://pay.example:8080' };
    expect(warningsOf(readSettings(named), named)).toEqual([]);
    const open = { ...LEAST, METRICS_PUBLIC: 'true', METRICS_AUTH_TOKEN: TOKEN };
    expect(warningsOf(readSettings(open), open)).toEqual([
      'METRICS_PUBLIC is true, so METRICS_AUTH_TOKEN protects nothing: unset one of them.',
    ]);
  });

  it('stand in the reference as they are', () => {
    const file = fileURLToPath(new URL('../../../docs/reference/settings.md', import.meta.url));
    expect(readFileSync(file, 'utf8')).toContain(settingsReference());
    for (const [, name, { desc }] of eachSetting()) expect(desc, name).toMatch(/\S/);
  });
});
