import {
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  getTransactionEncoder,
  type KeyPairSigner,
  partiallySignTransaction,
} from '@solana/kit';
import type { Locator, Page } from 'playwright-core';
import { textSigner } from '../textSigner.ts';

/** A wallet of a page under test, as its owner sees it from outside. */
export type TestWallet = {
  /** The texts that it was asked to sign, with their signatures, and the transactions, in base 64. */
  readonly texts: string[];
  readonly signatures: Uint8Array[];
  readonly transactions: string[];
  /** What its owner does when asked: signs by default. `breaks`: the wallet itself fails. */
  answer: 'signs' | 'refuses' | 'breaks';
};

/** What a script of the page gets: signed bytes, or what the wallet throws. */
type Answer = { readonly bytes: number[] } | { readonly error: { readonly code?: number; readonly message: string } };

const REFUSED = { error: { code: 4_001, message: 'User rejected the request.' } };
const BROKEN = { error: { message: 'Internal error' } };

/**
 * Registers a wallet in a page that is about to load, by the Wallet Standard, as an extension does. The key stays on this side: the
 * page can only ask for signatures. A second wallet of a page has a name of its own.
 */
export async function giveWallet(page: Page, signer: KeyPairSigner, name = 'Test Wallet'): Promise<TestWallet> {
  const wallet: TestWallet = { texts: [], signatures: [], transactions: [], answer: 'signs' };
  const answered = async (sign: () => Promise<ArrayLike<number>>): Promise<Answer> => {
    if (wallet.answer === 'refuses') return REFUSED;
    return wallet.answer === 'breaks' ? BROKEN : { bytes: Array.from(await sign()) };
  };
  const of = `${name.replaceAll(/\W/g, '')}Signs`;
  await page.exposeFunction(`${of}Text`, (bytes: number[]) => {
    const content = Uint8Array.from(bytes);
    wallet.texts.push(new TextDecoder().decode(content));
    return answered(async () => {
      const [signatures] = await textSigner(signer).signMessages([{ content, signatures: {} }]);
      const signature = signatures?.[signer.address] ?? new Uint8Array();
      wallet.signatures.push(Uint8Array.from(signature));
      return signature;
    });
  });
  await page.exposeFunction(`${of}Transaction`, (bytes: number[]) => {
    const transaction = getTransactionDecoder().decode(Uint8Array.from(bytes));
    wallet.transactions.push(getBase64EncodedWireTransaction(transaction));
    return answered(async () =>
      getTransactionEncoder().encode(await partiallySignTransaction([signer.keyPair], transaction)),
    );
  });
  await page.addInitScript(registration(signer.address, name, of));
  return wallet;
}

/** A script that runs in the page before its own; a text, because it is no part of this program. */
const registration = (address: string, name: string, of: string): string => `
  (() => {
    // As wallets are: none of them knows a ledger of one machine.
    const chains = ['solana:mainnet', 'solana:devnet'];
    const features = ['solana:signMessage', 'solana:signTransaction'];
    const account = { address: '${address}', publicKey: new Uint8Array(32), chains, features };
    const signed = async (answer) => {
      const { bytes, error } = await answer;
      if (error !== undefined) throw Object.assign(new Error(error.message), error);
      return Uint8Array.from(bytes);
    };
    const wallet = {
      version: '1.0.0',
      name: '${name}',
      icon: 'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=',
      chains,
      accounts: [account],
      features: {
        'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
        'standard:events': { version: '1.0.0', on: () => () => {} },
        'solana:signMessage': {
          version: '1.1.0',
          signMessage: async ({ message }) => {
            const signature = await signed(${of}Text([...message]));
            return [{ signedMessage: message, signature, signatureType: 'ed25519' }];
          },
        },
        'solana:signTransaction': {
          version: '1.0.0',
          supportedTransactionVersions: ['legacy', 0],
          signTransaction: async ({ transaction, chain }) => {
            if (chain !== undefined && !chains.includes(chain)) throw new Error('Unknown chain ' + chain);
            return [{ signedTransaction: await signed(${of}Transaction([...transaction])) }];
          },
        },
      },
    };
    const register = (api) => api.register(wallet);
    addEventListener('wallet-standard:app-ready', (event) => register(event.detail));
    dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }));
  })();`;

/** Signs in with a wallet of the page, by a mouse unless it is said how else. Fails the test with what the page says if it does not. */
export async function signIn(
  page: Page,
  name = 'Test Wallet',
  press = (button: Locator): Promise<void> => button.click(),
): Promise<void> {
  await press(page.getByRole('button', { name: 'Sign in', exact: true }).first());
  const dialog = page.getByRole('dialog', { name: 'Sign in' });
  await press(dialog.getByRole('button', { name }));
  const refusal = dialog.getByRole('alert');
  await page.getByRole('button', { name: 'Sign out' }).or(refusal).first().waitFor();
  if (await refusal.isVisible()) throw new Error(`not signed in: ${await refusal.textContent()}`);
}
