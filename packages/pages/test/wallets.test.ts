import {
  appendTransactionMessageInstruction,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  generateKeyPairSigner,
  getTransactionDecoder,
  getTransactionEncoder,
  type KeyPairSigner,
  partiallySignTransaction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  type Transaction,
} from '@solana/kit';
import type { SolanaSignMessageInput, SolanaSignTransactionInput } from '@solana/wallet-standard-features';
import { getWallets } from '@wallet-standard/app';
import type { Wallet } from '@wallet-standard/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { chainOf } from '../src/session/chain.ts';
import { messageSigner, transactionSigner } from '../src/session/signers.ts';
import { asWalletError, WalletFailed, WalletRefused } from '../src/session/walletErrors.ts';
import { type ConnectedWallet, wallets, watchWallets } from '../src/session/wallets.ts';

const TEXT = new TextEncoder().encode('A text that says what it is for.');
const LIFETIME = { blockhash: '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi' as Blockhash, lastValidBlockHeight: 9n };
const MEMO = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr' as KeyPairSigner['address'];

let signer: KeyPairSigner;
beforeAll(async () => {
  signer = await generateKeyPairSigner();
});

/** What a wallet of these tests does of its own. */
type Ways = {
  readonly message?: (input: SolanaSignMessageInput) => Promise<{ signedMessage: Uint8Array; signature: Uint8Array }>;
  readonly transaction?: (input: SolanaSignTransactionInput) => Promise<Uint8Array>;
  readonly chains?: Wallet['chains'];
};

const signature = async (message: Uint8Array) =>
  (await signer.signMessages([{ content: message, signatures: {} }]))[0]?.[signer.address] as Uint8Array;
const signed = async (bytes: Uint8Array): Promise<Uint8Array> =>
  new Uint8Array(
    getTransactionEncoder().encode(
      await partiallySignTransaction([signer.keyPair], getTransactionDecoder().decode(bytes)),
    ),
  );

/** Registers a wallet as an extension does, and connects it through the page. */
async function connected({ message, transaction, chains = ['solana:devnet'] }: Ways): Promise<ConnectedWallet> {
  const features = ['solana:signMessage', ...(transaction === undefined ? [] : ['solana:signTransaction'])];
  const account = { address: signer.address, publicKey: new Uint8Array(32), chains, features } as Wallet['accounts'][0];
  const wallet = {
    version: '1.0.0',
    name: 'Some Wallet',
    icon: 'data:image/svg+xml;base64,PHN2Zy8+',
    chains,
    accounts: [account],
    features: {
      'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
      'solana:signMessage': {
        version: '1.1.0',
        signMessage: async (input: SolanaSignMessageInput) => [
          await (message?.(input) ??
            signature(input.message).then((each) => ({ signedMessage: input.message, signature: each }))),
        ],
      },
      ...(transaction && {
        'solana:signTransaction': {
          version: '1.0.0',
          supportedTransactionVersions: ['legacy', 0],
          signTransaction: async (input: SolanaSignTransactionInput) => [
            { signedTransaction: await transaction(input) },
          ],
        },
      }),
    },
  } as unknown as Wallet;
  const unregister = getWallets().register(wallet);
  watchWallets();
  const shown = wallets.value.find(({ name }) => name === wallet.name);
  unregister();
  if (shown === undefined) throw new Error('the page does not show the wallet');
  expect(shown.signsTransactions).toBe(transaction !== undefined);
  return shown.connect();
}

const memo = (text: string): Transaction =>
  compileTransaction(
    pipe(
      createTransactionMessage({ version: 0 }),
      (message) => setTransactionMessageFeePayer(signer.address, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(LIFETIME, message),
      (message) =>
        appendTransactionMessageInstruction({ programAddress: MEMO, data: new TextEncoder().encode(text) }, message),
    ),
  );

const signedBy = async (wallet: ConnectedWallet, chain = chainOf('of this machine')) => {
  const [back] = await transactionSigner(wallet, chain).modifyAndSignTransactions([memo('paid') as never]);
  return back;
};

describe('a wallet of the browser', () => {
  it('signs a text', async () => {
    const wallet = await connected({});
    const [signatures] = await messageSigner(wallet).signMessages([{ content: TEXT, signatures: {} }]);
    expect(signatures?.[signer.address]).toEqual(await signature(TEXT));
  });

  it('is not believed where it signs another text than it was given', async () => {
    const headed = async ({ message }: SolanaSignMessageInput) => {
      const signedMessage = Uint8Array.of(255, ...message);
      return { signedMessage, signature: await signature(signedMessage) };
    };
    await expect((await connected({ message: headed })).signMessage(TEXT)).rejects.toThrow(WalletFailed);
  });

  it('signs a transaction of a ledger that it has no name for, and of one that it has', async () => {
    const chains: unknown[] = [];
    const wallet = await connected({
      transaction: (input) => {
        chains.push(input.chain);
        return signed(input.transaction);
      },
    });
    const back = await signedBy(wallet);
    expect(back?.signatures[signer.address]).toBeTruthy();
    expect(back?.lifetimeConstraint).toEqual(LIFETIME);
    await signedBy(wallet, 'solana:devnet');
    expect(chains).toEqual([undefined, 'solana:devnet']);
  });

  it('signs nothing for a cluster that it is not set to', async () => {
    const wallet = await connected({ transaction: (input) => signed(input.transaction) });
    await expect(signedBy(wallet, 'solana:mainnet')).rejects.toThrow('does not sign for mainnet');
  });

  it('signs no transaction where it would send it itself', async () => {
    await expect(signedBy(await connected({}))).rejects.toThrow('Use another wallet, or have it signed elsewhere.');
  });

  it('may add checks of its own, but gives the transaction no other lifetime', async () => {
    const others = async (blockhash: Blockhash) => {
      const other = { ...memo('paid, and checked') };
      const message = new Uint8Array(other.messageBytes);
      const at = message.length - new TextEncoder().encode('paid, and checked').length - 4 - 32;
      if (blockhash !== LIFETIME.blockhash) message[at] = ((message[at] as number) + 1) % 256;
      return signed(new Uint8Array(getTransactionEncoder().encode({ ...other, messageBytes: message as never })));
    };
    const adds = await connected({ transaction: () => others(LIFETIME.blockhash) });
    expect((await signedBy(adds))?.signatures[signer.address]).toBeTruthy();
    const renews = await connected({ transaction: () => others('another' as Blockhash) });
    await expect(signedBy(renews)).rejects.toThrow('another lifetime');
  });

  it('that did not sign is said to have not', async () => {
    const wallet = await connected({ transaction: async ({ transaction }) => transaction });
    await expect(signedBy(wallet)).rejects.toThrow('did not sign');
  });
});

describe('what a wallet throws', () => {
  it.each([
    { code: 4001, message: 'User rejected the request.' },
    new Error('Approval Denied'),
    new Error('Transaction cancelled'),
    { context: { __code: 4_001_000 }, message: 'x' },
  ])('is a person’s no: %o', (error) => {
    expect(asWalletError(error, 'Some Wallet')).toBeInstanceOf(WalletRefused);
  });

  it.each([new Error('Internal error'), 'locked', undefined, { code: -32603, message: 'Unexpected error' }])(
    'is a fault of the wallet: %o',
    (error) => {
      expect(asWalletError(error, 'Some Wallet')).toBeInstanceOf(WalletFailed);
    },
  );
});
