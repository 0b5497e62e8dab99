import { createPublicKey, generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addressFromBytes, buildTransaction, systemTime } from '@payouts/client';
import { manualTime } from '@payouts/testing/manualTime';
import { startTransit, type Transit } from '@payouts/testing/services';
import { type Blockhash, getAddressEncoder, getBase58Decoder } from '@solana/kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type KeySettings, loadAuthority, loadPayloadKeys } from '../src/config/keys.ts';
import { RunError } from '../src/domain/errors.ts';
import { DecryptionFailed } from '../src/store/crypto/cipher.ts';
import { cachedFor } from '../src/store/crypto/payloadKeyCache.ts';
import { localPayloadKey, WrongPayloadKey } from '../src/store/crypto/payloadKeys.ts';
import { temporaryFolder } from './support/temporary.ts';

const settings = (given: Partial<KeySettings>): KeySettings => ({
  executionAuthorityKey: 'authority.json',
  relayKey: undefined,
  payloadKey: undefined,
  payloadKeysRetired: [],
  vaultAddr: undefined,
  vaultToken: undefined,
  dataDir: 'data',
  ...given,
});
const authorityOf = (given: Partial<KeySettings>) => loadAuthority(settings(given), systemTime);
const payloadKeysOf = (given: Partial<KeySettings>) => loadPayloadKeys(settings(given), systemTime);

function newKeyPair(): Uint8Array {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
  return Buffer.concat([secret, publicKey.export({ format: 'der', type: 'spki' }).subarray(-32)]);
}

const place = Buffer.from('schedule and root');

describe('the execution authority', () => {
  it('comes from a file as solana-keygen writes it, or in base 58', async () => {
    const pair = newKeyPair();
    const file = join(temporaryFolder(), 'authority.json');
    for (const content of [JSON.stringify([...pair]), getBase58Decoder().decode(pair)]) {
      writeFileSync(file, `${content}\n`, { mode: 0o600 });
      const authority = await authorityOf({ executionAuthorityKey: file });
      expect(authority.address).toBe(addressFromBytes(pair.subarray(32)));
    }
  });

  it('comes from a variable of the environment', async () => {
    const pair = newKeyPair();
    vi.stubEnv('AUTHORITY', JSON.stringify([...pair]));
    const { address } = await authorityOf({ executionAuthorityKey: 'env:AUTHORITY' });
    expect(address).toBe(addressFromBytes(pair.subarray(32)));
    vi.unstubAllEnvs();
    await expect(authorityOf({ executionAuthorityKey: 'env:AUTHORITY' })).rejects.toThrow(
      'EXECUTION_AUTHORITY_KEY names the variable AUTHORITY, which is not set: set it to the key.',
    );
  });

  it('is refused without showing what stands there', async () => {
    const pair = [...newKeyPair()];
    const file = join(temporaryFolder(), 'authority.json');
    for (const content of [
      'not json',
      '[1,2,3]',
      JSON.stringify(pair.map(() => 7)),
      JSON.stringify([...pair.slice(1), 256]),
    ]) {
      writeFileSync(file, content, { mode: 0o600 });
      const refusal = authorityOf({ executionAuthorityKey: file });
      await expect(refusal).rejects.toThrow(/EXECUTION_AUTHORITY_KEY is no key: .*authority\.json/);
      await expect(refusal).rejects.not.toThrow(content);
    }
    await expect(authorityOf({ executionAuthorityKey: '/nowhere/key.json' })).rejects.toThrow(
      /EXECUTION_AUTHORITY_KEY can't be read \(ENOENT\)/,
    );
  });
});

describe("a key's file", () => {
  it.each([0o640, 0o604, 0o620, 0o660, 0o644])(
    'is refused as others may use it, as ssh does: mode %o',
    async (mode) => {
      const file = join(temporaryFolder(), 'some.key');
      writeFileSync(file, 'ab'.repeat(32), { mode: 0o600 });
      await payloadKeysOf({ payloadKey: file });
      chmodSync(file, mode);
      await expect(payloadKeysOf({ payloadKey: file })).rejects.toThrow(
        `PAYLOAD_KEY: others than its owner may read or write ${file}: chmod 600 ${file}.`,
      );
      await expect(authorityOf({ executionAuthorityKey: file })).rejects.toThrow('EXECUTION_AUTHORITY_KEY: others');
    },
  );

  it("may be read by a group if it is another's, who has given it to this process", async () => {
    const file = join(temporaryFolder(), 'some.key');
    writeFileSync(file, 'ab'.repeat(32), { mode: 0o640 });
    vi.spyOn(process, 'getuid').mockReturnValue(12_345);
    await payloadKeysOf({ payloadKey: file });
    vi.restoreAllMocks();
  });
});

describe('payload keys', () => {
  it('are made once for the embedded database, readable by nobody else', async () => {
    const given = { dataDir: join(temporaryFolder(), 'data') };
    const first = await payloadKeysOf(given);
    const file = join(given.dataDir, 'payload.key');
    expect(existsSync(file)).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const made = readFileSync(file, 'utf8').trim();
    expect(made).toMatch(/^[0-9a-f]{64}$/);
    expect((await payloadKeysOf(given)).currentId).toBe(first.currentId);
    expect(readFileSync(file, 'utf8').trim()).toBe(made);
  });

  it('are taken as hexadecimal or base64 of 32 bytes, from a file or a variable', async () => {
    const file = join(temporaryFolder(), 'payload.key');
    const given = { payloadKey: file };
    writeFileSync(file, 'ab'.repeat(32), { mode: 0o600 });
    const { currentId } = await payloadKeysOf(given);
    writeFileSync(file, Buffer.from('ab'.repeat(32), 'hex').toString('base64'));
    expect((await payloadKeysOf(given)).currentId).toBe(currentId);
    vi.stubEnv('LISTS', 'ab'.repeat(32));
    expect((await payloadKeysOf({ payloadKey: 'env:LISTS' })).currentId).toBe(currentId);
    vi.unstubAllEnvs();
    writeFileSync(file, 'abcd');
    await expect(payloadKeysOf(given)).rejects.toThrow(/PAYLOAD_KEY is no key/);
    await expect(payloadKeysOf({ payloadKey: '/nowhere' })).rejects.toThrow(/PAYLOAD_KEY can't be read \(ENOENT\)/);
  });

  it('open what a retired one wrapped, and wrap with the current one', async () => {
    const folder = temporaryFolder();
    const [former, present] = [join(folder, 'former'), join(folder, 'present')];
    for (const file of [former, present]) writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600 });
    const before = await payloadKeysOf({ payloadKey: former });
    const wrapped = await before.wrap(randomBytes(32), place);
    const after = await payloadKeysOf({ payloadKey: present, payloadKeysRetired: [former] });
    expect(await after.unwrap(wrapped, place)).toEqual(await before.unwrap(wrapped, place));
    const again = await after.wrap(randomBytes(32), place);
    expect(again.keyId).not.toBe(wrapped.keyId);
    await expect(before.unwrap(again, place)).rejects.toThrow(WrongPayloadKey);
  });
});

describe('a key service', () => {
  let transit: Transit;
  let given: Partial<KeySettings>;
  beforeAll(async () => {
    transit = await startTransit();
    transit.createSigningKey('authority');
    transit.createEncryptionKey('lists');
    given = {
      executionAuthorityKey: 'vault:authority',
      payloadKey: 'vault:lists',
      vaultAddr: `${transit.url}/`,
      vaultToken: transit.token,
    };
  });
  beforeEach(() => {
    transit.state = 'ready';
  });
  afterAll(() => transit.stop());

  const lifetime = { blockhash: addressFromBytes(randomBytes(32)) as string as Blockhash, lastValidBlockHeight: 1n };
  const emptyTransaction = (feePayer: Awaited<ReturnType<typeof authorityOf>>) =>
    buildTransaction({ feePayer, instructions: [], lifetime });

  it('signs transactions with a key that it never gives away', async () => {
    const authority = await authorityOf(given);
    const { wire } = await emptyTransaction(authority);
    const bytes = Buffer.from(wire, 'base64');
    const spki = Buffer.concat([
      Buffer.from('302a300506032b6570032100', 'hex'),
      getAddressEncoder().encode(authority.address) as Uint8Array,
    ]);
    const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' });
    expect(verify(null, bytes.subarray(65), publicKey, bytes.subarray(1, 65))).toBe(true);
  });

  it('wraps and unwraps data keys, asking once for the same one', async () => {
    const keys = await payloadKeysOf(given);
    const key = randomBytes(32);
    const wrapped = await keys.wrap(key, place);
    expect(wrapped.keyId).toBe('vault:lists');
    const before = transit.calls.get('/v1/transit/decrypt/lists') ?? 0;
    for (let times = 0; times < 3; times++) expect(Buffer.from(await keys.unwrap(wrapped, place))).toEqual(key);
    expect(transit.calls.get('/v1/transit/decrypt/lists')).toBe(before + 1);
    await expect(keys.unwrap(wrapped, Buffer.from('elsewhere'))).rejects.toThrow(DecryptionFailed);
  });

  it('is asked again once a key was remembered for its time, and nobody can change what is remembered', async () => {
    const time = manualTime();
    const own = localPayloadKey(randomBytes(32));
    let asked = 0;
    const unwrap = (wrapped: Uint8Array, associated: Uint8Array) => {
      asked += 1;
      return own.unwrap(wrapped, associated);
    };
    const cached = cachedFor(1_000, { ...own, unwrap }, time);
    const key = randomBytes(32);
    const wrapped = await cached.wrap(key, place);
    for (let times = 0; times < 3; times++) (await cached.unwrap(wrapped, place)).fill(0);
    await time.advance(1_000);
    expect([Buffer.from(await cached.unwrap(wrapped, place)), asked]).toEqual([key, 1]);
    await time.advance(1);
    expect([Buffer.from(await cached.unwrap(wrapped, place)), asked]).toEqual([key, 2]);
  });

  it.each(['sealed', 'silent'] as const)('that is %s makes an error that passes', async (state) => {
    const [authority, keys] = [await authorityOf(given), await payloadKeysOf(given)];
    const wrapped = await keys.wrap(randomBytes(32), place);
    transit.state = state;
    const unavailable = { name: 'RunError', code: 'key-service-unavailable', errorClass: 'unreachable' };
    await expect(keys.unwrap(wrapped, place)).rejects.toMatchObject(unavailable);
    const signing = emptyTransaction(authority);
    await expect(signing).rejects.toBeInstanceOf(RunError);
    await expect(signing).rejects.toMatchObject(unavailable);
    transit.state = 'ready';
    expect(await keys.unwrap(wrapped, place)).toHaveLength(32);
  });

  it.each<[string, Partial<KeySettings>, RegExp]>([
    ['a key that is not there', { executionAuthorityKey: 'vault:nobody' }, /Transit engine does not have: create it/],
    ['another token', { vaultToken: 'hvs.wrong' }, /Vault refuses VAULT_TOKEN/],
    [
      'a key that encrypts',
      { executionAuthorityKey: 'vault:lists' },
      /of type aes256-gcm96: create one of type ed25519/,
    ],
    ['an address where nothing is', { vaultAddr: 'http://127.0.0.1:9' }, /Vault can't be reached: check VAULT_ADDR/],
  ])('is refused at start with %s', async (_, other, message) => {
    await expect(authorityOf({ ...given, ...other })).rejects.toThrow(message);
  });

  it('does not encrypt with a key that signs', async () => {
    await expect(payloadKeysOf({ ...given, payloadKey: 'vault:authority' })).rejects.toThrow(
      /PAYLOAD_KEY: the key authority in Vault is of type ed25519: create one of type aes256-gcm96/,
    );
  });
});
