import type { KeyPairSigner } from '@solana/kit';
import type { Page } from 'playwright-core';

/**
 * Registers a wallet in a page that is about to load, by the Wallet Standard, as an extension does. The key stays on this side: the
 * page can only ask for signatures. Returns the texts that the wallet was asked to sign.
 */
export async function giveWallet(page: Page, signer: KeyPairSigner, name = 'Test Wallet'): Promise<string[]> {
  const texts: string[] = [];
  await page.exposeFunction('signInWallet', async (bytes: number[]): Promise<number[]> => {
    const content = Uint8Array.from(bytes);
    texts.push(new TextDecoder().decode(content));
    const [signatures] = await signer.signMessages([{ content, signatures: {} }]);
    return [...(signatures?.[signer.address] ?? [])];
  });
  await page.addInitScript(registration(signer.address, name));
  return texts;
}

/** A script that runs in the page before its own; a text, because it is no part of this program. */
const registration = (address: string, name: string): string => `
  (() => {
    const chains = ['solana:mainnet', 'solana:localnet'];
    const account = { address: '${address}', publicKey: new Uint8Array(32), chains, features: ['solana:signMessage'] };
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
            const signature = Uint8Array.from(await signInWallet([...message]));
            return [{ signedMessage: message, signature, signatureType: 'ed25519' }];
          },
        },
      },
    };
    const register = (api) => api.register(wallet);
    addEventListener('wallet-standard:app-ready', (event) => register(event.detail));
    dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }));
  })();`;

/** Signs in with the page's first wallet. Fails the test with what the page says if it does not. */
export async function signIn(page: Page, name = 'Test Wallet'): Promise<void> {
  await page.getByRole('button', { name: 'Sign in', exact: true }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Sign in' });
  await dialog.getByRole('button', { name }).click();
  const refusal = dialog.getByRole('alert');
  await page.getByRole('button', { name: 'Sign out' }).or(refusal).first().waitFor();
  if (await refusal.isVisible()) throw new Error(`not signed in: ${await refusal.textContent()}`);
}
