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
  await page.addInitScript(REGISTER, { address: signer.address as string, name });
  return texts;
}

/** Runs in the page, before its own scripts. */
const REGISTER = ({ address, name }: { address: string; name: string }): void => {
  const ICON = 'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=' as const;
  const chains = ['solana:mainnet', 'solana:localnet'];
  const features = ['solana:signMessage'];
  const account = { address, publicKey: new Uint8Array(32), chains, features };
  const here = globalThis as unknown as {
    signInWallet: (bytes: number[]) => Promise<number[]>;
    addEventListener: (name: string, listener: (event: { detail: Api }) => void) => void;
    dispatchEvent: (event: unknown) => boolean;
    CustomEvent: new (name: string, init: { detail: unknown }) => unknown;
  };
  type Api = { register: (wallet: unknown) => void };
  const wallet = {
    version: '1.0.0',
    name,
    icon: ICON,
    chains,
    accounts: [account],
    features: {
      'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [account] }) },
      'standard:events': { version: '1.0.0', on: () => () => {} },
      'solana:signMessage': {
        version: '1.1.0',
        signMessage: async ({ message }: { message: Uint8Array }) => {
          const signature = Uint8Array.from(await here.signInWallet([...message]));
          return [{ signedMessage: message, signature, signatureType: 'ed25519' }];
        },
      },
    },
  };
  const register = ({ register }: Api) => register(wallet);
  here.addEventListener('wallet-standard:app-ready', ({ detail }) => register(detail));
  here.dispatchEvent(new here.CustomEvent('wallet-standard:register-wallet', { detail: register }));
};

/** Signs in with the page's first wallet. */
export async function signIn(page: Page, name = 'Test Wallet'): Promise<void> {
  await page.getByRole('button', { name: 'Sign in', exact: true }).first().click();
  await page.getByRole('dialog', { name: 'Sign in' }).getByRole('button', { name }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}
