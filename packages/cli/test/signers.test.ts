import { Readable } from 'node:stream';
import { openTransportReplayer, RecordStore } from '@ledgerhq/hw-transport-mocker';
import {
  createKeyPairSignerFromPrivateKeyBytes,
  generateKeyPairSigner,
  getBase58Encoder,
  verifySignature,
} from '@solana/kit';
import { HDKey } from 'micro-key-producer/slip10.js';
import { expect, it, vi } from 'vitest';
import { loadKeypair } from '../src/payout/keypair.ts';
import { derivationOf } from '../src/payout/signer/derivation.ts';
import { signerOf, solanaApp } from '../src/payout/signer/ledgerWallet.ts';
import { signerFromPhrase } from '../src/payout/signer/seedPhrase.ts';

/** The phrase of BIP 39's first test vector. */
const PHRASE = `${'abandon '.repeat(11)}about`;
const App = solanaApp();
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

it('reads a path as Solana’s command line does', () => {
  expect(derivationOf('prompt:')).toBe("44'/501'");
  expect(derivationOf('prompt://?key=0')).toBe("44'/501'/0'");
  expect(derivationOf('usb://ledger?key=2/1')).toBe("44'/501'/2'/1'");
  expect(derivationOf("prompt://?key=0'/0'")).toBe("44'/501'/0'/0'");
  expect(derivationOf('prompt://?full-path=m/44/2017/0/1')).toBe("44'/2017'/0'/1'");
  for (const wrong of [
    'key=',
    'key=a',
    'key=1/2/3',
    'key=2147483648',
    'full-path=44/501',
    'other=1',
    'key=0&full-path=m/0',
  ]) {
    expect(() => derivationOf(`prompt://?${wrong}`)).toThrow('--keypair takes ?key=');
  }
});

it('derives what SLIP 10 publishes for ed25519', () => {
  const derived = (path: string) => {
    const key = HDKey.fromMasterSeed(Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex')).derive(path);
    return hex(key.privateKey);
  };
  expect(derived('m')).toBe('2b4be7f19ee27bbf30c667b642d5f4aa69fd169872f8fc3059c08ebae2eb19e7');
  expect(derived("m/0'/1'/2'/2'/1000000000'")).toBe('8f94d394a8e8fd6b1bc2f3f49f5c47e385281d5c17e65324b0f62483e37e8793');
});

it('finds the addresses that wallets find for the phrase of BIP 39’s first vector', async () => {
  const addressAt = async (named: string, passphrase = '') =>
    (await signerFromPhrase(PHRASE, passphrase, derivationOf(named))).address;
  expect(await addressAt('prompt://?key=0/0')).toBe('HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk');
  expect(await addressAt('prompt://?key=0')).toBe('GjJyeC1r2RgkuoCWMyPYkCWSGSGLcz266EaAkLA27AhL');
  expect(await addressAt('prompt://?key=1/0')).toBe('Hh8QwFUA6MtVu1qAoq12ucvFHNwCcVTV7hpWjeY1Hztb');
  expect(await addressAt('prompt:')).toBe('D2PPQSYFe83nDzk96FqGumVU8JA7J8vj2Rhjc2oXzEi5');
  const made = await signerFromPhrase(PHRASE, '', undefined);
  expect(made.address).toBe('EHqmfkN89RJ7Y33CXM6uCzhVeuywHoJXZZLszBHHZy7o');
  expect(await addressAt('prompt://?key=0/0', 'TREZOR')).not.toBe('HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk');
});

it('says what is wrong with a phrase, and repeats none of it', async () => {
  const refused = (phrase: string) => signerFromPhrase(phrase, '', "44'/501'").catch((error: Error) => error.message);
  expect(await refused('abandon abandon')).toBe('A seed phrase has 12, 15, 18, 21 or 24 words, and this one 2.');
  expect(await refused(PHRASE.replace('about', 'abbot'))).toContain('Word 12 of the seed phrase is none');
  expect(await refused(PHRASE.replace('about', 'abandon'))).toContain('unknown checksum');
  expect((await signerFromPhrase(` ${PHRASE.toUpperCase()}  `, '', "44'/501'/0'/0'")).address).toMatch(/^HAgk/);
});

it('reads a key from standard input', async () => {
  const key = HDKey.fromMasterSeed(new Uint8Array(32).fill(7)).derive("m/44'/501'");
  const json = JSON.stringify([...key.privateKey, ...key.publicKeyRaw]);
  const stdin = vi.spyOn(process, 'stdin', 'get');
  try {
    stdin.mockReturnValue(Readable.from([json]) as unknown as typeof process.stdin);
    expect((await loadKeypair('-')).address).toBe(
      (await createKeyPairSignerFromPrivateKeyBytes(key.privateKey)).address,
    );
    stdin.mockReturnValue(Readable.from(['[1,2]']) as unknown as typeof process.stdin);
    await expect(loadKeypair('-')).rejects.toMatchObject({ code: 'keypair-unreadable' });
  } finally {
    stdin.mockRestore();
  }
});

it('has no device here, and says what it takes', async () => {
  await expect(loadKeypair('usb://trezor')).rejects.toMatchObject({ code: 'wrong-usage' });
  await expect(loadKeypair('usb://ledger?key=0/0')).rejects.toMatchObject({
    code: expect.stringMatching(/^hardware-(module-)?missing$/),
  });
  await expect(loadKeypair('prompt:')).rejects.toMatchObject({ code: 'wrong-usage' });
});

/** What the app of a Ledger wallet is asked for a path, and answers: class e0, its two instructions, 9000 for success. */
const PATH = { base: '028000002c800001f5', key: '048000002c800001f58000000080000000' };
const apdu = (instruction: string, more: string, data: string): string =>
  `e0${instruction}${more}${(data.length / 2).toString(16).padStart(2, '0')}${data}`;

it('speaks with a hardware wallet as its app does, and passes on what it signed', async () => {
  const key = await generateKeyPairSigner();
  const address = hex(new Uint8Array(getBase58Encoder().encode(key.address)));
  const message = new Uint8Array([1, 0, 1, 3, ...new Uint8Array(300).fill(9)]);
  const signature = new Uint8Array(await crypto.subtle.sign('Ed25519', key.keyPair.privateKey, message));
  const data = `01${PATH.key}${hex(message)}`;
  // A packet holds 255 bytes: the last byte of its head says whether it goes on, and whether more follow.
  const packets = [data.slice(0, 510), data.slice(510)];
  const store = RecordStore.fromString(
    [
      `=> ${apdu('05', '0000', PATH.base)}`,
      `<= ${address}9000`,
      `=> ${apdu('05', '0000', PATH.key)}`,
      `<= ${address}9000`,
      `=> ${apdu('06', '0102', packets[0] as string)}`,
      '<= 9000',
      `=> ${apdu('06', '0101', packets[1] as string)}`,
      `<= ${hex(signature)}9000`,
      `=> ${apdu('06', '0102', packets[0] as string)}`,
      '<= 6985',
    ].join('\n'),
  );
  const transport = await openTransportReplayer(store);
  const app = new App(transport);
  const signer = await signerOf(app, derivationOf('usb://ledger?key=0/0'), key.address);
  expect(signer.address).toBe(key.address);
  const transaction = { messageBytes: message, signatures: {} } as never;
  const [signed] = await signer.signTransactions([transaction]);
  expect(await verifySignature(key.keyPair.publicKey, signed?.[key.address] as never, message)).toBe(true);
  await expect(signer.signTransactions([transaction])).rejects.toMatchObject({ code: 'not-confirmed' });
  await expect(
    signer.signMessages([{ content: new TextEncoder().encode('Payouts: show a private balance'), signatures: {} }]),
  ).rejects.toMatchObject({
    code: 'hardware-transactions-only',
    message: expect.stringContaining('only in an envelope'),
  });
});

it('refuses another wallet than the one that is named', async () => {
  const key = await generateKeyPairSigner();
  const other = await generateKeyPairSigner();
  const address = hex(new Uint8Array(getBase58Encoder().encode(key.address)));
  const store = RecordStore.fromString(`=> ${apdu('05', '0000', PATH.base)}\n<= ${address}9000`);
  const transport = await openTransportReplayer(store);
  const app = new App(transport);
  await expect(signerOf(app, derivationOf(''), other.address)).rejects.toMatchObject({ code: 'hardware-other' });
});
